"""The engine and the library against the vectors, and what holds in every game (SPEC §1–4, §9)."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gonuts_cli
from gonuts_cli import Game, IllegalChoice, NotAsked
from gonuts_cli.errors import UsageError
from gonuts_cli.log.decode import LogError
from gonuts_cli.log.encode import LogWriter
from gonuts_cli.log.reader import RawGame
from gonuts_cli.log.rerun import SeedNeeded
from gonuts_cli.log.validate import validate_game
from gonuts_cli.rules.cards import KINDS, sorted_deck
from gonuts_cli.rules.deck import shuffled_deck
from gonuts_cli.rules.engine import FAULTS
from gonuts_cli.rules.rulings import RULINGS, Rulings
from gonuts_cli.rules.scoring import score
from tests.golden import random_game

VECTORS = Path(__file__).parent / "vectors"
GAMES = sorted((VECTORS / "games").glob("*.log.jsonl"))
PLAYED = sorted((VECTORS / "games").glob("*.moves.jsonl"))


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def as_json(value: object) -> Any:
    return json.loads(json.dumps(value))


def new_game(path: Path) -> Game:
    """The game whose log is at `path`, before its first decision."""
    log = lines_of(path)
    return Game(
        seed=log[-1]["seed"],
        names=log[0]["players"],
        rulings=log[0]["rulings"],
        game=log[0]["game"],
        tags=log[0].get("tags"),
    )


@pytest.mark.parametrize("vector", lines_of(VECTORS / "decks.jsonl"), ids=lambda v: v["seed"][:9])
def test_deck_vectors(vector: dict[str, Any]) -> None:
    assert shuffled_deck(vector["seed"], vector["players"]) == vector["deck"]
    assert Game(vector["players"], vector["seed"]).commitment == vector["seed_commitment"]


@pytest.mark.parametrize("seed", ["3586868", "1"])
def test_a_word_that_below_refuses_is_passed_over(seed: str) -> None:
    """The first seed is one in three million: the word for its eleventh pick is refused."""
    words = iter(
        int.from_bytes(digest[at : at + 4])
        for block in range(10)
        for digest in [sha256(f"gonuts-deck/1:{seed}:{block}".encode()).digest()]
        for at in range(0, 32, 4)
    )
    deck = list(sorted_deck(6))
    refused = 0
    for size in range(len(deck), 1, -1):
        limit = (1 << 32) - (1 << 32) % size
        while (word := next(words)) >= limit:
            refused += 1
        pick = word % size
        deck[size - 1], deck[pick] = deck[pick], deck[size - 1]
    assert refused == (seed == "3586868")
    assert shuffled_deck(seed, 6) == deck


def test_score_vectors() -> None:
    for vector in lines_of(VECTORS / "scores.jsonl"):
        points = score(vector["tableaus"], Rulings.parse(vector["rulings"]))
        assert json.dumps(points) == json.dumps(vector["points"])
        assert [sum(by_kind.values()) for by_kind in points] == vector["scores"]


@pytest.mark.parametrize("moves", PLAYED, ids=lambda path: path.name[:4])
def test_game_vectors(moves: Path) -> None:
    log = moves.with_name(moves.name.replace("moves", "log"))
    game = new_game(log)
    for move in lines_of(moves):
        game.choose(move["player"], move["choose"])
    assert game.log() == log.read_bytes()


def test_decision_vectors() -> None:
    asked = []
    for moves in PLAYED:
        if moves.name[2:4] != "-4":
            continue
        game = new_game(moves.with_name(moves.name.replace("moves", "log")))
        for move in lines_of(moves):
            (decision,) = [d for d in game.pending if d.player == move["player"]]
            asked.append({"game": moves.name[:4], **as_json(decision._asdict())})
            game.choose(move["player"], move["choose"])
    assert asked == lines_of(VECTORS / "decisions.jsonl")


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.name.split(".")[0])
def test_a_log_fed_back_decision_by_decision_gives_itself(path: Path) -> None:
    """Also the faults, and the lines that the engine writes for a seat that is out."""
    game = new_game(path)
    for line in lines_of(path):
        if line["event"] == "decided" and "fault" in line:
            game.choose(line["player"], fault=line["fault"])
        elif line["event"] == "decided":
            game.choose(line["player"], line["choose"])
    assert game.log() == path.read_bytes()


def test_a_log_is_bytes() -> None:
    with pytest.raises(UsageError, match="a log is bytes, not str"):
        Game.replay(Game(2, 1).log().decode())  # type: ignore[arg-type]


def test_of_several_games_none_is_replayed() -> None:
    one, other = finished(Game(2, 1)), finished(Game(3, 2))
    whole = one.count(b"\n")
    forged = re.sub(rb'"seed":"1"', b'"seed":"7"', one)
    for log, code, line in (
        (one + b"\n", "after_end", whole + 1),
        (one + b"\n" + other, "after_end", whole + 1),
        (one + b"junk\n", "after_end", whole + 1),
        (one + one.splitlines(True)[20], "after_end", whole + 1),
        (one[:-1] + other, "not_json", whole),
        (one + b" " + other, "after_end", whole + 1),
        (forged, "bad_seed", whole),
        (forged.replace(b'"from":"deck"', b'"from":"duck"', 1), "differs", 3),
        (one[:-2].replace(b'"from":"deck"', b'"from":"duck"', 1) + b"\n", "differs", 3),
        (one + other, "after_end", whole + 1),
        (one + one, "after_end", whole + 1),
        (b"".join(one.splitlines(True)[:9]) + other, "after_end", 10),
        (one.replace(b'"from":"deck"', b'"from":"duck"', 1) + other, "differs", 3),
    ):
        with pytest.raises(LogError) as wrong:
            Game.replay(log, "1")
        assert (wrong.value.code, wrong.value.line) == (code, line)


@pytest.mark.parametrize("path", GAMES[::6], ids=lambda path: path.name.split(".")[0])
def test_replay_of_a_log_cut_after_any_line(path: Path) -> None:
    whole = path.read_bytes()
    seed = Game.replay(whole).seed
    lines = whole.splitlines(keepends=True)
    for count in range(1, len(lines)):
        cut = b"".join(lines[:count])
        for game in (Game.replay(cut, seed), Game.replay(cut + lines[count][:9])):
            assert game.log().startswith(cut)
            assert whole.startswith(game.log())
            game.view(0)


def test_an_unfinished_log_goes_on_only_with_its_seed() -> None:
    whole = GAMES[0].read_bytes()
    cut = b"".join(whole.splitlines(keepends=True)[:9])
    with pytest.raises(SeedNeeded):
        Game.replay(cut).choose(0, [1])
    with pytest.raises(LogError, match="commitment"):
        Game.replay(cut, seed="another")


def test_a_log_that_the_rules_do_not_give_is_not_replayed() -> None:
    whole = GAMES[0].read_bytes()
    with pytest.raises(LogError, match="line"):
        Game.replay(whole.replace(b'"scores":[', b'"scores":[1'))


@given(st.integers(0, 400), st.data())
@settings(max_examples=60, deadline=None)
def test_cards_are_conserved(number: int, data: st.DataObject) -> None:
    """Every card is in exactly one zone, always (SPEC §1)."""
    game = Game(2 + number % 5, number, rulings=data.draw(some_rulings))
    everything = Counter(sorted_deck(game.players))
    chance = random.Random(number)
    while game.pending:
        for decision in game.pending:
            game.choose(
                decision.player, chance.sample(decision.options, chance.choice(decision.counts))
            )
        zones = Counter(game.deck) + Counter(game.discard)
        zones += Counter(card for card in game.row if card is not None)
        for held in game.tableaus:
            zones += Counter(held)
        assert zones == everything


some_rulings = st.fixed_dictionaries(
    {name: st.sampled_from(values) for name, values in RULINGS.items()}
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats() | st.sampled_from([*KINDS, "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=1),
    max_leaves=4,
)


def same_json(one: object, other: object) -> bool:
    """Whether two JSON values have the same type and value (SPEC §3)."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_json, one, other))
    return type(one) is type(other) and one == other


