"""The schedule: fair by construction, and the same whoever asks for whichever part of it."""

from __future__ import annotations

import time
from collections import Counter
from itertools import combinations, islice, product

import pytest

from gonuts_cli.arena.schedule import Schedule
from gonuts_cli.errors import UsageError

SHAPES = [(2, 2), (3, 2), (4, 4), (5, 4), (6, 6), (7, 6), (8, 4), (13, 5), (20, 4), (9, 3)]


def counts(schedule: Schedule, deals: int) -> tuple[Counter, Counter, Counter]:
    """Deals a bot plays, deals a pair meets, deals a bot has another on its left."""
    plays: Counter = Counter()
    meets: Counter = Counter()
    left: Counter = Counter()
    for deal in range(deals):
        table = schedule.table(deal)
        plays.update(table)
        meets.update(combinations(sorted(table), 2))
        left.update(zip(table, table[1:] + table[:1], strict=True))
    return plays, meets, left


@pytest.mark.parametrize(("bots", "seats"), SHAPES)
def test_an_epoch_is_balanced(bots: int, seats: int) -> None:
    schedule = Schedule([None] * bots, seats)
    plays, meets, left = counts(schedule, schedule.epoch_deals)
    assert set(plays) == set(range(bots))
    assert len(set(plays.values())) == 1, "everybody plays the same number of deals"
    pairs = [meets[pair] for pair in combinations(range(bots), 2)]
    assert max(pairs) - min(pairs) <= 5
    mean = sum(pairs) / len(pairs)
    assert sum((count - mean) ** 2 for count in pairs) / len(pairs) <= 1
    lefts = [left[a, b] for a, b in product(range(bots), repeat=2) if a != b]
    assert max(lefts) - min(lefts) <= 3


@pytest.mark.parametrize("bots", [2, 3, 4, 5, 6])
def test_at_one_table_every_circular_order_comes_once_an_epoch(bots: int) -> None:
    schedule = Schedule([None] * bots, bots)
    orders = [schedule.table(deal) for deal in range(schedule.epoch_deals)]
    assert len(set(orders)) == len(orders)
    _, _, left = counts(schedule, schedule.epoch_deals)
    assert len(set(left.values())) == 1


@pytest.mark.parametrize(("bots", "seats"), [(8, 4), (20, 4), (13, 5)])
def test_what_is_uneven_does_not_add_up_over_epochs(bots: int, seats: int) -> None:
    schedule = Schedule([None] * bots, seats)
    _, meets, _ = counts(schedule, 20 * schedule.epoch_deals)
    pairs = [meets[pair] for pair in combinations(range(bots), 2)]
    mean = sum(pairs) / len(pairs)
    assert all(abs(count - mean) <= 0.05 * mean for count in pairs)


@pytest.mark.parametrize(("bots", "seats"), SHAPES)
def test_plays_differ_by_one_at_most_wherever_one_stops(bots: int, seats: int) -> None:
    schedule = Schedule([None] * bots, seats)
    plays: Counter = Counter(dict.fromkeys(range(bots), 0))
    for deal in range(min(2 * schedule.epoch_deals, 500)):
        plays.update(schedule.table(deal))
        assert max(plays.values()) - min(plays.values()) <= 1


@pytest.mark.parametrize(("bots", "seats"), SHAPES)
def test_every_bot_has_every_seat_once_a_deal(bots: int, seats: int) -> None:
    schedule = Schedule([None] * bots, seats)
    for deal in range(10):
        table = schedule.table(deal)
        assert len(set(table)) == seats
        seatings = [schedule.seating(deal, rotation) for rotation in range(seats)]
        for seat in range(seats):
            assert sorted(seating[seat] for seating in seatings) == sorted(table)
        circle = {*zip(table, table[1:] + table[:1], strict=True)}
        for seating in seatings:
            assert {*zip(seating, seating[1:] + seating[:1], strict=True)} == circle


def test_bots_of_one_team_never_meet() -> None:
    teams = ["ann", "ann", "bob", "bob", None, None, None, None]
    schedule = Schedule(teams, 4)
    plays, meets, _ = counts(schedule, 300)
    assert all(teams[a] is None or teams[a] != teams[b] for a, b in meets), (
        "no table has two of one team"
    )
    assert all(abs(count - 150) <= 5 for count in plays.values())
    assert all(
        meets[a, b]
        for a, b in combinations(range(8), 2)
        if teams[a] is None or teams[a] != teams[b]
    )


def test_a_team_too_big_for_equal_play_plays_all_it_can() -> None:
    schedule = Schedule(["ann", "ann", "ann", None, None, None], 3)
    plays, _, _ = counts(schedule, 300)
    assert plays[0] + plays[1] + plays[2] == 300, "one of them in every deal"
    assert all(abs(plays[bot] - (100 if bot < 3 else 200)) <= 5 for bot in range(6))


def test_a_name_of_a_team_is_not_taken_for_a_bot_without_one() -> None:
    assert Schedule(["1", None], 2).table(0) == (0, 1)


def test_a_table_that_cannot_be_filled_is_refused() -> None:
    with pytest.raises(UsageError, match="there are 3 bots"):
        Schedule([None] * 3, 4)
    with pytest.raises(UsageError, match="2 teams"):
        Schedule(["a", "a", "b"], 3)


def test_any_deal_can_be_asked_for_alone() -> None:
    whole = Schedule([None] * 9, 4)
    tables = [whole.table(deal) for deal in range(300)]
    for deal in (299, 0, 126, 125, 17):
        assert Schedule([None] * 9, 4).table(deal) == tables[deal]


def test_a_million_games_start_at_once() -> None:
    before = time.process_time()
    schedule = Schedule([None] * 30, 4)
    assert schedule.table(249_999)
    assert list(islice(schedule.games(250_000, (249_999, 2)), 9)) == [(249_999, 2), (249_999, 3)]
    assert time.process_time() - before < 1


def test_games_come_in_order() -> None:
    schedule = Schedule([None] * 3, 2)
    assert list(schedule.games(2)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert list(schedule.games(2, (0, 1))) == [(0, 1), (1, 0), (1, 1)]


def test_the_schedule_stays_what_it_was() -> None:
    """Folders of old tournaments go on only while this holds."""
    schedule = Schedule([None] * 6, 4)
    assert [schedule.table(deal) for deal in range(3)] == [(0, 1, 2, 4), (1, 3, 4, 5), (0, 2, 3, 5)]
