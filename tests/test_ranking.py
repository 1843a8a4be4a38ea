"""Ranking: exact sums, Plackett-Luce as the library fits it, intervals by deals."""

from __future__ import annotations

import json
import random
from collections import Counter
from math import log
from pathlib import Path

import choix
import numpy as np
import pytest

from gonuts_cli.arena import bootstrap
from gonuts_cli.arena.outcome import Outcome, points_by_kind, read_outcome
from gonuts_cli.arena.plackett_luce import Pick, PlackettLuce, elo, picks_of
from gonuts_cli.arena.ranking import Ranking, rank
from gonuts_cli.arena.tally import Tally
from gonuts_cli.errors import UnreadableInput
from gonuts_cli.game import Game
from gonuts_cli.log.decode import Header
from gonuts_cli.rules.rulings import Rulings
from gonuts_cli.rules.scoring import winners

VECTORS = Path(__file__).parent / "vectors" / "games"


def outcome(
    names: list[str],
    scores: list[int],
    *,
    deal: int | None = None,
    cards: list[int] | None = None,
    faults: dict[int, dict[str, int]] | None = None,
) -> Outcome:
    """A game that ended so; each has a commitment of its own."""
    tags = {} if deal is None else {"deal": str(deal), "tournament": "t"}
    commitment = f"{outcome.number:064x}"  # type: ignore[attr-defined]
    outcome.number += 1  # type: ignore[attr-defined]
    counted = cards or [5] * len(names)
    charged = tuple(Counter((faults or {}).get(seat, {})) for seat in range(len(names)))
    header = Header(names, Rulings(), "g", commitment, tags)
    result = Outcome(header, tuple(scores), tuple(counted), (), charged)
    out = [seat for seat in range(len(names)) if result.is_out(seat)]
    return result._replace(winners=tuple(winners(scores, counted, out)))


outcome.number = 0  # type: ignore[attr-defined]


def ranking(outcomes: list[Outcome]) -> Ranking:
    tally = Tally()
    for one in outcomes:
        tally.add(one)
    return rank(tally)


@pytest.mark.parametrize("path", sorted(VECTORS.glob("*.log.jsonl")), ids=lambda path: path.name)
def test_an_outcome_is_what_the_game_says(path: Path) -> None:
    data = path.read_bytes()
    game = Game.replay(data)
    read = read_outcome(data)
    assert read.scores == tuple(game.result.scores)
    assert read.cards == tuple(game.result.cards)
    assert read.winners == tuple(game.result.winners)
    seats = range(game.players)
    assert [read.is_out(seat) for seat in seats] == [game.is_out(seat) for seat in seats]
    for seat in seats:
        counted = Counter(read.faults[seat])
        counted.pop("disqualified", None)
        assert counted == Counter(game.faults[seat])
    assert [sum(kinds.values()) for kinds in points_by_kind(data, read.header)] == list(read.scores)
    assert set(read.places()[0]) == set(read.winners)


def test_what_names_and_tags_hold_is_not_taken_for_lines() -> None:
    evil = '","fault":"crashed"}{"event":"decided","player":0,"x":1'
    tags = {
        'a"card': "milk",
        "from": "deck",
        "to": "tableau:0",
        'z{"event":"decided","player":0,"fault': "crashed",
    }
    game = Game(names=[evil, "b"], seed="1", tags=tags)
    while game.pending:
        for decision in game.pending:
            game.choose(decision.player, decision.options[: decision.counts[0]])
    data = game.log()
    read = read_outcome(data)
    assert read.faults == (Counter(), Counter())
    assert [sum(k.values()) for k in points_by_kind(data, read.header)] == list(read.scores)


@pytest.mark.parametrize("points", [10_001, -(10**9)])
def test_points_that_no_game_brings_are_refused(points: int) -> None:
    data = (VECTORS / "2p-0.log.jsonl").read_bytes()
    line = data.splitlines()[-1]
    ending = {**json.loads(line), "scores": [0, points]}
    with pytest.raises(UnreadableInput, match="nobody can have"):
        read_outcome(data.replace(line, json.dumps(ending).encode()))


@pytest.mark.parametrize("winners", [[77], [0, 0], [1, 0], [-1]])
def test_winners_that_are_no_seats_are_refused(winners: list[int]) -> None:
    data = (VECTORS / "2p-0.log.jsonl").read_bytes()
    line = data.splitlines()[-1]
    ending = {**json.loads(line), "winners": winners}
    with pytest.raises(UnreadableInput, match="are not seats"):
        read_outcome(data.replace(line, json.dumps(ending).encode()))


