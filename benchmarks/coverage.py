"""Do the intervals hold the truth, and does `--stop-when-decided` keep quiet when there is nothing?

Plays many seeded tournaments of equal bots (every decision at random) with the real engine, and
puts each through the code that tournaments use: the bootstrap over deals and the betting test. With
four copies of one bot at a table the true win share is 0.25, whatever the game does.

    python benchmarks/coverage.py [--tournaments 2000] [--deals 50] [--processes N]

Takes about 150 s of processor time for the 400,000 games of the default. The figures are in
docs/tournaments.md.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from multiprocessing import Pool
from typing import NamedTuple

import numpy as np

from gonuts_cli.arena import bootstrap
from gonuts_cli.arena.outcome import SHARE_UNIT
from gonuts_cli.arena.schedule import Schedule
from gonuts_cli.arena.stopping import Race
from gonuts_cli.game import Game

BOTS = 4
CONFIDENCE = 0.95


class Found(NamedTuple):
    """What one tournament shows, by bot: does the interval hold the truth, and where it ends."""

    holds: list[bool]
    below: list[bool]
    width: float
    called: bool


def play(rng: random.Random, seed: str) -> list[int]:
    """The winners of one game of random choices."""
    game = Game(BOTS, seed)
    while not game.over:
        for decision in game.pending:
            game.choose(decision.player, rng.sample(decision.options, rng.choice(decision.counts)))
    return game.result.winners


def tournament(job: tuple[int, int]) -> Found:
    """Play one tournament and judge it as `gonuts tournament` would."""
    number, deals = job
    rng = random.Random(number)
    schedule = Schedule([None] * BOTS, BOTS)
    race = Race(BOTS, CONFIDENCE)
    called = False
    shares = np.zeros((BOTS, deals))
    for deal in range(deals):
        for rotation in range(BOTS):
            seating = schedule.seating(deal, rotation)
            winners = play(rng, f"{number}:{deal}:{rotation}")
            for seat in winners:
                shares[seating[seat], deal] += SHARE_UNIT // len(winners)
        race.add_deal(range(BOTS), [int(share) for share in shares[:, deal]])
        called = called or race.decided()
    weights = bootstrap.weights([f"{number}:{deal}".encode() for deal in range(deals)])
    games = weights.sum(axis=0) * BOTS
    found = [bootstrap.interval(row @ weights / SHARE_UNIT / games, deals) for row in shares]
    intervals = [interval for interval in found if interval is not None]
    return Found(
        [low <= 1 / BOTS <= high for low, high in intervals],
        [high < 1 / BOTS for _, high in intervals],
        float(np.mean([high - low for low, high in intervals])),
        called,
    )


def main() -> None:
    """Run them all and print the figures."""
    parser = argparse.ArgumentParser(description="Coverage of intervals and of the stopping rule.")
    parser.add_argument("--tournaments", type=int, default=2000)
    parser.add_argument("--deals", type=int, default=50)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    began = time.monotonic()
    jobs = [(number, asked.deals) for number in range(asked.tournaments)]
    with Pool(asked.processes) as pool:
        found = pool.map(tournament, jobs, chunksize=8)
    holds = np.array([one.holds for one in found])
    below = np.array([one.below for one in found])
    # The four intervals of a tournament depend on each other: a tournament is one observation.
    error = holds.mean(axis=1).std(ddof=1) / len(found) ** 0.5
    print(f"{len(found)} tournaments of {asked.deals} deals of {BOTS} equal bots")
    print(f"95% interval of win share holds {1 / BOTS}: {holds.mean():.2%} (± {2 * error:.2%})")
    print(f"it lies below in {below.mean():.2%}, above in {1 - holds.mean() - below.mean():.2%}")
    print(f"its mean width: {np.mean([one.width for one in found]):.4f}")
    print(f"--stop-when-decided {CONFIDENCE} called: {np.mean([one.called for one in found]):.2%}")
    print(f"{time.monotonic() - began:.0f} s with {asked.processes} processes")


if __name__ == "__main__":
    main()