def is_legal(choose: object, options: Any, counts: Any) -> bool:
    """SPEC §3 said again, simply."""
    if not isinstance(choose, list) or len(choose) not in counts:
        return False
    left = list(options)
    for value in choose:
        found = [at for at, option in enumerate(left) if same_json(value, option)]
        if not found:
            return False
        del left[found[0]]
    return True


@given(st.integers(0, 60), st.lists(json_values, max_size=4) | json_values)
@settings(max_examples=300, deadline=None)
def test_every_legal_answer_is_accepted_and_every_other_refused(number: int, choose: Any) -> None:
    game = Game(2 + number % 5, number)
    chance = random.Random(number)
    for _ in range(number):
        for decision in game.pending:
            game.choose(
                decision.player, chance.sample(decision.options, chance.choice(decision.counts))
            )
    for decision in game.pending:
        answers = [choose, *([option] for option in decision.options), list(decision.options[:3])]
        for answer in answers:
            trial = game.copy()
            before = trial.log(), trial.pending
            try:
                trial.choose(decision.player, answer)
            except IllegalChoice:
                assert not is_legal(answer, decision.options, decision.counts)
                assert (trial.log(), trial.pending) == before
            else:
                assert is_legal(answer, decision.options, decision.counts)


@pytest.mark.parametrize("player", [-1, 2, 7, 0.5, 1.0, "0", None, [], {}, (), b""])
def test_who_is_no_player_cannot_answer(player: Any) -> None:
    game = Game(2, 1)
    with pytest.raises(NotAsked, match="is not asked now, but 0 and 1"):
        game.choose(player, [1])
    for fault in ("timeout", "disqualified"):
        with pytest.raises(NotAsked, match="is not asked now"):
            game.choose(player, fault=fault)
    assert len(game.pending) == 2


