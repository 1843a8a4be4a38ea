"""Validation finds every single change and names its line (SPEC §4, §8); reading never gives up."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from gonuts_cli import Game
from gonuts_cli.errors import UnreadableInput
from gonuts_cli.log.decode import LogError
from gonuts_cli.log.reader import LONGEST_GAME, RawGame, expand_paths, read_games, read_path
from gonuts_cli.log.validate import Verdict, validate_game

VECTORS = Path(__file__).parent / "vectors" / "games"
GOOD = (VECTORS / "2p-1.log.jsonl").read_bytes()
CHANGED = [(VECTORS / f"{name}.log.jsonl").read_bytes() for name in ("3p-2", "4p-faulty")]


def verdicts(data: bytes) -> list[Verdict]:
    return [validate_game(raw) for raw in read_games(io.BytesIO(data), "x")]


def with_new_digest(lines: list[bytes]) -> list[bytes]:
    digest = sha256(b"".join(lines[:-1])).hexdigest().encode()
    return [*lines[:-1], re.sub(rb'"digest":"[0-9a-f]*"', b'"digest":"%b"' % digest, lines[-1])]


def changes(lines: list[bytes], at: int) -> list[tuple[str, list[bytes], int]]:
    """Every kind of single change at a line: its name, the lines, the line at fault from 1."""
    line = lines[at]
    found = [
        ("gone", lines[:at] + lines[at + 1 :], at + 1),
        ("doubled", lines[: at + 1] + lines[at:], at + 2),
        ("space", [*lines[:at], line.replace(b'":', b'": ', 1), *lines[at + 1 :]], at + 1),
        ("key", [*lines[:at], line.replace(b'"event"', b'"evnt"', 1), *lines[at + 1 :]], at + 1),
        ("cut", [*lines[:at], line[:-5], b"\n"], at + 1),
    ]
    if at + 1 < len(lines) and lines[at + 1] != line:
        swapped = [*lines[:at], lines[at + 1], line, *lines[at + 2 :]]
        found.append(("swapped", swapped, at + 1))
    if b'"event":"moved"' in line:
        card = re.sub(rb'"card":"[a-z_]+"', b'"card":"milk"', line)
        if card != line:
            found.append(("card", [*lines[:at], card, *lines[at + 1 :]], at + 1))
    return found


@pytest.mark.parametrize("log", CHANGED, ids=["3p-2", "4p-faulty"])
def test_every_single_change_is_found_at_its_line(log: bytes) -> None:
    lines = log.splitlines(keepends=True)
    before = GOOD.count(b"\n")
    for at in range(0, len(lines), 3):
        for name, changed, line in changes(lines, at):
            forms = [changed]
            if changed and changed[-1].startswith(b'{"event":"game_ended"'):
                forms.append(with_new_digest(changed))
            for form in forms:
                first, *bad, last = verdicts(GOOD + b"".join(form) + GOOD)
                assert first.ok, (name, at)
                assert last.ok, (name, at)
                wrong = [verdict for verdict in bad if not verdict.ok]
                assert wrong, (name, at)
                # Of two equal lines one that is gone, or one more, shows only after them.
                assert line <= wrong[0].line - before <= line + 1, (name, at, wrong[0])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rb'"scores":\[', b'"scores":[1'),
        (rb'"cards":\[', b'"cards":[1'),
        (rb'"winners":\[\d', b'"winners":[9'),
        (rb'"rounds":', b'"rounds":1'),
        (rb'"seed":"', b'"seed":"x'),
    ],
)
def test_a_changed_last_line_is_the_line_at_fault(old: bytes, new: bytes) -> None:
    lines = CHANGED[0].splitlines(keepends=True)
    lines[-1] = re.sub(old, new, lines[-1])
    (verdict,) = verdicts(b"".join(lines))
    assert not verdict.ok
    assert verdict.line == len(lines)


def test_a_changed_commitment_is_told_from_a_changed_seed() -> None:
    changed = re.sub(rb'commitment":"..', b'commitment":"00', CHANGED[0])
    assert [(v.line, v.error) for v in verdicts(changed)] == [(1, "bad_commitment")]


def test_the_message_says_what_stands_what_should_and_why() -> None:
    lines = GOOD.splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if b'"collision"' in line)
    lines[at] = re.sub(
        rb'"to":"discard","cause":"collision"', b'"to":"tableau:1","cause":"award"', lines[at]
    )
    (verdict,) = verdicts(b"".join(lines))
    assert verdict.message is not None
    assert re.search(r"round \d+: seat 1 took .* but seats 0 and 1 both bid", verdict.message)


def test_old_rules_and_formats_are_refused_by_name() -> None:
    for old, new, code in (
        (b"gonuts-log/1", b"gonuts-log/2", "unknown_format"),
        (b"gonuts-rules/1", b"gonuts-rules/0", "unknown_rules"),
    ):
        (verdict,) = verdicts(GOOD.replace(old, new))
        assert verdict.error == code
        assert "reads" in str(verdict.message)


@given(st.binary(max_size=400))
@settings(max_examples=200, deadline=None)
def test_no_bytes_break_reading_or_validating(noise: bytes) -> None:
    data = GOOD + noise + b"\n" + GOOD
    found = list(read_games(io.BytesIO(data), "x"))
    assert b"".join(raw.data for raw in found) == data
    assert validate_game(found[0]).ok
    assert validate_game(found[-1]).ok
    assert not all(validate_game(raw).ok for raw in found)


@given(st.integers(1, 40), st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_reading_does_not_depend_on_how_bytes_arrive(size: int, copies: int) -> None:
    class Slow(io.BytesIO):
        def read1(self, _: int | None = None) -> bytes:
            return self.read(size * 37)

    data = GOOD * copies + CHANGED[0]
    whole = [*read_games(io.BytesIO(data), "x")]
    assert whole == [*read_games(Slow(data), "x")]
    assert len(whole) == copies + 1
    line = 1
    for raw in whole:
        assert raw.first_line == line
        line += raw.data.count(b"\n")


def test_what_is_too_long_to_be_a_game_hides_nothing() -> None:
    for filling in (b"x" * (3 * LONGEST_GAME), b"[1]\n" * LONGEST_GAME):
        data = GOOD + filling + b"\n" + GOOD
        first, long, last = read_games(io.BytesIO(data), "x")
        assert validate_game(first).ok
        assert validate_game(last).ok
        assert not validate_game(long).ok
        assert last.first_line == data[: -len(GOOD)].count(b"\n") + 1
        assert data[last.offset :] == GOOD


def test_compressed_and_damaged_files(tmp_path: Path) -> None:
    for name, packed in (
        ("a.gz", gzip.compress(GOOD * 3)),
        ("a.zst", zstandard.compress(GOOD) + zstandard.compress(GOOD * 2)),
    ):
        path = tmp_path / name
        path.write_bytes(packed)
        assert len(list(read_path(str(path)))) == 3
        path.write_bytes(packed[:-9])
        with pytest.raises(UnreadableInput, match=name):
            list(read_path(str(path)))


def test_paths(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="no such"):
        list(expand_paths([str(tmp_path / "none")]))
    with pytest.raises(UnreadableInput, match="no logs"):
        list(expand_paths([str(tmp_path)]))
    (tmp_path / "b").mkdir()
    for name in ("b/z.jsonl", "a.jsonl.gz", "c.jsonl.zst", "d.txt"):
        (tmp_path / name).touch()
    found = [path.removeprefix(f"{tmp_path}/") for path in expand_paths([str(tmp_path)])]
    assert found == ["a.jsonl.gz", "b/z.jsonl", "c.jsonl.zst"]
    with pytest.raises(UnreadableInput, match="empty"):
        list(read_path(str(tmp_path / "b" / "z.jsonl")))


def test_the_timings_of_a_tournament_are_no_log_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "games.jsonl").write_bytes(GOOD)
    (tmp_path / "timings.jsonl").write_bytes(b'{"game":"0.0","ms":1.5,"bots":{}}\n')
    assert list(expand_paths([str(tmp_path)])) == [str(tmp_path / "games.jsonl")]
    # A log may have that name, and lines without a log beside them are looked at.
    (tmp_path / "timings.jsonl").write_bytes(GOOD)
    assert len(list(expand_paths([str(tmp_path)]))) == 2
    (tmp_path / "timings.jsonl").write_bytes(b'{"game":"0.0"}\n')
    (tmp_path / "games.jsonl").unlink()
    assert list(expand_paths([str(tmp_path)])) == [str(tmp_path / "timings.jsonl")]


def test_a_raw_game_without_any_line_is_a_verdict_too() -> None:
    assert not validate_game(RawGame("x", 0, 1, 0, b"")).ok


def test_a_log_that_breaks_off_within_a_line_does_not_hide_the_next() -> None:
    first, broken, last = verdicts(GOOD + CHANGED[0][:700] + GOOD)
    assert first.ok
    assert last.ok
    assert (broken.error, broken.ok) == ("incomplete", False)
    assert broken.line == (GOOD + CHANGED[0][:700]).count(b"\n") + 1


@pytest.mark.parametrize("missing", range(2, len(GOOD.splitlines()[-1]) + 2, 7))
def test_a_log_that_breaks_off_within_its_last_line_does_not_hide_the_next(missing: int) -> None:
    broken, middle, last = verdicts(GOOD[:-missing] + GOOD + GOOD)
    assert (broken.ok, broken.error) == (False, "incomplete")
    assert broken.line == GOOD.count(b"\n")
    assert middle.ok
    assert last.ok


@pytest.mark.parametrize(
    ("key", "value"),
    [("game", ""), ("game", "\x01"), ("game", "x" * 129), ("tags", {"a": "x" * 9000})],
)
def test_a_header_that_no_game_can_have_is_told_and_hides_nothing(key: str, value: object) -> None:
    first, rest = GOOD.split(b"\n", 1)
    header = {**json.loads(first), key: value}
    bad, good = verdicts(json.dumps(header).encode() + b"\n" + rest + GOOD)
    assert (bad.error, bad.line) == ("bad_header", 1)
    assert good.ok


@pytest.mark.parametrize("staying", [0, 1, 2])
@pytest.mark.parametrize("number", range(6))
def test_what_is_told_for_a_seat_that_is_out_is_compared_too(number: int, staying: int) -> None:
    """The seed is not told, so the game goes no further than the default answers that are."""
    chance = random.Random(number)
    game = Game(3 + number % 4, f"early {number}")
    out = chance.sample(range(game.players), game.players - staying)
    while game.pending:
        for decision in game.pending:
            if decision.player in out and game.round > number:
                game.choose(decision.player, fault="crashed")
            else:
                count = chance.choice(decision.counts)
                game.choose(decision.player, chance.sample(decision.options, count))
    lines = game.log().splitlines(keepends=True)
    # Behind the first difference may stand what says something else of a line before it.
    again = b"".join(line for line in lines[-9:-1] if b'"fault"' in line)
    for count in range(1, len(lines)):
        told = b"".join(lines[:count])
        for behind in b"", b'{"event":"game_ended"}\n', b"\n" + again.replace(b"[1]", b"[2]"):
            verdict = verdicts(told + behind)[0]
            assert (verdict.ok, verdict.line) == (False, count + 1)


@pytest.mark.parametrize("position", [0, 4, 8, 9])
@pytest.mark.parametrize("ending", ["none", "another seed's"])
def test_a_default_bid_that_is_no_position_is_the_line_at_fault(position: int, ending: str) -> None:
    """Without the seed this line itself is all that tells what the referee bid."""
    game = Game(2, "1")
    game.choose(0, [1])
    game.choose(1, fault="crashed")
    while game.pending:
        game.choose(0, game.pending[0].options[: game.pending[0].counts[0]])
    lines = game.log().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if b'"fault":"crashed"' in line)
    lines[at] = re.sub(rb"\[\d\]", b"[%d]" % position, lines[at])
    lines[-1] = b"" if ending == "none" else lines[-1].replace(b'"seed":"1"', b'"seed":"2"')
    damaged = b"".join(lines)
    good = game.log()
    _, bad, last = found = verdicts(good + damaged + good)
    assert [verdict.ok for verdict in found] == [True, False, True]
    assert bad.line == good.count(b"\n") + at + 1
    assert last.line == (good + damaged).count(b"\n") + 1
    assert f"the referee bids {position} for seat 1, but the positions are 1 to 3" in (
        bad.message or ""
    )
    told = b"".join(lines[:-1])
    for part in told, b"".join(lines[: at + 1]):
        with pytest.raises(LogError, match=f"the referee bids {position} for seat 1") as refused:
            Game.replay(part)
        assert refused.value.line == at + 1


NO_SEED_TELLS = [
    GOOD[: GOOD.rfind(b"\n", 0, -1) + 1],
    re.sub(b'"seed":"[^"]*"', b'"seed":"x"', GOOD),
]
"""A game whose seed is not known: it has no end, or a seed that is not its own."""


@pytest.mark.parametrize("log", NO_SEED_TELLS, ids=["no end", "another seed"])
def test_a_card_too_many_does_not_hide_what_is_wrong_before_it(log: bytes) -> None:
    lines = log.splitlines(keepends=True)
    for kind in (b"french_cruller", b"glazed", b"no_such_card"):
        drawn = (
            b'{"event":"moved","card":"%b","from":"deck","to":"row:9","cause":"refill"}\n' % kind
        )
        for wrong in drawn, drawn.replace(b"row:9", b"row:1") * 20, b"x\n" + drawn * 20:
            verdict = verdicts(b"".join([*lines[:4], wrong, *lines[4:]]))[0]
            assert (verdict.ok, verdict.line) == (False, 5)


def kept_by_double_chocolate() -> tuple[list[bytes], int]:
    """The lines of a game that breaks off, and where the first such decision stands."""
    lines = (VECTORS / "3p-4.log.jsonl").read_bytes().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if b'"decision":"double_chocolate"' in line)
    return lines[: at + 9], at


@pytest.mark.parametrize("answer", [b'"nonsense"', b'"mucho_matcha"', b"5", b"true", b'["a",1]'])
def test_what_no_deck_holds_is_not_believed_to_have_been_kept(answer: bytes) -> None:
    lines, at = kept_by_double_chocolate()
    lines[at] = re.sub(rb'"choose":\[.*\]', b'"choose":[%b]' % answer, lines[at])
    for count in range(at + 1, len(lines) + 1):
        (verdict,) = verdicts(b"".join(lines[:count]))
        assert (verdict.ok, verdict.line, '""' in (verdict.message or "")) == (False, at + 1, False)


def test_a_draw_that_is_not_what_was_kept_is_the_line_at_fault() -> None:
    lines, at = kept_by_double_chocolate()
    assert b'"from":"deck"' in lines[at + 1]
    lines[at + 1] = re.sub(rb'"card":"[a-z_]+"', b'"card":"plain"', lines[at + 1])
    (verdict,) = verdicts(b"".join(lines))
    assert (verdict.ok, verdict.line) == (False, at + 2)


@pytest.mark.parametrize("commitment", ["xyz", "", "a" * 63, "A" * 64])
def test_a_commitment_that_is_no_digest_is_told_whatever_else_is_wrong(commitment: str) -> None:
    data = re.sub(
        b'"seed_commitment":"[^"]*"', b'"seed_commitment":"%b"' % commitment.encode(), GOOD
    )
    lines = data.splitlines(keepends=True)
    for damaged in data, b"".join(lines[:-1]), b"".join([*lines[:6], *lines[8:]]):
        assert verdicts(damaged)[0].line == 1


@pytest.mark.parametrize("log", NO_SEED_TELLS, ids=["no end", "another seed"])
def test_tags_that_are_not_sorted_are_told_without_the_seed_too(log: bytes) -> None:
    damaged = log.replace(b"}\n", b',"tags":{"b":"1","a":"2"}}\n', 1)
    assert verdicts(damaged)[0].line == 1
    with pytest.raises(LogError):
        Game.replay(damaged)


def test_a_wrong_line_is_no_end_of_a_log_that_goes_on() -> None:
    """Also where only the seed tells what should stand there."""
    lines = (VECTORS / "3p-faulty.log.jsonl").read_bytes().splitlines(keepends=True)[:-1]
    out = [at for at, line in enumerate(lines) if b'"disqualified"' in line]
    for at in out:
        for gone in (
            [*lines[:at], *lines[at + 1 :]],
            [*lines[:at], lines[at].replace(b'"choose":[', b'"choose":[0'), *lines[at + 1 :]],
        ):
            verdict = verdicts(b"".join(gone))[0]
            assert (verdict.line, verdict.error) != (at + 1, "incomplete")
            assert verdict.line >= at + 1


def test_a_line_longer_than_any_game_is_the_line_at_fault() -> None:
    lines = GOOD.splitlines(keepends=True)
    for size in 1000, LONGEST_GAME, 3 * LONGEST_GAME:
        verdict = verdicts(b"".join([*lines[:5], b"x" * size + b"\n", *lines[5:]]))[0]
        assert (verdict.ok, verdict.line) == (False, 6)


def test_line_ends_of_another_system_are_told_as_such() -> None:
    long = Game(names=["a" * 64, "b" * 64], tags={"note": "n" * 500}, seed="1")
    for log in GOOD, long.log():
        verdict = verdicts(log.replace(b"\n", b"\r\n"))[0]
        assert (verdict.line, "CR LF" in (verdict.message or "")) == (1, True)


@pytest.mark.parametrize(("old", "new"), [(b'":', b'": '), (b'"event"', b'"\\u0065vent"')])
def test_a_line_that_says_the_same_in_other_bytes_is_told_as_such(old: bytes, new: bytes) -> None:
    lines = GOOD.splitlines(keepends=True)
    for at in (at for at, line in enumerate(lines) if b'"decided"' not in line):
        changed = [*lines[:at], lines[at].replace(old, new, 1), *lines[at + 1 :]]
        verdict = verdicts(b"".join(changed))[0]
        assert (verdict.line, "in other bytes" in (verdict.message or "")) == (at + 1, True)


def test_more_cards_than_the_deck_has_are_named_where_they_are_drawn() -> None:
    lines = GOOD.splitlines(keepends=True)[:6]
    drawn = b'{"event":"moved","card":"maple_bar","from":"deck","to":"row:1","cause":"refill"}\n'
    (verdict,) = verdicts(b"".join([*lines[:2], drawn, drawn, drawn]))
    assert not verdict.ok
    assert 3 <= verdict.line <= 5
