"""95% intervals by a bootstrap over deals.

A deal, not a game, is one observation: its games share their bots and their order. Each replicate
gives every deal a weight that is Poisson with mean 1 (the usual resampling, without having to know
beforehand how many deals there will be). A deal's weights follow from its name alone, so results
depend neither on the order of games nor on anything random, and nothing is kept for a deal.

A plain percentile interval of n observations is too narrow, by about the factor between a normal
and a t distribution and by that of dividing by n instead of n - 1. The percentiles are moved out by
just that (Hesterberg, "What teachers should know about the bootstrap", 2015: the expanded
percentile interval).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from math import exp, factorial, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

Floats = NDArray[np.float64]

REPLICATES = 2000
LEVEL = 0.95


def _poisson_table() -> NDArray[np.uint8]:
    """Sixteen random bits to a Poisson number with mean 1."""
    edges: list[int] = []
    reached = 0.0
    for count in range(9):  # a ninth and further ones have less than one part in 65536
        reached += exp(-1) / factorial(count)
        edges.append(round(reached * 65536))
    return np.searchsorted(np.array(edges), np.arange(65536), side="right").astype(np.uint8)


_POISSON = _poisson_table()


def weights(deals: Iterable[bytes]) -> Floats:
    """A row of REPLICATES weights for each deal, from the deal's name."""
    length = 2 * REPLICATES
    rows = b"".join(hashlib.shake_128(b"gonuts-bootstrap/1:" + d).digest(length) for d in deals)
    table: Floats = _POISSON[np.frombuffer(rows, "<u2")].astype(np.float64)
    return table.reshape(-1, REPLICATES)


def interval(replicates: Floats, observations: int) -> tuple[float, float] | None:
    """The 95% interval of a figure from its replicates; None from less than two observations.

    Replicates in which the figure does not exist (nothing was drawn) are NaN.
    """
    exist = np.sort(replicates[~np.isnan(replicates)])
    if observations < 2 or not len(exist):
        return None
    t = stdtrit(observations - 1, (1 + LEVEL) / 2)
    tail = float(ndtr(-t * sqrt(observations / (observations - 1))))
    low, high = np.quantile(exist, [tail, 1 - tail])
    return float(low), float(high)
