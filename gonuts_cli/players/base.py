"""What the referee knows of a player: it is asked, and answers or is at fault (SPEC §5, §7).

A seat never blocks. `begin` and `ask` leave `reply` at None until the answer or the fault is there;
the hub (players/hub.py) waits for several seats at once and ends the wait of each at its deadline.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from gonuts_cli.players.messages import Seen
from gonuts_cli.rules.decisions import Decision

MOST: Final = 1_000_000_000
"""The largest number in options: beyond any use, and small enough for all that reads it."""
MEMORY_MIB: Final = 1024
"""The memory of a bot in the sandbox when nobody says otherwise."""
NEVER: Final = math.inf
"""The deadline of a seat that may take as long as it likes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a bot may take, in ms; `game_ms` bounds the sum of its own times (SPEC §7)."""

    start_ms: int = 5000
    move_ms: int = 1000
    game_ms: int | None = None

    def message(self) -> dict[str, int | None]:
        """As `hello` tells them (SPEC §5)."""
        return {"start_ms": self.start_ms, "move_ms": self.move_ms, "game_ms": self.game_ms}


class Fault(NamedTuple):
    """Why the referee chooses for a seat: a word of SPEC §7, and in words what was wrong."""

    word: str
    message: str


class Ready(NamedTuple):
    """The seat can play. `name` is what the bot calls itself (foreign text), or ""."""

    name: str = ""
    events: bool = False
    reuse: bool = False


READY: Final = Ready()

Reply = list[Any] | Fault | Ready
"""What a seat comes back with: the raw `choose` of its answer, a fault, or that it is ready."""


class Seat(Protocol):
    """One player at the table, as the referee sees it.

    `reply` is None while the seat is waited for; `deadline` is when that ends, on the hub's clock
    in seconds. `used` and `added` are the seconds that the last answer took: the player's own, and
    what the referee added by looking late. `stale` counts dropped answers to other requests,
    `remarks` are sentences for the bot's author that belong to no fault; both of the present game.
    """

    reply: Reply | None
    deadline: float
    used: float
    added: float
    stale: int
    remarks: list[str]

    def begin(self, hello: Mapping[str, Any], limits: Limits) -> None:
        """Start a game: say hello; the reply is `Ready` or the fault of a bot that cannot start."""

    def ask(self, decision: Decision, seen: Seen) -> None:
        """Ask for a decision and start the clock; the reply is a list or a fault."""

    def tell(self, line: bytes) -> None:
        """Pass on a whole line that needs no answer; it is sent no later than the next `flush`."""

    def flush(self) -> None:
        """Send what was told."""

    def charged(self, fault: Fault, choose: tuple[Any, ...]) -> None:
        """Tell the player that the referee chose for it, and why."""

    def illegal(self, reason: str) -> Fault:
        """The fault of the last answer, which the decision does not allow, in words for the bot."""

    def expire(self) -> None:
        """The deadline is over: look a last time, then reply with what came or with the fault."""

    def check(self) -> None:
        """A moment passed without news: look whether the player is still there."""

    def put_out(self) -> None:
        """The seat is out: it is not asked again and what it started ends."""

    def leave(self, game_over: bytes, keep: bool) -> None:
        """The game is over; `keep` allows a bot that can to wait for another one."""

    def dismiss(self) -> None:
        """Between games: there will be no other one for a bot that waits for it."""

    def gone(self) -> bool:
        """Whether nothing more needs to be waited for after `leave` or `dismiss`."""

    def close(self) -> None:
        """End what is left, by force; may be called at any time and again."""

    def last_words(self) -> str:
        """The end of what the player wrote on standard error, foreign text; "" for nothing."""


class UntimedSeat:
    """What the seats without a process of their own share: no clock, nothing to send or to end."""

    def __init__(self) -> None:
        self.reply: Reply | None = None
        self.deadline = NEVER
        self.used = 0.0
        self.added = 0.0
        self.stale = 0
        self.remarks: list[str] = []

    def illegal(self, reason: str) -> Fault:
        """Only a mistake of ours can bring it about: what is played here was checked."""
        return Fault("illegal", reason)

    def tell(self, line: bytes) -> None:
        """The view, or the log, is all that is needed here."""

    def flush(self) -> None:
        """Nothing is kept back."""

    def charged(self, fault: Fault, choose: tuple[Any, ...]) -> None:
        """Nobody here is charged."""

    def expire(self) -> None:
        """Never due: no clock runs."""

    def check(self) -> None:
        """Always there."""

    def put_out(self) -> None:
        """Nothing to end."""

    def leave(self, game_over: bytes, keep: bool) -> None:
        """The result is shown to all."""

    def dismiss(self) -> None:
        """Nothing to end."""

    def gone(self) -> bool:
        """Nothing to wait for."""
        return True

    def close(self) -> None:
        """Nothing to end."""

    def last_words(self) -> str:
        """There is no standard error of its own."""
        return ""
