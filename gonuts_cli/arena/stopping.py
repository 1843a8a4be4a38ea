"""`--stop-when-decided`: is the order of the first two settled, looked at after every deal?

The test is a betting one, valid however often one looks (Waudby-Smith and Ramdas, "Estimating means
of bounded random variables by betting", JRSS B 2024; Ville's inequality). For every ordered pair of
bots (a, b) a gambler starts with 1 and bets before each deal that both play in that a takes more
of its wins than b: with D in [-1, 1] the difference of their win shares in that deal, a stake s
turns wealth w into w·(1 + s·D). As long as a is not the better one, wealth is a supermartingale and
ever reaches c with a chance of at most 1/c. The stake that suits is not known beforehand, so the
first 1 is spread over several stakes (the method of mixtures).

Which two are first is not known beforehand either: for n bots there are n·(n-1) ordered pairs that
could be declared, so c is n·(n-1) / (1-P). Then the chance that a wrong order is ever declared, for
any pair at any time, is at most 1-P (a union bound). Sums and products only: the same on every
machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gonuts_cli.arena.outcome import SHARE_UNIT

_STAKES = np.array([0.04, 0.08, 0.16, 0.3, 0.5, 0.75])
_ENOUGH = 1e100  # wealth is cut here, so that it cannot overflow; cutting keeps it valid


class Race:
    """Who leads, and whether that is settled with confidence `confidence` (between 0 and 1)."""

    def __init__(self, bots: int, confidence: float) -> None:
        self._needed = bots * (bots - 1) / (1 - confidence) if confidence < 1 else float("inf")
        self._wealth = np.ones((bots, bots, len(_STAKES)))
        self._shares = [0] * bots
        self._games = [0] * bots

    def add_deal(self, table: Sequence[int], shares: Sequence[int]) -> None:
        """Count one whole deal: the bots of a table, each with its 60ths of all the deal's games.

        As many games are in the deal as bots are at the table.
        """
        games = len(table)
        difference = np.subtract.outer(shares, shares) / (games * SHARE_UNIT)
        pairs = np.ix_(table, table)
        grown = self._wealth[pairs] * (1 + difference[:, :, None] * _STAKES)
        self._wealth[pairs] = np.minimum(grown, _ENOUGH)
        for bot, share in zip(table, shares, strict=True):
            self._shares[bot] += share
            self._games[bot] += games

    def leaders(self) -> tuple[int, int]:
        """The bots that are first and second by win share so far."""
        order = sorted(
            range(len(self._games)),
            key=lambda bot: self._shares[bot] / (self._games[bot] or 1),
            reverse=True,
        )
        return order[0], order[1]

    def evidence(self) -> float:
        """How far the first two are from settled: 1 and more is settled."""
        first, second = self.leaders()
        return float(self._wealth[first, second].sum()) / len(_STAKES) / self._needed

    def decided(self) -> bool:
        """Whether the order of the first two is settled."""
        return self.evidence() >= 1
