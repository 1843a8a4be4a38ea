"""The score audit: what it must find, and that it is a second opinion."""

from __future__ import annotations

import ast
import json
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gonuts_cli import Game
from gonuts_cli.log import audit
from gonuts_cli.log.audit import audit_game, count_points, count_winners

VECTORS = Path(__file__).parent / "vectors"
GAMES = sorted((VECTORS / "games").glob("*.log.jsonl"))
FAULTY = [path for path in GAMES if "faulty" in path.name]


def lines_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


def log_of(lines: list[dict]) -> bytes:
    return b"".join(
        json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        for line in lines
    )


def where_cards_are(lines: list[dict], until: int) -> dict[str, Counter]:
    """The zones just before line `until`, the deck left out: followed in the simplest way."""
    zones: dict[str, Counter] = {}
    for line in lines[:until]:
        if line["event"] == "moved":
            zones.setdefault(line["from"], Counter())[line["card"]] -= 1
            zones.setdefault(line["to"], Counter())[line["card"]] += 1
    zones.pop("deck", None)
    return zones


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.name)
def test_a_good_game_is_counted_as_recorded(path: Path) -> None:
    lines = lines_of(path)
    counted = audit_game(path.read_bytes(), first_line=7)
    assert (counted.ok, counted.error, counted.message, counted.line) == (True, None, None, 7)
    assert counted.game == lines[0]["game"]
    assert list(counted.players) == lines[0]["players"]
    assert list(counted.scores) == list(counted.recorded) == lines[-1]["scores"]
    assert list(counted.winners) == lines[-1]["winners"]
    assert [sum(points.values()) for points in counted.points] == lines[-1]["scores"]
    assert [sum(tableau.values()) for tableau in counted.tableaus] == lines[-1]["cards"]


@pytest.mark.parametrize("line", (VECTORS / "scores.jsonl").read_text().splitlines())
def test_points_are_those_of_the_vectors(line: str) -> None:
    vector = json.loads(line)
    tie = vector["rulings"].get("maple_frosted_tie", "shared")
    assert count_points(vector["tableaus"], maple_frosted_tie=tie) == vector["points"]


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.name)
@pytest.mark.parametrize("key", ["scores", "cards", "winners"])
def test_every_forged_number_is_found(path: Path, key: str) -> None:
    lines = lines_of(path)
    numbers = lines[-1][key]
    forgeries: list[object] = [None, {}, [*numbers, 0], [*numbers, numbers[0]], [True] * 2]
    forgeries += [numbers[:-1], [float(number) for number in numbers]]
    forgeries += [
        [*numbers[:at], numbers[at] + by, *numbers[at + 1 :]]
        for at in range(len(numbers))
        for by in (-3, -1, 1, 1000, 10**30)
    ]
    if len(set(numbers)) > 1:
        forgeries.append([*numbers[1:], numbers[0]])
    for forgery in forgeries:
        forged = [*lines[:-1], {**lines[-1], key: forgery}]
        counted = audit_game(log_of(forged))
        assert not counted.ok, forgery
        assert counted.line == len(lines)
        assert counted.error in (key, "broken")
        assert counted.message


@given(data=st.data())
def test_a_card_that_is_not_where_its_move_says_is_found(data: st.DataObject) -> None:
    lines = lines_of(data.draw(st.sampled_from(GAMES)))
    moves = [at for at, line in enumerate(lines) if line["event"] == "moved"]
    at = data.draw(st.sampled_from(moves))
    zones = where_cards_are(lines, at)
    players = len(lines[0]["players"])
    everywhere = ["discard", *(f"tableau:{seat}" for seat in range(players))]
    everywhere += [f"row:{position}" for position in range(1, players + 2)]
    card = lines[at]["card"]
    wrong = [zone for zone in everywhere if zones.get(zone, Counter())[card] < 1]
    nowhere = ["tableau:6", "row:0", "row:01", "hand", "", "DECK", f"row:{players + 2}"]
    source = data.draw(st.sampled_from(wrong + nowhere))
    lines[at]["from"] = source
    counted = audit_game(log_of(lines))
    assert (counted.ok, counted.error, counted.line) == (False, "move", at + 1)


