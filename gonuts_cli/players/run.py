"""What the games of one process share: the poll loop, and who starts and ends the bots' processes.

with Run() as run:
    seats = [run.seat(parse_bot("builtin:greedy")), run.seat(parse_bot("python3 bot.py"))]
    report = play(game, seats, sink=LogWriter(game, write), limits=Limits(), hub=run.hub)
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self
from weakref import WeakSet

from gonuts_cli.errors import UsageError
from gonuts_cli.players.base import Seat
from gonuts_cli.players.hub import Hub
from gonuts_cli.rules.texts import check_text

_NAMED = re.compile(r"([\w.-]+)=(.*)", re.DOTALL)
_NAMED_BADLY = re.compile(r"([^=]*)=(?:builtin:.*|human|stdin)", re.DOTALL)


class BotSpec(NamedTuple):
    """A BOT of SPEC §8.

    `kind` is `stdin`, `human`, `builtin` or `process`; `command` is a process's words, or one
    built-in bot's name; `name` is what stood before `=`, or None.
    """

    kind: str
    command: tuple[str, ...]
    name: str | None = None


def parse_bot(text: str) -> BotSpec:
    """Read a BOT of the command line (SPEC §8); raises UsageError."""
    named = _NAMED.fullmatch(text)
    name = None
    if named is None and (asked := _NAMED_BADLY.fullmatch(text)):
        raise UsageError(
            f"{asked[1]!r} cannot stand before the = of {text!r}: "
            "a name there has letters, digits and . _ - only"
        )
    if named is not None:
        name, text = named.groups()
        check_text(name, "a player's name", 64)
    if text in ("stdin", "human"):
        return BotSpec(text, (), name)
    if text.startswith("builtin:"):
        return BotSpec("builtin", (text.removeprefix("builtin:"),), name)
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"the command {text!r} cannot be split into words: {error}") from None
    if not words:
        raise UsageError("a bot's command is empty")
    return BotSpec("process", words, name)


class Run:
    """The hub and the keeper of one process's games; ends every bot when it is left."""

    def __init__(self) -> None:
        from gonuts_cli.players.keeper import Keeper

        self.hub = Hub()
        self.keeper = Keeper()
        # Weakly: a long run may make new seats for every game.
        self._seats: WeakSet[Seat] = WeakSet()

    def seat(
        self,
        bot: BotSpec,
        *,
        command: Sequence[str] | None = None,
        folder: Path | None = None,
    ) -> Seat:
        """A seat for a built-in bot or a process; raises UsageError for a bot that is not there.

        `command` is run in place of the bot's own words (a sandbox around them), in `folder`.
        """
        seat: Seat
        if bot.kind == "builtin":
            from gonuts_cli.players.inside import BuiltinSeat

            seat = BuiltinSeat(bot.command[0], self.hub)
        elif bot.kind == "process":
            from gonuts_cli.players.process import ProcessSeat

            words = bot.command if command is None else tuple(command)
            seat = ProcessSeat(words, self.hub, self.keeper, folder)
        else:
            raise UsageError(f"`{bot.kind}` can only sit at the table of `gonuts play`")
        self._seats.add(seat)
        return seat

    def close(self) -> None:
        """End every process of the run."""
        for seat in list(self._seats):
            seat.close()
        self.keeper.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