def test_a_seat_may_be_any_whole_number() -> None:
    game = Game(2, 1)
    game.choose(False, fault="crashed")
    game.choose(False, fault="disqualified")
    assert [decision.player for decision in game.pending] == [1]


def test_who_is_not_asked_cannot_answer() -> None:
    game = Game(3, "x")
    game.choose(1, [2])
    for player in (1, 3, -1):
        with pytest.raises(NotAsked):
            game.choose(player, [1])
    assert [decision.player for decision in game.pending] == [0, 2]


@pytest.mark.parametrize("players", range(2, 7))
def test_bids_of_all_at_once_are_the_bids_of_each(players: int) -> None:
    chance = random.Random(players)
    at_once, one_by_one = Game(players, seed=9), Game(players, seed=9)
    while not at_once.over:
        if at_once.pending[0].decision == "bid":
            bids = [chance.randint(1, players + 1) for _ in range(players)]
            at_once.bid_all(bids)
            for player in chance.sample(range(players), players):
                one_by_one.choose(player, (bids[player],))
        else:
            for decision in at_once.pending:
                at_once.choose(decision.player, decision.default)
                one_by_one.choose(decision.player, decision.default)
        assert at_once.view(0) == one_by_one.view(0)
        assert at_once.pending == one_by_one.pending
    assert at_once.log() == one_by_one.log()


def test_bids_of_all_are_refused_where_they_are_none() -> None:
    game = Game(3, seed=1)
    before = game.log(), game.pending
    wrongs: list[Any] = [[1, 2], [1, 2, 3, 4], [0, 1, 2], [1, 2, 5], b"123", [1, 2, 1 << 70], b""]
    for wrong in wrongs:
        with pytest.raises(IllegalChoice, match=r"bids, but 3 players|is not one of the options 1"):
            game.bid_all(wrong)
    for wrong in (["1", 2, 3], [1, 2, 3.0], [1, 2, True], [1, 2, [3]], [1, 2, None], "123", []):
        with pytest.raises(IllegalChoice, match="are not positions"):
            game.bid_all(wrong)
    assert (game.log(), game.pending) == before
    game.choose(1, [2])
    with pytest.raises(NotAsked):
        game.bid_all([1, 2, 3])
    unfinished = Game.replay(game.log())
    with pytest.raises(SeedNeeded):
        unfinished.bid_all([1, 2, 3])


