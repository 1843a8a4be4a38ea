"""The ranking of bots from finished games, and nothing but their logs (SPEC §8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gonuts_cli.arena import bootstrap
from gonuts_cli.arena.outcome import SHARE_UNIT
from gonuts_cli.arena.plackett_luce import Pick, PlackettLuce, elo, picks_of
from gonuts_cli.arena.tally import Tally
from gonuts_cli.rules.engine import FAULTS

Floats = NDArray[np.float64]
Matrix = Any  # scipy's sparse matrices come without types

_CELLS = 8_000_000  # numbers that the replicates may take at once: 64 MB
_DEALS = 128  # deals whose weights are made at once: 2 MB


class Estimate(NamedTuple):
    """A figure with its 95% interval, None where there is but one deal."""

    value: float
    low: float | None
    high: float | None


class Standing(NamedTuple):
    """One bot's part of the results."""

    name: str
    games: int
    seats: list[int]
    """Games in each seat, of as many seats as the largest table had."""
    win_share: Estimate
    points: Estimate
    rating: Estimate
    faults: dict[str, int]
    """Every kind of fault in the order of SPEC §7, also those with none."""


class Ranking(NamedTuple):
    """All standings, best first: by win share, then points, then name."""

    standings: list[Standing]
    deals: int
    games: int
    tournament: str | None
    """The tag that all games have, if it is one and the same."""
    ahead: list[list[float]]
    """Row i, column j, both in the order of standings: in how many games i was placed before j,
    a half where they were level."""


def rank(tally: Tally) -> Ranking:
    """The results of all games counted so far. With no game there are no standings."""
    order = best_first(tally)
    (tournament,) = tally.tournaments if len(tally.tournaments) == 1 else (None,)
    if not order:
        return Ranking([], 0, 0, None, [])
    replicates = _Replicates(tally)
    seats = max(seat + 1 for by in tally.seats for seat, games in enumerate(by) if games)
    standings = [
        Standing(
            tally.names[bot],
            tally.played[bot],
            tally.seats[bot][:seats],
            *replicates.estimates(bot),
            {kind: tally.faults[bot][kind] for kind in FAULTS},
        )
        for bot in order
    ]
    ahead = [[tally.ahead[i, j] / 2 for j in order] for i in order]
    return Ranking(standings, replicates.deals, tally.games, tournament, ahead)


def best_first(tally: Tally) -> list[int]:
    """The bots of a tally by win share, then points, then name."""
    return sorted(
        range(len(tally.names)),
        key=lambda bot: (
            -tally.shares[bot] / tally.played[bot],
            -tally.points[bot] / tally.played[bot],
            tally.names[bot],
        ),
    )


class _Columns:
    """The numbers that a result (who was placed how) adds to: a row for each, as a sparse matrix.

    The columns are each bot's 60ths of wins, each bot's games, and the picks of Plackett-Luce.
    """

    def __init__(self, tally: Tally) -> None:
        bots = len(tally.names)
        picks: dict[Pick, int] = {}
        rows, columns, values = [], [], []
        for (places, winners), number in tally.results.items():
            cells: list[tuple[int, float]] = []
            if winners:
                cells += [(bot, SHARE_UNIT // winners) for bot in places[0]]
            cells += [(bots + bot, 1) for group in places for bot in group]
            for pick, part in picks_of(places).items():
                cells.append((2 * bots + picks.setdefault(pick, len(picks)), part))
            rows += [number] * len(cells)
            columns += [column for column, _ in cells]
            values += [value for _, value in cells]
        self.picks = list(picks)
        self.width = 2 * bots + len(picks)
        self.matrix: Matrix = sparse.csr_matrix(
            (np.array(values, float), (rows, columns)), (len(tally.results), self.width)
        )


class _Replicates:
    """What every replicate of the bootstrap finds, and what the games themselves give."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._bots = len(tally.names)
        self._columns = _Columns(tally)
        self._model = PlackettLuce(self._bots, self._columns.picks)
        self._observed = np.zeros(self._bots, int)  # deals that each bot played in
        counts = np.zeros(self._columns.width)
        seen: list[NDArray[np.bytes_]] = []
        for deals, _, names in self._deals():
            counts += np.asarray(deals.sum(axis=0)).ravel()
            seen.append(np.unique(np.array(names)))
            played = deals[:, self._bots : 2 * self._bots]
            self._observed += np.asarray((played > 0).sum(axis=0)).ravel()
        # Each once, wherever its games stand.
        self.deals = len(np.unique(np.concatenate(seen)))
        self._observed = np.minimum(self._observed, self.deals)
        self._fitted = self._model.fit(counts[2 * self._bots :])
        self._shares, self._points, self._ratings = self._replicate()

    def estimates(self, bot: int) -> tuple[Estimate, Estimate, Estimate]:
        """Win share, points and rating of a bot."""
        games = self._tally.played[bot]
        values = (
            self._tally.shares[bot] / SHARE_UNIT / games,
            self._tally.points[bot] / games,
            float(elo(self._fitted)[bot]),
        )
        shares, points, ratings = (
            Estimate(
                value,
                *(bootstrap.interval(column[bot], int(self._observed[bot])) or (None, None)),
            )
            for value, column in zip(
                values, (self._shares, self._points, self._ratings), strict=True
            )
        )
        return shares, points, ratings

    def _deals(self) -> Iterator[tuple[Matrix, Matrix, list[bytes]]]:
        """Some deals at a time: their columns, their points by bot, and their names."""
        for records in self._tally.deals():
            names = records["deal"]
            starts = np.flatnonzero(np.r_[True, names[1:] != names[:-1]])
            pointers = np.r_[starts, len(names)]
            games: Matrix = sparse.csr_matrix(
                (np.ones(len(names)), records["result"].astype(np.int64), pointers),
                (len(starts), self._columns.matrix.shape[0]),
            )
            at_table = np.arange(records["bots"].shape[1]) < records["players"][:, None]
            seats = np.r_[0, np.cumsum(records["players"], dtype=np.int64)]
            points: Matrix = sparse.csr_matrix(
                (
                    records["points"][at_table].astype(float),
                    records["bots"][at_table].astype(np.int64),
                    seats[pointers],
                ),
                (len(starts), self._bots),
            )
            yield games @ self._columns.matrix, points, [bytes(name) for name in names[starts]]

    def _replicate(self) -> tuple[Floats, Floats, Floats]:
        """Win shares, points and ratings: a row a bot, a column a replicate."""
        bots, width = self._bots, self._columns.width
        shares, points, ratings = (np.empty((bots, bootstrap.REPLICATES)) for _ in range(3))
        batch = max(1, min(bootstrap.REPLICATES, _CELLS // width))
        for first in range(0, bootstrap.REPLICATES, batch):
            part = slice(first, min(first + batch, bootstrap.REPLICATES))
            columns = np.zeros((width, part.stop - first))
            scored = np.zeros((bots, part.stop - first))
            for deals, points_of_deals, names in self._deals():
                for start in range(0, len(names), _DEALS):
                    stop = start + _DEALS
                    weights = bootstrap.weights(names[start:stop])[:, part]
                    columns += deals[start:stop].T @ weights
                    scored += points_of_deals[start:stop].T @ weights
            games = np.where(columns[bots : 2 * bots] > 0, columns[bots : 2 * bots], np.nan)
            shares[:, part] = columns[:bots] / SHARE_UNIT / games
            points[:, part] = scored / games
            for column in range(columns.shape[1]):
                fitted = self._model.fit(columns[2 * bots :, column], self._fitted)
                ratings[:, first + column] = elo(fitted)
        return shares, points, ratings
