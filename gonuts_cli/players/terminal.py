"""Lines from the referee's own standard input, for seats that programs or people play there."""

from __future__ import annotations

import os
import stat
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from gonuts_cli.errors import UnfinishedGame
from gonuts_cli.players.base import READY, Limits, Ready, UntimedSeat
from gonuts_cli.players.hub import READ, Hub
from gonuts_cli.players.messages import Seen
from gonuts_cli.rules.decisions import Decision

LONGEST = 1024 * 1024
"""Bytes of a line on standard input."""
_PIECE = 64 * 1024
_PATIENCE = 0.25
"""Seconds to wait, after the game, for the end of a pipe whose lines may still be coming."""


class Line(NamedTuple):
    """One line without its end, and its number from 1."""

    number: int
    text: bytes


class LineInput:
    """Reads a descriptor when somebody waits for lines, and not before."""

    def __init__(self, hub: Hub, descriptor: int) -> None:
        self._hub = hub
        self._descriptor = descriptor
        self._lines: deque[Line] = deque()
        self._rest = b""
        self._open = True
        self._waiting = False
        self.number = 0
        """The number of the last line taken in."""

    def next(self) -> Line | None:
        """The next line that is not blank, None when it has not come yet."""
        while self._lines:
            line = self._lines.popleft()
            self.number = line.number
            if line.text.strip():
                return line
        return None

    @property
    def at_end(self) -> bool:
        """Whether no line is left and none will come."""
        return not self._open and not self._lines

    def listen(self, handler: Any) -> None:
        """Call `handler` when something has come, or the end has."""
        if not self._waiting and self._open:
            self._waiting = True

            def arrived() -> None:
                self.ignore()
                self._read()
                handler()

            self._hub.register(self._descriptor, READ, arrived)

    def ignore(self) -> None:
        """Let what comes wait."""
        if self._waiting:
            self._waiting = False
            self._hub.unregister(self._descriptor)

    def _read(self) -> None:
        data = os.read(self._descriptor, _PIECE)
        number = self._lines[-1].number if self._lines else self.number
        if not data:
            self._open = False
            whole, self._rest = [self._rest] if self._rest else [], b""
        else:
            *whole, self._rest = (self._rest + data).split(b"\n")
        for text in whole:
            number += 1
            self._lines.append(Line(number, text))
        if len(self._rest) > LONGEST:
            raise UnfinishedGame(
                f"standard input, line {number + 1}: more than {LONGEST} bytes without a line end"
            )

    def leftover(self) -> Line | None:
        """A line that is there after the game's end, if any.

        A file is read to its end; a pipe or a terminal only as far as it is written, since who
        holds its other end may be waiting for the game to end.
        """
        kind = os.fstat(self._descriptor).st_mode
        until = time.monotonic() + (0.0 if stat.S_ISCHR(kind) else _PATIENCE)
        arrived: list[bool] = []
        while True:
            line = self.next()
            if line is not None or not self._open:
                return line
            left = until - time.monotonic()
            if left < 0 and not stat.S_ISREG(kind):
                return None
            arrived.clear()
            self.listen(lambda: arrived.append(True))
            self._hub.look(max(0.0, left))
            self.ignore()


class TerminalSeat(UntimedSeat):
    """A seat (see base.Seat) at which someone plays through standard input; no clock runs.

    It only passes on: what is asked and told goes to `table`, which sets the reply.
    """

    def __init__(self, table: Table) -> None:
        super().__init__()
        self._table = table
        self._hub = table.hub
        self._asked = 0.0

    def begin(self, hello: Mapping[str, Any], limits: Limits) -> None:
        """Sit down."""
        self.reply = self._table.begin(hello)

    def ask(self, decision: Decision, seen: Seen) -> None:
        """Hand the question to the table."""
        self.reply = None
        self._asked = self._hub.tick()
        self._table.ask(self, decision, seen)

    def answer(self, choose: list[Any]) -> None:
        """Take the answer from the table."""
        self.reply = choose
        self.used = self._hub.now - self._hub.late - self._asked

    def tell(self, line: bytes) -> None:
        """Hand a message to the table."""
        self._table.tell(line)


class Table(ABC):
    """The seats that share standard input; collects what is asked, then reads the answers."""

    def __init__(self, hub: Hub, descriptor: int = 0) -> None:
        self.hub = hub
        self.lines = LineInput(hub, descriptor)
        self.asked: dict[int, tuple[TerminalSeat, Decision]] = {}

    def seat(self) -> TerminalSeat:
        """One more seat."""
        return TerminalSeat(self)

    def begin(self, hello: Mapping[str, Any]) -> Ready:
        """A game begins for one of the seats."""
        return READY

    def ask(self, seat: TerminalSeat, decision: Decision, seen: Seen) -> None:
        """Wait for an answer, from when all who are asked at once are asked."""
        if not self.asked:
            self.hub.soon(self._read)
        self.asked[decision.player] = (seat, decision)

    def tell(self, line: bytes) -> None:  # noqa: B027 (to do nothing is right for most tables)
        """Those who play here read the log."""

    @abstractmethod
    def take(self, line: Line) -> None:
        """Make of a line what it says."""

    def _read(self) -> None:
        while self.asked:
            line = self.lines.next()
            if line is not None:
                self.take(line)
            elif self.lines.at_end:
                raise UnfinishedGame(self._missing())
            else:
                self.lines.listen(self._read)
                return

    def _missing(self) -> str:
        waiting = ", ".join(
            f"seat {seat} ({decision.decision})" for seat, (_, decision) in self.asked.items()
        )
        return f"standard input ended after line {self.lines.number}, still to answer: {waiting}"