@pytest.mark.parametrize(
    ("old", "new"), [(b'"to":"tableau:1"', b'"to":"tableau:9"'), (b'"card":"plain"', b'"card":"x"')]
)
def test_moves_that_no_game_has_are_refused(old: bytes, new: bytes) -> None:
    data = (VECTORS / "2p-0.log.jsonl").read_bytes()
    header = read_outcome(data).header
    with pytest.raises(UnreadableInput, match="a card moves"):
        points_by_kind(data.replace(old, new), header)


def test_records_are_read_as_they_were_written() -> None:
    tally = Tally()
    tally.add(outcome(["a", "b", "c"], [-7, 300, 20]))
    tally.add(outcome(["d", "b"], [-10_000, 10_000]))
    first, second = np.concatenate(list(tally.chunks()))
    assert first["bots"].tolist() == [0, 1, 2, 0, 0, 0]
    assert first["points"].tolist() == [-7, 300, 20, 0, 0, 0]
    assert (first["players"], first["result"]) == (3, 0)
    assert second["bots"].tolist() == [3, 1, 0, 0, 0, 0]
    assert second["points"].tolist() == [-10_000, 10_000, 0, 0, 0, 0]
    assert (second["players"], second["result"]) == (2, 1)
    assert first["deal"] != second["deal"]


def test_places_follow_points_then_cards_and_the_out_are_last() -> None:
    names = ["a", "b", "c", "d"]
    assert outcome(names, [5, 9, 5, 5], cards=[4, 4, 6, 4]).places() == ((1,), (2,), (0, 3))
    out = outcome(
        names, [50, 9, 5, 40], faults={0: {"timeout": 2, "illegal": 1}, 3: {"crashed": 1}}
    )
    assert out.places() == ((1,), (2,), (0, 3))
    assert not outcome(names, [1] * 4, faults={0: {"timeout": 2}}).is_out(0)


def test_a_shared_win_counts_in_parts() -> None:
    ranked = ranking([outcome(["a", "b", "c"], [4, 4, 1]), outcome(["a", "b", "c"], [4, 3, 1])])
    assert [(s.name, s.win_share.value) for s in ranked.standings] == [
        ("a", 0.75),
        ("b", 0.25),
        ("c", 0.0),
    ]
    assert ranked.ahead == [[0, 1.5, 2], [0.5, 0, 2], [0, 0, 0]]


def test_when_all_are_out_nobody_wins() -> None:
    broken = {seat: {"no_start": 1} for seat in range(2)}
    ranked = ranking([outcome(["a", "b"], [3, 2], faults=broken) for _ in range(3)])
    assert [s.win_share.value for s in ranked.standings] == [0, 0]
    assert [s.rating.value for s in ranked.standings] == pytest.approx([1500, 1500])
    assert ranked.standings[0].faults["no_start"] == 3


def test_the_fit_is_that_of_the_library_over_all_games() -> None:
    rng = np.random.default_rng(7)
    strengths = rng.normal(0, 0.7, 6)
    rankings = [
        tuple(int(bot) for bot in choix.compare(rng.choice(6, 4, replace=False), strengths, True))
        for _ in range(300)
    ]
    counts: Counter[Pick] = Counter()
    for order in rankings:
        counts.update({pick: int(n) for pick, n in picks_of([[bot] for bot in order]).items()})
    fitted = PlackettLuce(6, list(counts)).fit(np.array(list(counts.values()), float))
    virtual = [pair for bot in range(6) for pair in ((bot, 6), (6, bot))]
    expected = choix.opt_rankings(7, rankings + virtual, alpha=0, tol=1e-9)
    assert fitted - fitted.mean() == pytest.approx(expected - expected.mean(), abs=1e-4)


def test_level_players_count_as_all_their_orders() -> None:
    assert picks_of([[0, 1]]) == {Pick(0, (0, 1)): 0.5, Pick(1, (0, 1)): 0.5}
    picks = picks_of([[3], [0, 1, 2]])
    assert picks[Pick(3, (0, 1, 2, 3))] == 1
    assert picks[Pick(0, (0, 1, 2))] == pytest.approx(1 / 3)
    assert picks[Pick(0, (0, 1))] == pytest.approx(1 / 6)
    assert sum(picks.values()) == pytest.approx(3)


