"""Ratings: the Plackett-Luce model, fitted to how often what happened rather than to every game.

In this model a game picks its first among all players with chances in proportion to their
strengths, then its second among the rest, and so on. A pick is a bot and the set it was picked
from; only how often each pick happened matters, so a million games cost as much as their few
different picks. Players that are level count as all their orders, in equal parts.

The fit is Luce Spectral Ranking, repeated until it stands still (Maystre and Grossglauser, 2015):
the maximum of the likelihood as the stationary distribution of a Markov chain, with `choix`. An
average player that has lost once to and won once against every bot keeps the ratings of those
who always win or lose finite.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb, log
from typing import NamedTuple

import numpy as np
from choix.convergence import NormOfDifferenceTest
from choix.utils import log_transform, statdist
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MEAN = 1500
SCALE = 400 / log(10)  # Elo: 400 points are odds of ten to one
_TOLERANCE = 1e-7  # of a strength's logarithm: a hundred-thousandth of an Elo point
_LONGEST = 1000  # iterations; the virtual games keep it far below


class Pick(NamedTuple):
    """`winner` was placed before all others of `among` (ascending, itself included)."""

    winner: int
    among: tuple[int, ...]


def picks_of(places: Sequence[Sequence[int]]) -> dict[Pick, float]:
    """The picks of one game, from its bots in order of place, those that are level together.

    >>> picks_of([[2], [0, 1]])
    {Pick(winner=2, among=(0, 1, 2)): 1.0, Pick(winner=0, among=(0, 1)): 0.5, \
Pick(winner=1, among=(0, 1)): 0.5}
    """
    picks: dict[Pick, float] = {}
    rest = {bot for group in places for bot in group}
    for group in places:
        # Of all orders of a group of g, those in which a given set of t comes first are
        # 1 / comb(g, t); each of the g - t others then comes next in an equal part of them.
        for taken in range(len(group)):
            part = 1 / (comb(len(group), taken) * (len(group) - taken))
            for gone in combinations(group, taken):
                among = tuple(sorted(rest.difference(gone)))
                if len(among) > 1:
                    for bot in group:
                        if bot not in gone:
                            pick = Pick(bot, among)
                            picks[pick] = picks.get(pick, 0) + part
        rest.difference_update(group)
    return picks


class PlackettLuce:
    """The model of `bots` bots over the given picks: fits ratings to how often each happened."""

    def __init__(self, bots: int, picks: Sequence[Pick]) -> None:
        self.bots = bots
        average = bots  # the average player is one more item
        virtual = [Pick(who, (bot, average)) for bot in range(bots) for who in (bot, average)]
        everything = [*picks, *virtual]
        sets: dict[tuple[int, ...], int] = {}
        for pick in everything:
            sets.setdefault(pick.among, len(sets))
        self._virtual = np.ones(len(virtual))
        self._set_of_pick = np.array([sets[pick.among] for pick in everything])
        # Sets as rows of items, filled up with an item that has no strength.
        widest = max(len(among) for among in sets)
        nobody = bots + 1
        self._members = np.array([[*s, *[nobody] * (widest - len(s))] for s in sets])
        flows = [
            (number, loser * nobody + pick.winner)
            for number, pick in enumerate(everything)
            for loser in pick.among
            if loser != pick.winner
        ]
        self._pick_of_flow, self._cell_of_flow = np.array(flows).T

    def fit(self, counts: Floats, start: Floats | None = None) -> Floats:
        """The logarithms of strengths, the average player's last, for counts of the picks given.

        Starting from an earlier fit saves iterations. Raises RuntimeError should it not settle.
        """
        items = self.bots + 1
        weights = np.concatenate([counts, self._virtual])
        fitted: Floats = np.zeros(items) if start is None else start
        settled = NormOfDifferenceTest(_TOLERANCE)
        for _ in range(_LONGEST):
            strengths = np.append(np.exp(fitted), 0.0)
            rates = weights / strengths[self._members].sum(axis=1)[self._set_of_pick]
            chain = np.bincount(
                self._cell_of_flow, weights=rates[self._pick_of_flow], minlength=items * items
            ).reshape(items, items)
            chain -= np.diag(chain.sum(axis=1))
            fitted = log_transform(statdist(chain))
            if settled(fitted):
                return fitted
        raise RuntimeError("the ratings did not settle")


def elo(fitted: Floats) -> Floats:
    """Elo ratings of the bots, their mean 1500, from a fit."""
    bots: Floats = fitted[:-1]
    ratings: Floats = MEAN + SCALE * (bots - bots.mean())
    return ratings
