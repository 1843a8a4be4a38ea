"""`--stop-when-decided`: settled orders are found, and equal bots are not told apart."""

from __future__ import annotations

import random

import pytest

from gonuts_cli.arena.outcome import SHARE_UNIT
from gonuts_cli.arena.stopping import Race


def deal(rng: random.Random, chances: list[float]) -> list[int]:
    """The 60ths that each bot takes of a deal of as many games as there are bots."""
    winners = rng.choices(range(len(chances)), chances, k=len(chances))
    return [SHARE_UNIT * winners.count(bot) for bot in range(len(chances))]


def first_stop(chances: list[float], deals: int, seed: int, confidence: float = 0.95) -> int | None:
    """After how many deals the race is decided; None if it is not."""
    rng = random.Random(seed)
    race = Race(len(chances), confidence)
    for number in range(1, deals + 1):
        race.add_deal(range(len(chances)), deal(rng, chances))
        if race.decided():
            return number
    return None


def test_a_clear_lead_is_settled_soon() -> None:
    stops = [first_stop([0.6, 0.2, 0.1, 0.1], 200, seed) for seed in range(20)]
    assert all(stop is not None for stop in stops)
    assert sorted(stop for stop in stops if stop)[10] < 60


def test_equal_bots_are_hardly_ever_told_apart() -> None:
    """The bound is 5% over any number of deals; here it is looked at after each of 100."""
    wrong = sum(first_stop([0.25] * 4, 100, seed) is not None for seed in range(200))
    assert wrong <= 10


def test_an_even_lower_confidence_keeps_its_promise() -> None:
    wrong = sum(first_stop([0.5, 0.5], 100, seed, 0.5) is not None for seed in range(200))
    assert wrong <= 100


def test_a_leader_that_always_wins_is_settled_although_wealth_grows_without_end() -> None:
    race = Race(2, 0.95)
    for _ in range(5000):
        race.add_deal((0, 1), (120, 0))
    assert race.decided()
    assert race.leaders() == (0, 1)


def test_only_deals_that_both_play_count() -> None:
    """Bot 2 beats bot 1 at other tables, bot 0 does nothing there: nothing is settled."""
    race = Race(3, 0.95)
    for _ in range(200):
        race.add_deal((0, 1), (60, 60))
    assert not race.decided()
    assert race.evidence() == pytest.approx(0.05 / 6)


def test_certainty_is_never_reached() -> None:
    race = Race(2, 1.0)
    for _ in range(100):
        race.add_deal((0, 1), (120, 0))
    assert not race.decided()