def test_two_bots_have_the_rating_that_can_be_worked_out_by_hand() -> None:
    """With s the strength of a and 1/s that of b, the average player being 1 between them, seven
    games to one and the virtual ones: 7 + 1 = 8·s²/(s²+1) + 2·s/(s+1), by bisection."""
    low, high = 1.0, 100.0
    for _ in range(100):
        s = (low + high) / 2
        short = 8 * s * s / (s * s + 1) + 2 * s / (s + 1) < 8
        low, high = (s, high) if short else (low, s)
    games = [outcome(["a", "b"], [1, 0])] * 7 + [outcome(["a", "b"], [0, 1])]
    a, b = ranking(games).standings
    assert a.rating.value == pytest.approx(1500 + 400 * log(s, 10), abs=0.01)
    assert a.rating.value + b.rating.value == pytest.approx(3000)


def test_a_bot_that_always_loses_has_a_rating() -> None:
    games = [outcome(["a", "b", "c"], [3, 2, 1], deal=deal) for deal in range(30)]
    a, b, c = ranking(games).standings
    assert a.rating.value > b.rating.value > c.rating.value
    assert np.isfinite([a.rating.high or np.nan, c.rating.low or np.nan]).all()


def test_the_order_of_games_changes_nothing() -> None:
    rng = random.Random(3)
    games = [
        outcome(["a", "b", "c"], [rng.randrange(4) for _ in range(3)], deal=deal)
        for deal in range(20)
        for _ in range(3)
    ]
    first = ranking(games)
    again = ranking(games[30:] + games[:30])
    for x, y in zip(first.standings, again.standings, strict=True):
        assert x.name == y.name
        assert x.win_share == y.win_share
        assert x.points == y.points
        assert x.rating == pytest.approx(y.rating, abs=1e-3)


def test_a_deal_is_one_observation() -> None:
    """Four copies of one game in each deal tell no more than one: the interval is as wide."""
    rng = random.Random(5)
    scores = [[rng.randrange(9) for _ in range(2)] for _ in range(40)]
    once = ranking([outcome(["a", "b"], s, deal=deal) for deal, s in enumerate(scores)])
    copies = [outcome(["a", "b"], s, deal=deal) for deal, s in enumerate(scores) for _ in range(4)]
    fourfold = ranking(copies)
    assert fourfold.deals == once.deals == 40
    assert fourfold.standings[0].points == once.standings[0].points
    alone = ranking([one._replace(header=one.header._replace(tags={})) for one in copies])
    assert alone.deals == 160
    width = [s.points.high - s.points.low for s in (once.standings[0], alone.standings[0])]  # type: ignore[operator]
    assert width[1] < 0.6 * width[0]


@pytest.mark.parametrize("table", [3, 5, 6])
def test_deals_are_counted_once_in_however_many_games(table: int) -> None:
    """More than are read at once, of which none but 2 and 4 at a table makes whole deals."""
    names = [f"bot {seat}" for seat in range(table)]
    games = [
        outcome(names, [seat + rotation for seat in range(table)], deal=deal)
        for deal in range(2100 // table)
        for rotation in range(table)
    ]
    in_order = ranking(games)
    assert in_order.deals == 2100 // table
    random.Random(1).shuffle(games)
    assert ranking(games).deals == 2100 // table


def test_games_of_one_deal_without_end_are_one_deal() -> None:
    found = ranking([outcome(["a", "b"], [1, 0], deal=0)] * 9000)
    assert found.deals == 1
    assert found.standings[0].points.low is None


def test_one_deal_has_no_interval() -> None:
    (a, _) = ranking([outcome(["a", "b"], [1, 0], deal=0)] * 2).standings
    assert a.win_share == (1.0, None, None)


def test_no_games_give_no_standings() -> None:
    assert ranking([]) == ([], 0, 0, None, [])


def test_bootstrap_weights_have_the_moments_of_poisson() -> None:
    weights = bootstrap.weights([str(deal).encode() for deal in range(200)])
    assert weights.shape == (200, bootstrap.REPLICATES)
    assert weights.mean() == pytest.approx(1, abs=0.01)
    assert weights.var() == pytest.approx(1, abs=0.01)


def test_an_interval_of_normal_means_is_that_of_student() -> None:
    values = np.random.default_rng(1).normal(size=30)
    weights = bootstrap.weights([str(deal).encode() for deal in range(30)])
    means = values @ weights / weights.sum(axis=0)
    interval = bootstrap.interval(means, 30)
    assert interval is not None
    half = 2.045 * values.std(ddof=1) / 30**0.5
    assert interval == pytest.approx((values.mean() - half, values.mean() + half), abs=0.06)


def test_elo_has_its_mean_at_1500() -> None:
    assert elo(np.array([0.0, log(10), 3.0])) == pytest.approx([1300, 1700])
