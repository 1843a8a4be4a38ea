"""The compact form: three lines that give every byte of the log back, or a refusal."""

from __future__ import annotations

import json
import random
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gonuts_cli import Game
from gonuts_cli.log.compact import compact_game, expand_game, is_compact
from gonuts_cli.log.decode import LogError
from gonuts_cli.log.reader import RawGame
from gonuts_cli.log.validate import validate_game

ROOT = Path(__file__).parent
VECTORS = sorted((ROOT / "vectors" / "games").glob("*.log.jsonl"))
GOLDENS = sorted((ROOT.parent / "replays").rglob("*.jsonl"))
COUNTED = ["timeout", "malformed", "illegal"]
FATAL = ["crashed", "flooded"]  # the vectors have a `no_start`


def games_in(path: Path) -> list[bytes]:
    pieces = path.read_bytes().split(b'{"event":"game_started"')
    return [b'{"event":"game_started"' + piece for piece in pieces[1:]]


def random_game(chance: random.Random, players: int, faulty: bool) -> bytes:
    """A whole game with random legal choices, texts and rulings, and faults now and then."""
    game = Game(
        seed=str(chance.random()),
        names=[f'Zoë \\"{seat}\u2028' for seat in range(players)],
        game=f"№ {chance.randrange(99)}",
        rulings={"twist_empty": chance.choice(["cancel", "others_pass"])},
        tags={"site": "Café\u0085"[:-1]} if chance.random() < 0.5 else None,
    )
    while game.pending:
        for decision in game.pending:
            if faulty and chance.random() < 0.05:
                fault = chance.choice(COUNTED if chance.random() < 0.8 else FATAL)
                game.choose(decision.player, fault=fault)
            else:
                count = chance.choice(decision.counts)
                game.choose(decision.player, tuple(chance.sample(decision.options, count)))
    return game.log()


@pytest.mark.parametrize("path", VECTORS + GOLDENS, ids=lambda path: path.name)
def test_every_vector_and_golden_comes_back(path: Path) -> None:
    for log in games_in(path):
        if b'{"event":"game_ended"' not in log:
            with pytest.raises(LogError):
                compact_game(log)
            continue
        compact = compact_game(log)
        assert expand_game(compact) == log
        assert compact.count(b"\n") == 3
        assert is_compact(compact)
        assert not is_compact(log)
        assert compact_game(compact) == compact


def test_a_thousand_random_games_come_back_from_a_quarter_of_the_bytes() -> None:
    chance = random.Random("compact")
    whole = small = 0
    for number in range(1000):
        log = random_game(chance, 2 + number % 5, faulty=number % 3 == 0)
        compact = compact_game(log)
        assert expand_game(compact) == log
        assert len(compact) * 4 <= len(log)
        whole += len(log)
        small += len(compact)
    assert small * 15 < whole


def with_digest(log: bytes) -> bytes:
    """`log` with its digest made right again."""
    start = log.rfind(b"\n", 0, -1) + 1
    body, end = log[:start], json.loads(log[start:])
    end["digest"] = sha256(body).hexdigest()
    return body + json.dumps(end, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_damaged_log_is_refused_or_comes_back_as_it_is(data: st.DataObject) -> None:
    log = data.draw(st.sampled_from(VECTORS)).read_bytes()
    at = data.draw(st.integers(0, len(log) - 1))
    change = data.draw(st.sampled_from(["flip", "drop", "double", "cut", "line"]))
    if change == "flip":
        damaged = log[:at] + bytes([log[at] ^ data.draw(st.integers(1, 255))]) + log[at + 1 :]
    elif change == "drop":
        damaged = log[:at] + log[at + 1 :]
    elif change == "double":
        damaged = log[:at] + log[at : at + 1] + log[at:]
    elif change == "cut":
        damaged = log[:at]
    else:
        lines = log.splitlines(keepends=True)
        del lines[data.draw(st.integers(0, len(lines) - 1))]
        damaged = b"".join(lines)
    if data.draw(st.booleans()) and change == "flip" and at < log.rfind(b"\n", 0, -1):
        damaged = with_digest(damaged)
    try:
        compact = compact_game(damaged)
    except LogError:
        return
    assert expand_game(compact) == damaged


WHOLE = VECTORS[-1].read_bytes()
COMPACT = compact_game(WHOLE)


def changed(number: int, **keys: object) -> bytes:
    lines = [json.loads(line) for line in COMPACT.splitlines()]
    lines[number - 1].update(keys)
    return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)


ANSWERS = json.loads(COMPACT.splitlines()[1])["answers"]


@pytest.mark.parametrize(
    ("compact", "line", "code"),
    [
        (b"", 1, "incomplete"),
        (COMPACT[:-1], 3, "incomplete"),
        (COMPACT.rpartition(b"{")[0], 3, "incomplete"),
        (COMPACT + b"{}\n", 4, "after_end"),
        (COMPACT + b"{", 4, "after_end"),
        (COMPACT.replace(b'"answers":[', b'"answers":[[', 1), 2, "not_json"),
        (changed(1, rules="gonuts-rules/2"), 1, "unknown_rules"),
        (changed(1, players=["a", "a"]), 1, "bad_header"),
        (changed(1, players="ab"), 1, "bad_header"),
        (changed(1, tags={"a": 1}), 1, "bad_header"),
        (changed(1, rulings={"a": "b"}), 1, "bad_header"),
        (changed(1, extra=1), 1, "bad_compact"),
        (changed(2, answers={}), 2, "bad_compact"),
        (changed(2, answers=ANSWERS[:-1]), 2, "bad_answer"),
        (changed(2, answers=[*ANSWERS, None]), 2, "bad_answer"),
        (changed(2, answers=[True, *ANSWERS[1:]]), 2, "bad_answer"),
        (changed(2, answers=[None, *ANSWERS[1:]]), 2, "bad_answer"),
        (changed(2, answers=[{}, *ANSWERS[1:]]), 2, "bad_answer"),
        (changed(2, answers=["disqualified", *ANSWERS[1:]]), 2, "bad_answer"),
        (changed(2, answers=["sleepy", *ANSWERS[1:]]), 2, "bad_answer"),
        (changed(2, answers=[1 + ANSWERS[0] % 7, *ANSWERS[1:]]), None, None),
        (changed(3, seed="another"), None, None),
        (changed(3, seed=""), 3, "bad_ending"),
        (
            VECTORS[-1].read_bytes().replace(b"gonuts-log/", b"gonuts-log-compact/"),
            1,
            "bad_compact",
        ),
        (changed(3, seed=7), 3, "bad_ending"),
        (changed(3, digest="0" * 64), 3, "digest"),
        (changed(3, digest=""), 3, "digest"),
    ],
)
def test_a_damaged_compact_game_is_refused(
    compact: bytes, line: int | None, code: str | None
) -> None:
    with pytest.raises(LogError) as caught:
        expand_game(compact)
    if code is not None:
        assert (caught.value.code, caught.value.line) == (code, line)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (b'"answers":[', b'"answers":[ ', 2),
        (b'"answers":[%d' % ANSWERS[0], b'"answers":[[%d]' % ANSWERS[0], 2),
        (b'"players":', b'"players": ', 1),
    ],
)
def test_a_compact_game_has_one_form(old: bytes, new: bytes, line: int) -> None:
    """It can be restored all the same, but it is not what was written."""
    changed = COMPACT.replace(old, new, 1)
    assert changed != COMPACT
    verdict = validate_game(RawGame("x", 0, 1, 0, changed))
    assert (verdict.ok, verdict.line) == (False, line)
    assert validate_game(RawGame("x", 0, 1, 0, COMPACT)).ok