@given(data=st.data())
def test_a_move_to_where_no_card_can_go_is_found(data: st.DataObject) -> None:
    lines = lines_of(data.draw(st.sampled_from(GAMES)))
    at = data.draw(
        st.sampled_from([at for at, line in enumerate(lines) if line["event"] == "moved"])
    )
    zones = where_cards_are(lines, at)
    taken = [
        zone for zone, held in zones.items() if zone.startswith("row:") and +held and held.total()
    ]
    taken = [zone for zone in taken if zone != lines[at]["from"]]
    lines[at]["to"] = data.draw(st.sampled_from([*taken, "deck", "tableau:9", "row:0", "bin"]))
    counted = audit_game(log_of(lines))
    assert (counted.ok, counted.error, counted.line) == (False, "move", at + 1)


@given(data=st.data())
def test_a_card_that_the_deck_never_had_is_found(data: st.DataObject) -> None:
    """One more copy of a kind than the deck holds, put in place of cards that end unscored."""
    path = data.draw(st.sampled_from([path for path in GAMES if path.name.startswith("2p")]))
    lines = lines_of(path)
    draws = [
        at for at, line in enumerate(lines) if line["event"] == "moved" and line["from"] == "deck"
    ]
    at = data.draw(st.sampled_from(draws))
    lines[at]["card"] = data.draw(st.sampled_from(["milk", "boston_cream", "coffee", "muffin"]))
    counted = audit_game(log_of(lines))
    assert (counted.ok, counted.error, counted.line) == (False, "move", at + 1)


def test_a_deck_has_only_so_many_copies() -> None:
    lines = lines_of(GAMES[0])
    for line in lines:
        if line["event"] == "moved":
            line["card"] = "maple_bar"
    counted = audit_game(log_of(lines))
    third = [at for at, line in enumerate(lines) if line.get("from") == "deck"][2]
    assert (counted.error, counted.line) == ("move", third + 1)
    assert counted.message is not None
    assert "a deck for 2 has 2 of it" in counted.message


@pytest.mark.parametrize("at", range(0, 130, 7))
def test_a_game_that_ends_too_soon_is_incomplete(at: int) -> None:
    whole = GAMES[0].read_bytes().splitlines(keepends=True)
    for cut, line in (
        (b"".join(whole[:at]), at + 1),
        (b"".join(whole[:at]) + whole[at][:9], at + 1),
    ):
        counted = audit_game(cut)
        assert (counted.ok, counted.error) == (False, "incomplete")
        assert counted.line == line
        assert counted.game == (audit_game(b"".join(whole)).game if at else None)


def test_the_first_line_at_fault_is_told_also_of_a_log_that_breaks_off() -> None:
    whole = GAMES[0].read_bytes().splitlines(keepends=True)
    whole[3] = whole[3].replace(b'"from":"deck"', b'"from":"discard"')
    counted = audit_game(b"".join(whole[:60]) + whole[60][:9])
    assert (counted.error, counted.line) == ("move", 4)
    glued = audit_game(GAMES[0].read_bytes() + b'{"event"')
    assert (glued.error, glued.line) == ("broken", len(whole) + 1)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\x00",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"event":"moved"}',
        b'{"event":"moved","card":1,"from":"deck","to":"row:1"}',
        b'{"event":"decided","fault":3}',
        b'{"event":"decided","player":true,"fault":"timeout"}',
        b'{"event":"decided","player":0,"fault":"tired"}',
        b'{"event":"decided","player":9,"fault":"timeout"}',
        b'{"event":"round_started","round":' + b"9" * 10_000 + b"}",
        b'{"event":"hello"}',
        b'"moved"',
        b"nonsense",
    ],
)
def test_a_line_that_says_nothing_is_broken(line: bytes) -> None:
    whole = GAMES[0].read_bytes().splitlines(keepends=True)
    counted = audit_game(b"".join([*whole[:4], line + b"\n", *whole[4:]]))
    assert (counted.ok, counted.error, counted.line) == (False, "broken", 5)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"format": "gonuts-log/2"}, "format"),
        ({"rules": "gonuts-rules/2"}, "format"),
        ({"players": ["alone"]}, "broken"),
        ({"players": "ab"}, "broken"),
        ({"players": [1, 2]}, "broken"),
        ({"players": list("abcdefg")}, "broken"),
        ({"rulings": []}, "broken"),
        ({"rulings": {"maple_frosted_tie": "maybe"}}, "broken"),
        ({"event": "game_ended"}, "broken"),
    ],
)
def test_a_first_line_that_makes_no_table(change: dict, error: str) -> None:
    lines = lines_of(GAMES[0])
    counted = audit_game(log_of([{**lines[0], **change}, *lines[1:]]))
    assert (counted.ok, counted.error, counted.line) == (False, error, 1)


