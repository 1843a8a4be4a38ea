"""The one poll loop that all seats of a process share, and its clock."""

from __future__ import annotations

import math
import select
import time
from collections.abc import Callable, Sequence
from typing import Final

from gonuts_cli.players.base import NEVER, Seat

SLICE: Final = 0.025
"""Seconds: the longest the hub sleeps while a seat's time runs."""

MOMENT: Final = 0.005
"""Seconds between two looks at bots that are about to end."""
READ: Final = select.POLLIN
WRITE: Final = select.POLLOUT

Handler = Callable[[], None]


class Hub:
    """Waits for seats; hands readable and writable descriptors to who registered them.

    `now` is when the last look began to be handled. `late` sums, in seconds, what was lost between
    two looks beyond SLICE: then the referee did not get the processor (or was stopped), and no seat
    is charged for it. So a seat's own time is the difference of `now - late` at two moments.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        poller: Callable[[], select.poll] = select.poll,
    ) -> None:
        self.clock = clock
        self.now = clock()
        self.late = 0.0
        self._poller = poller()
        self._poll = self._poller.poll
        self._handlers: dict[int, Handler] = {}
        self._soon: list[Handler] = []

    def register(self, descriptor: int, events: int, handler: Handler) -> None:
        """Call `handler` at each look at which the descriptor has one of the events (or an end)."""
        self._poller.register(descriptor, events)
        self._handlers[descriptor] = handler

    def unregister(self, descriptor: int) -> None:
        """Forget a descriptor; no error when it is not registered."""
        if self._handlers.pop(descriptor, None) is not None:
            self._poller.unregister(descriptor)

    def soon(self, handler: Handler) -> None:
        """Call `handler` once, at the next look, which then does not sleep."""
        self._soon.append(handler)

    def tick(self) -> float:
        """The moment now, on the clock that leaves out what the referee lost."""
        now = self.clock()
        lost = now - self.now - SLICE
        if lost > 0:
            self.late += lost
        self.now = now
        return now - self.late

    def look(self, seconds: float | None) -> bool:
        """Sleep until something happens or the time is over; whether something did."""
        if self._soon:
            seconds = 0.0
        found = self._poll(None if seconds is None else math.ceil(seconds * 1000))
        self.tick()
        for descriptor, _ in found:
            # One handler may end another's seat and with it its descriptors.
            handler = self._handlers.get(descriptor)
            if handler is not None:
                handler()
        if self._soon:
            handlers, self._soon = self._soon, []
            for handler in handlers:
                handler()
        return bool(found)

    def wait(self, seats: Sequence[Seat]) -> None:
        """Return when every seat has a reply; none waits beyond its own deadline."""
        waiting = [seat for seat in seats if seat.reply is None]
        checked = self.now
        while waiting:
            nearest = min([seat.deadline for seat in waiting])
            busy = True
            if nearest == NEVER:
                self.look(None)
            else:
                busy = self.look(min(SLICE, max(0.0, nearest - self.clock())))
            silent = [seat for seat in waiting if seat.reply is None]
            # What one seat writes must not keep another from being looked after.
            due = not busy or self.now - checked >= SLICE
            for seat in silent:
                if self.now >= seat.deadline:
                    seat.expire()
                elif due:
                    seat.check()
            if due:
                checked = self.now
            waiting = [seat for seat in silent if seat.reply is None]

    def part(self, seats: Sequence[Seat]) -> None:
        """Return when every seat is gone: a bounded time after it was left or dismissed."""
        leaving = list(seats)
        while leaving := [seat for seat in leaving if not seat.gone()]:
            self.look(MOMENT)