def test_bids_of_all_are_refused_while_a_power_asks_and_where_a_seat_is_out() -> None:
    game = Game(2, seed=3)
    while game.pending[0].decision == "bid":
        game.bid_all([1, 2])
    with pytest.raises(NotAsked):
        game.bid_all([1, 2])
    game = Game(2, seed=3)
    game.choose(0, fault="crashed")
    game.choose(1, [1])
    with pytest.raises(NotAsked):
        game.bid_all([1, 2])


def test_a_view_does_not_change_with_what_is_hidden() -> None:
    """Deck order below, and bids that are laid but not revealed."""
    game = Game(4, "hidden")
    for _ in range(5):
        for decision in game.pending:
            game.choose(decision.player, decision.options[: decision.counts[0]])
    other = game.copy()
    other.deck[:-2] = reversed(other.deck[:-2])
    assert [game.view(seat) for seat in range(4)] == [other.view(seat) for seat in range(4)]
    first = game.pending[0]
    before = [game.view(seat) for seat in range(4)]
    game.choose(first.player, first.options[: first.counts[0]])
    assert before == [game.view(seat) for seat in range(4)]


@pytest.mark.parametrize("seat", [-1, 3, "0", None, 1.0])
def test_who_does_not_sit_there_sees_nothing(seat: Any) -> None:
    with pytest.raises(UsageError, match="there is no seat"):
        Game(3, 1).view(seat)


def test_what_double_chocolate_put_back_only_its_taker_knows() -> None:
    seen = 0
    chance = random.Random(1)
    for number in range(60):
        game = Game(5, f"chocolate {number}")
        while game.pending:
            for decision in game.pending:
                count = chance.choice(decision.counts)
                game.choose(decision.player, chance.sample(decision.options, count))
                if decision.decision != "double_chocolate":
                    continue
                tops = [game.view(seat)["top"] for seat in range(5)]
                if game.deck and tops[decision.player] is not None:
                    seen += 1
                    assert tops[decision.player] == game.deck[-1]
                    assert tops.count(None) == 4
    assert seen


class Noted(Game):
    """As whoever uses the library might derive one."""

    def __init__(self, *, note: str, seed: int) -> None:
        super().__init__(6, seed)
        self.note = note


class Hiding(Game):
    __slots__ = ("__hidden", "never_set")

    def hide(self) -> None:
        self.__hidden = "kept"

    def hidden(self) -> str:
        return self.__hidden


class Slotted(Hiding):
    __slots__ = ("note",)


@pytest.mark.parametrize("make", [Game.copy, copy.copy, copy.deepcopy])
def test_a_copy_has_what_a_derived_class_keeps_in_slots(make: Callable[[Game], Game]) -> None:
    game = Slotted(2, 1)
    game.note = "kept"  # type: ignore[attr-defined]
    game.hide()
    twin = make(game)
    assert isinstance(twin, Slotted)
    assert (twin.note, twin.hidden()) == ("kept", "kept")
    assert not hasattr(twin, "never_set")


@pytest.mark.parametrize("make", [Game.copy, copy.copy, copy.deepcopy])
def test_a_copy_in_the_middle_of_a_power_plays_on_to_the_same_log(
    make: Callable[[Game], Game],
) -> None:
    game = Noted(note="kept", seed=0)
    while game.pending[0].decision == "bid":
        for decision in game.pending:
            game.choose(decision.player, [1 + (decision.player + game.round) % 7])
    twin = make(game)
    before = game.log()
    assert isinstance(twin, Noted)
    assert twin.note == "kept"
    assert finished(twin) != before == game.log()
    assert finished(game) == twin.log()