def test_nothing_stands_after_the_end() -> None:
    whole = GAMES[0].read_bytes()
    counted = audit_game(whole + b'{"event":"round_started","round":99}\n')
    assert (counted.ok, counted.error, counted.line) == (False, "broken", whole.count(b"\n") + 1)


def test_a_seat_that_was_put_out_cannot_win() -> None:
    lines = lines_of(GAMES[0])
    winner = lines[-1]["winners"][0]
    other = 1 - winner
    bids = [at for at, line in enumerate(lines) if line.get("player") == winner]
    for words in (["timeout", "malformed", "illegal"], ["crashed"], ["flooded"], ["no_start"]):
        faulty = [dict(line) for line in lines]
        for at, word in zip(bids, words, strict=False):
            faulty[at]["fault"] = word
        assert audit_game(log_of(faulty)).error == "winners"
        faulty[-1]["winners"] = [other]
        assert audit_game(log_of(faulty)).ok
        if len(words) > 1:
            del faulty[bids[0]]["fault"]
            faulty[-1]["winners"] = [winner]
            assert audit_game(log_of(faulty)).ok, "two faults put nobody out"


def test_winners() -> None:
    assert count_winners([5, 7, 7], [9, 3, 4], frozenset()) == (2,)
    assert count_winners([7, 7, 7], [4, 3, 4], frozenset()) == (0, 2)
    assert count_winners([5, 7, 6], [1, 1, 1], frozenset({1})) == (2,)
    assert count_winners([5, 7], [1, 1], frozenset({0, 1})) == ()


@given(
    st.lists(
        st.dictionaries(st.sampled_from(list(audit._COPIES)), st.integers(0, 7)),
        min_size=2,
        max_size=6,
    ),
    st.sampled_from(["shared", "none"]),
)
def test_the_engine_counts_the_same(tableaus: list[dict[str, int]], tie: str) -> None:
    from gonuts_cli.rules.cards import CARDS
    from gonuts_cli.rules.rulings import Rulings
    from gonuts_cli.rules.scoring import score

    tableaus = [
        {kind: min(copies, CARDS[kind].copies_for(6)) for kind, copies in tableau.items()}
        for tableau in tableaus
    ]
    assert count_points(tableaus, maple_frosted_tie=tie) == score(
        tableaus, Rulings(maple_frosted_tie=tie)
    )


def test_the_decks_are_those_of_the_rules() -> None:
    from gonuts_cli.rules.cards import CARDS

    assert list(audit._COPIES) == list(CARDS)
    for kind, copies in audit._COPIES.items():
        assert copies == tuple(CARDS[kind].copies_for(players) for players in range(2, 7))


def test_it_imports_nothing_of_the_engine() -> None:
    tree = ast.parse(Path(audit.__file__).read_text())
    imported = {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert not [name for name in imported if name.startswith("gonuts_cli")]


@given(st.integers(2, 6), st.randoms(use_true_random=False), st.sampled_from(["shared", "none"]))
def test_games_of_the_engine_are_counted_the_same(
    players: int, chance: random.Random, tie: str
) -> None:
    game = Game(players=players, seed=chance.random().hex(), rulings={"maple_frosted_tie": tie})
    while game.pending:
        for decision in game.pending:
            if chance.random() < 0.03:
                game.choose(decision.player, fault=chance.choice(["timeout", "illegal", "crashed"]))
            else:
                count = chance.choice(decision.counts)
                game.choose(decision.player, chance.sample(decision.options, count))
    counted = audit_game(game.log())
    assert (counted.ok, counted.message) == (True, None)
    assert list(counted.points) == [
        {kind: points[kind] for kind in audit._COPIES if kind in points}
        for points in game.result.points
    ]
