"""Running a tournament: hand out what is not finished, keep what is, stop in time (SPEC §8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson

from gonuts_cli.arena.folder import Folder, GameNumber, Record
from gonuts_cli.arena.outcome import SHARE_UNIT, ending_of
from gonuts_cli.arena.settings import Settings
from gonuts_cli.arena.workers import Finished, Pool, held_back
from gonuts_cli.errors import UsageError

MOST_AHEAD = 20_000
"""Finished games that may wait for one that takes longer; then nothing new is begun."""
_LOOK = 0.25  # seconds between two looks at the clock without news

StartPool = Callable[[Settings, Folder, Record], Pool]


class Live(NamedTuple):
    """How a bot stands while games are played."""

    name: str
    games: int
    win_share: float
    points: float
    faults: int


@dataclass
class Progress:
    """How far a tournament is; `standings` are of all games in schedule order so far."""

    settings: Settings
    deals: int
    finished: int = 0
    """Games finished, also those that are not in order yet."""
    before: int = 0
    """Of them, those that were there when this run began."""
    faults: int = 0
    stopped_at: int | None = None
    """The deal after which the order of the first two was settled, from 1."""
    evidence: float | None = None
    """How far that is from settled: 1 is."""
    _games: list[int] = field(default_factory=list)
    _shares: list[int] = field(default_factory=list)
    _points: list[int] = field(default_factory=list)
    _faults: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for column in (self._games, self._shares, self._points, self._faults):
            column += [0] * len(self.settings.bots)

    @property
    def games(self) -> int:
        """All games of the tournament."""
        return (self.stopped_at or self.deals) * self.settings.table

    def count(self, bots: tuple[int, ...], log: bytes) -> list[int]:
        """Count a game that is in order now; the shares of its bots."""
        scores, winners = ending_of(log, len(bots))
        shares = [0] * len(bots)
        for seat in winners:
            shares[seat] = SHARE_UNIT // len(winners)
        for seat, bot in enumerate(bots):
            self._games[bot] += 1
            self._shares[bot] += shares[seat]
            self._points[bot] += scores[seat]
        if b'"fault":"' in log:
            for seat, bot in enumerate(bots):
                faults = sum(
                    b'"fault":"' in line and not line.endswith(b'"disqualified"}')
                    for line in log.split(b"\n")
                    if line.startswith(b'{"event":"decided","player":%d,' % seat)
                )
                self._faults[bot] += faults
                self.faults += faults
        return shares

    def standings(self) -> list[Live]:
        """All bots, best first."""
        live = [
            Live(bot.name, games, shares / SHARE_UNIT / (games or 1), points / (games or 1), faults)
            for bot, games, shares, points, faults in zip(
                self.settings.bots,
                self._games,
                self._shares,
                self._points,
                self._faults,
                strict=True,
            )
        ]
        return sorted(live, key=lambda one: (-one.win_share, -one.points, one.name))


class Tournament:
    """A tournament on an open folder; `run` plays what is missing.

    Raises UsageError when more deals are there than are asked for.
    """

    def __init__(self, settings: Settings, folder: Folder, deals: int) -> None:
        self.settings = settings
        self.folder = folder
        self.progress = Progress(settings, deals)
        self._schedule = settings.schedule()
        self._race = None
        if settings.stop_when_decided is not None:
            from gonuts_cli.arena.stopping import Race

            self._race = Race(len(settings.bots), settings.stop_when_decided)
        self._deal = [0] * len(settings.bots)
        folder.claim(settings)
        self.record = Record(folder, settings, self._merged)
        there = self.record.deals()
        if there > deals and not self.record.over:
            self.record.close()
            raise UsageError(
                f"{folder.path} holds {there} deals already; --deals {deals} is less. "
                "Ask for as many or more, or choose another folder"
            )
        self.progress.finished = self.progress.before = self.record.games + self.record.ahead()

    def _merged(self, number: GameNumber, log: bytes) -> bool:
        """A game is in order now; whether the tournament goes on."""
        deal, rotation = number
        bots = self._schedule.seating(deal, rotation)
        shares = self.progress.count(bots, log)
        if self._race is None:
            return True
        for bot, share in zip(bots, shares, strict=True):
            self._deal[bot] += share
        if rotation + 1 < self.settings.table:
            return True
        table = self._schedule.table(deal)
        self._race.add_deal(table, [self._deal[bot] for bot in table])
        self._deal = [0] * len(self._deal)
        self.progress.evidence = self._race.evidence()
        if self._race.decided():
            self.progress.stopped_at = deal + 1
        return self.progress.stopped_at is None

    @property
    def done(self) -> bool:
        """Whether every game that belongs to the tournament is in games.jsonl."""
        return self.record.over or self.record.next >= (self.progress.deals, 0)

    def run(self, start_pool: StartPool, show: Callable[[Progress], object]) -> None:
        """Play all games that are not finished; `show` is told how far it is, often.

        Whatever ends it, finished games are kept.
        """
        if not self.done:
            pool = start_pool(self.settings, self.folder, self.record)
            todo = self._todo()
            with held_back(), open(self.folder.path / "timings.jsonl", "ab") as timings:
                try:
                    self._play(pool, todo, show, timings.write)
                finally:
                    # Also when this is interrupted: what is finished by now is kept.
                    try:
                        self._keep(pool.stop(), timings.write)
                    finally:
                        self.record.close()
        self.record.finish()

    def _play(
        self,
        pool: Pool,
        todo: Iterator[list[GameNumber]],
        show: Callable[[Progress], object],
        write_timing: Callable[[bytes], object],
    ) -> None:
        while not self.done:
            while pool.room() and self.record.ahead() < MOST_AHEAD:
                games = next(todo, None)
                if games is None:
                    break
                pool.submit(games)
            self._keep(pool.wait(_LOOK), write_timing)
            show(self.progress)

    def _keep(self, finished: list[Finished], write_timing: Callable[[bytes], object]) -> None:
        for game in finished:
            if not self.record.is_known(game.number):
                self.record.finished(game.number, game.place)
                self.progress.finished += 1
                write_timing(orjson.dumps(game.timing) + b"\n")
        self.record.merge()

    def _todo(self) -> Iterator[list[GameNumber]]:
        """The games that are not finished, by deal."""
        for deal in range(self.record.next[0], self.progress.deals):
            numbers = [(deal, rotation) for rotation in range(self.settings.table)]
            games = [number for number in numbers if not self.record.is_known(number)]
            if games:
                yield games