def finished(game: Game) -> bytes:
    while game.pending:
        for decision in game.pending:
            game.choose(decision.player, decision.default)
    return game.log()


class Three:
    """A whole number, as those of numpy are."""

    def __index__(self) -> int:
        return 3


def test_a_seed_that_is_a_number_of_another_kind_is_its_decimal_text() -> None:
    game = Game(Three(), Three())
    assert (game.players, game.seed) == (3, "3")
    assert Game.replay(game.log(), Three()).seed == "3"
    assert Game(2, seed=True).seed == "1"
    with pytest.raises(UsageError, match="a seed is a text or a whole number"):
        Game.replay(game.log(), 1.5)  # type: ignore[arg-type]


class Word(str):
    """A text that formats itself as something else, as members of enumerations do."""

    def __format__(self, spec: str) -> str:
        return "something else"


def test_a_text_of_another_kind_is_the_text_that_it_holds() -> None:
    logs = []
    for kind in str, Word:
        words = ["42", "ann", "sprinkled_gift", "any", "crashed"]
        seed, name, ruling, value, fault = map(kind, words)
        given = {"names": [name, "bob"], "rulings": {ruling: value}, "tags": {name: value}}
        game = Game(seed=seed, game=name, **given)  # type: ignore[arg-type]
        game.choose(0, fault=fault)
        logs.append(finished(game))
    assert logs[0] == logs[1]
    assert validate_game(RawGame("log", 0, 1, 0, logs[0])).ok


class Loose(str):
    """A text that is equal to others and stands before others than it should."""

    def __eq__(self, other: object) -> bool:
        return str.lower(self) == str(other).lower()

    def __lt__(self, other: str) -> bool:
        return str.lower(self) < str(other).lower()

    def __hash__(self) -> int:
        return hash(str.lower(self))


def test_a_text_that_is_only_equal_to_a_word_is_not_that_word() -> None:
    for ruling in {Loose("TWIST_EMPTY"): "cancel"}, {"twist_empty": Loose("CANCEL")}:
        with pytest.raises(UsageError, match="ruling"):
            Game(2, rulings=ruling)
    with pytest.raises(IllegalChoice, match="no fault is called"):
        Game(2).choose(0, fault=Loose("TIMEOUT"))


def test_tags_are_in_the_order_of_their_code_points() -> None:
    game = Game(2, 1, tags={Loose("a"): "1", Loose("B"): "2"})
    assert list(game.tags) == ["B", "a"]
    assert validate_game(RawGame("log", 0, 1, 0, finished(game))).ok


HUGE = 10**5000
"""A number that Python does not write."""


@pytest.mark.parametrize(
    "wrong",
    [{"players": HUGE}, {"names": [HUGE]}, {"names": HUGE}, {"players": HUGE, "names": ["a", "b"]}]
    + [{"players": 2, key: HUGE} for key in ("seed", "game", "rulings", "tags")]
    + [{"players": 2, "rulings": {HUGE: 1}}, {"players": 2, "rulings": {"twist_empty": HUGE}}]
    + [{"players": int}, {"players": 2, "seed": int}],
)
def test_what_cannot_be_shown_or_is_a_class_is_refused_in_words(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Game(**wrong)


def test_who_is_no_seat_is_told_so_whatever_it_is() -> None:
    game = Game(2)
    for seat in (HUGE, int, [1]):
        assert not game.is_out(seat)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="there is no seat"):
            game.view(seat)  # type: ignore[arg-type]
        with pytest.raises(NotAsked):
            game.choose(seat, [1])  # type: ignore[arg-type]
        with pytest.raises(IllegalChoice):
            game.choose(0, fault=seat)  # type: ignore[call-overload]
        with pytest.raises(IllegalChoice):
            game.bid_all(seat)  # type: ignore[arg-type]


def test_an_error_tells_nothing_of_how_it_was_found() -> None:
    with pytest.raises(NotAsked) as caught:
        Game(2).choose(9, [1])
    assert caught.value.__context__ is None


