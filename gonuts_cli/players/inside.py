"""Built-in bots: a seat without a process, which answers while it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from gonuts_cli.errors import UsageError
from gonuts_cli.players import messages
from gonuts_cli.players.base import READY, Limits, UntimedSeat
from gonuts_cli.players.builtin import BUILTINS, Bot
from gonuts_cli.players.hub import Hub
from gonuts_cli.players.messages import Seen
from gonuts_cli.rules.decisions import Decision
from gonuts_cli.show.safe import printable


class BuiltinSeat(UntimedSeat):
    """A seat (see base.Seat) played by a built-in bot; UsageError for a name that none has.

    The bot is given what a process reads in its messages, no more, and nothing of the game's own.
    """

    def __init__(self, name: str, hub: Hub) -> None:
        super().__init__()
        if name not in BUILTINS:
            there = ", ".join(f"builtin:{known}" for known in BUILTINS)
            raise UsageError(f"there is no bot `builtin:{printable(name)}`; there are {there}")
        self._make = BUILTINS[name]
        self._hub = hub
        self._bot: Bot | None = None
        self._id = 0

    def begin(self, hello: Mapping[str, Any], limits: Limits) -> None:
        """Make the bot of this game."""
        self._bot = self._make(orjson.loads(orjson.dumps(hello)))
        self.reply = READY

    def ask(self, decision: Decision, seen: Seen) -> None:
        """Ask and have the answer at once."""
        if self._bot is None:
            raise ValueError("a seat is asked before its game began")
        self._id += 1
        request = messages.decide(self._id, decision, seen.view)
        asked = self._hub.clock()
        self.reply = self._bot.choose(request)
        self.used = self._hub.clock() - asked

    def leave(self, game_over: bytes, keep: bool) -> None:
        """The bot of this game is dropped."""
        self._bot = None
