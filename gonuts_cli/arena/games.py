"""Playing games of a tournament in this process: what every worker does, wherever it runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from gonuts_cli.arena.folder import GameNumber, dealt, read_usual, write_whole
from gonuts_cli.arena.referee import GameReport, play
from gonuts_cli.arena.settings import Settings
from gonuts_cli.errors import GonutsError, UsageError
from gonuts_cli.game import Game
from gonuts_cli.players.base import Seat
from gonuts_cli.players.hub import Hub
from gonuts_cli.players.notes import Notes
from gonuts_cli.players.process import ProcessSeat
from gonuts_cli.players.run import Run

MOST_KEPT = 24
"""Bots that a worker keeps alive at most: those that played last."""
_NOTES_EVERY = 1.0  # seconds between two savings of what a bot said


class _AtTheEnd:
    """Does without the log of a game under way: of a game that breaks off nothing is kept."""

    def update(self) -> None:
        """The log is taken when it is whole."""


class Played(NamedTuple):
    """A finished game: its log, and how long it took."""

    number: GameNumber
    log: bytes
    timing: dict[str, Any]


class Player:
    """Plays any game of a tournament; keeps bots alive that want it.

    `notes` are the files where what each bot says on standard error is kept, None to drop it;
    `forbid` is what bots in the sandbox must not see.
    """

    def __init__(
        self,
        settings: Settings,
        notes: Sequence[Path] | None = None,
        forbid: Sequence[Path] = (),
    ) -> None:
        self._settings = settings
        self._schedule = settings.schedule()
        self._tournament = settings.tournament
        self._keep = not settings.fresh_bots and settings.sandbox is None
        self._notes = notes
        self._forbid = forbid
        self._run = Run()
        self._seats: dict[int, Seat] = {}
        self._alive: dict[int, None] = {}  # bots in the order in which they last played
        self._saved: dict[int, tuple[int, float]] = {}

    def play(self, number: GameNumber) -> Played:
        """Play a game to its end, whatever the bots do."""
        settings = self._settings
        bots = self._schedule.seating(*number)
        game = dealt(settings, bots, self._tournament, number)
        seats = [self._seat(bot) for bot in bots]
        began = time.monotonic()
        report = play(
            game,
            seats,
            sink=_AtTheEnd(),
            limits=settings.limits,
            hub=self._run.hub,
            keep=self._keep,
        )
        timing = _timing(game, report, time.monotonic() - began)
        if self._notes is not None:
            for bot in bots:
                self._save_notes(bot)
        return Played(number, game.log(), timing)

    def part(self) -> None:
        """No game will come: let the bots end by themselves, for as long as that may take."""
        for seat in self._seats.values():
            seat.dismiss()
        self.hub.part(list(self._seats.values()))

    def close(self) -> None:
        """End all bots and save their last words; raises GonutsError when these cannot be kept."""
        with ExitStack() as stack:
            stack.callback(self._save_all_notes)
            stack.callback(self._run.close)
            # Already now: who cannot end its bots in time is killed with them.
            self._save_all_notes()

    @property
    def hub(self) -> Hub:
        """What its games wait with."""
        return self._run.hub

    def _seat(self, bot: int) -> Seat:
        seat = self._seats.get(bot)
        if seat is None:
            settings = self._settings.bots[bot]
            seat = self._run.seat(
                settings.spec,
                command=None
                if settings.kind == "builtin"
                else self._settings.command(settings, self._forbid),
                folder=None if settings.folder is None else Path(settings.folder),
            )
            if isinstance(seat, ProcessSeat):
                if self._notes is not None:
                    self._read_notes(bot, seat.notes)
                try:
                    seat.start()
                except UsageError as error:
                    raise UsageError(f"bot {settings.name!r}: {error}") from None
            self._seats[bot] = seat
        # Who has not played for longest ends; its seat starts a new process when its turn comes.
        self._alive.pop(bot, None)
        self._alive[bot] = None
        if len(self._alive) > MOST_KEPT:
            oldest = next(iter(self._alive))
            del self._alive[oldest]
            self._seats[oldest].dismiss()
            self.hub.part([self._seats[oldest]])
        return seat

    def _read_notes(self, bot: int, notes: Notes) -> None:
        """What the bot said to an earlier run of this worker stays."""
        assert self._notes is not None
        try:
            notes.add(read_usual(self._notes[bot]))
        except OSError as error:
            raise self._not_kept(bot, error.strerror) from None

    def _not_kept(self, bot: int, why: str | None) -> GonutsError:
        assert self._notes is not None
        name = self._settings.bots[bot].name
        return GonutsError(f"{self._notes[bot]}: {why}: what bot {name!r} says cannot be kept")

    def _save_all_notes(self) -> None:
        """As many as can be; then raises GonutsError for the last of those that cannot."""
        with ExitStack() as stack:
            if self._notes is not None:
                for bot in self._seats:
                    stack.callback(self._save_notes, bot, at_once=True)

    def _save_notes(self, bot: int, at_once: bool = False) -> None:
        seat = self._seats[bot]
        if not isinstance(seat, ProcessSeat) or not seat.notes:
            return
        assert self._notes is not None
        size, when = self._saved.get(bot, (0, -_NOTES_EVERY))
        now = time.monotonic()
        if len(seat.notes) != size and (at_once or now - when >= _NOTES_EVERY):
            try:
                write_whole(self._notes[bot], seat.notes.content())
            except OSError as error:
                raise self._not_kept(bot, error.strerror) from None
            self._saved[bot] = (len(seat.notes), now)


def _timing(game: Game, report: GameReport, seconds: float) -> dict[str, Any]:
    """A game's line of timings.jsonl: milliseconds, of each bot its own and the referee's delay."""
    return {
        "game": game.game_id,
        "ms": round(seconds * 1000, 2),
        "bots": {
            name: {"used_ms": round(seat.used, 2), "added_ms": round(seat.added, 2)}
            for name, seat in zip(game.names, report.seats, strict=True)
        },
    }