def test_a_copy_is_independent() -> None:
    game = Game(3, "copy")
    game.choose(0, [1])
    twin = game.copy()
    for one, bid in ((game, 2), (twin, 3)):
        one.choose(1, [bid])
        one.choose(2, [4])
    assert game.log() != twin.log()
    assert Game.replay(twin.log(), "copy").log() == twin.log()


def test_faults() -> None:
    game = Game(2, "faults")
    with pytest.raises(IllegalChoice, match="no fault is called"):
        game.choose(0, fault="late")
    with pytest.raises(IllegalChoice, match="not out"):
        game.choose(0, fault="disqualified")
    for fault in ("timeout", "malformed", "illegal"):
        game.choose(0, fault=fault)
        game.choose(1, [1])
    assert game.is_out(0)
    assert [decision.player for decision in game.pending] == [1]
    with pytest.raises(IllegalChoice, match="no_start"):
        game.choose(1, fault="no_start")
    game.choose(1, fault="crashed")
    assert game.over
    assert game.result.winners == []
    assert set(FAULTS) >= set(game.faults[0] + game.faults[1])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({}, "how many players"),
        ({"players": 1}, "2 to 6"),
        ({"players": 7}, "2 to 6"),
        ({"names": ["a", "a"]}, "same name"),
        ({"names": ["a", "b\n"]}, "U\\+000A"),
        ({"names": ["a", "x" * 65]}, "1 to 64"),
        ({"players": 3, "names": ["a", "b"]}, "2 names"),
        ({"players": 2, "seed": ""}, "1 to 128"),
        ({"players": 2, "seed": "\ud800"}, "U\\+D800"),
        ({"players": 2, "rulings": {"milk": "no"}}, "no ruling"),
        ({"players": 2, "rulings": {"twist_empty": "no"}}, "cancel or others_pass"),
        ({"players": 2, "tags": {"a": "x" * 9000}}, "8192"),
        ({"players": 2, "tags": {"a": '"' * 5000}}, "8192"),
        ({"players": 2, "tags": [("a", "b")]}, "a mapping"),
        ({"players": 2, "tags": {1: 2}}, "tags are texts"),
        ({"players": 2, "rulings": ["a"]}, "a mapping"),
        ({"players": 2, "rulings": {1: 2}}, "no ruling is called 1"),
        ({"players": 2, "rulings": {"twist_empty": {}}}, "cancel or others_pass"),
        ({"players": 2, "game": 5}, "a game's id is a text"),
        ({"players": "3"}, "whole number, not '3'"),
        ({"players": 2.0}, "whole number"),
        ({"names": "ab"}, "a list of texts, not 'ab'"),
        ({"names": 5}, "a list of texts, not 5"),
        ({"names": {"a", "b"}}, "a list of texts, not {"),
        ({"names": ["a", 2]}, "a text, not 2"),
        ({"players": 2, "seed": 1.5}, "a whole number, not 1.5"),
    ],
)
def test_what_cannot_be_a_game(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Game(**wrong)


@pytest.mark.parametrize("number", range(0, 40, 3))
def test_a_log_written_as_the_game_goes_is_the_log(number: int) -> None:
    whole = random_game(number)
    game = Game(seed=whole.seed, names=whole.names, rulings=whole.rulings.changed())
    written = bytearray()
    writer = LogWriter(game, written.extend)
    late = bytearray()
    LogWriter(game, late.extend, already=40)
    chance = random.Random(number)
    while game.pending:
        for decision in game.pending:
            game.choose(
                decision.player, chance.sample(decision.options, chance.choice(decision.counts))
            )
        writer.update()
        assert game.log().startswith(written)
    assert bytes(written) == game.log()
    assert bytes(late) == game.log()[40 : len(late) + 40]


def test_what_the_package_offers_is_listed() -> None:
    assert set(dir(gonuts_cli)) == set(gonuts_cli.__all__)
    assert all(getattr(gonuts_cli, name) for name in gonuts_cli.__all__)
