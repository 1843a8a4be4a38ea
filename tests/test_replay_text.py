"""`gonuts replay`: a game told in words."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gonuts_cli import Game
from gonuts_cli.cli.app import run
from gonuts_cli.errors import UsageError
from gonuts_cli.log.compact import compact_game
from gonuts_cli.rules.cards import KINDS
from gonuts_cli.show.lang import LANGUAGES, Lang
from gonuts_cli.show.paint import PLAIN, Paint
from gonuts_cli.show.step import step_through, terminal_keys
from gonuts_cli.show.text import Beat, Story

GAMES = Path(__file__).parent / "vectors" / "games"
LOGS = sorted(GAMES.glob("*.log.jsonl"))
NAMES = ["ann", "bob", "cleo"]


def told(
    *events: dict[str, Any], names: list[str] = NAMES, lang: Lang = "en", ends: bool = True
) -> list[str]:
    """The lines of a story without its opening."""
    story = Story({"game": "g", "players": names, "rulings": {}}, lang, PLAIN)
    beats = [beat for event in events for beat in story.feed(event)]
    if not ends:
        beats += story.breaks_off()
    return [line for beat in beats for line in beat.lines]


def round_of(number: int, row: Iterable[str], bids: Iterable[int]) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"event": "round_started", "round": number}]
    events += [
        moved(card, "deck", f"row:{position}", "refill") for position, card in enumerate(row, 1)
    ]
    return events + [decided(seat, "bid", bid) for seat, bid in enumerate(bids)]


def moved(card: str, source: str, target: str, cause: str) -> dict[str, Any]:
    return {"event": "moved", "card": card, "from": source, "to": target, "cause": cause}


def decided(player: int, decision: str, *choose: Any, fault: str | None = None) -> dict[str, Any]:
    event = {"event": "decided", "player": player, "decision": decision, "choose": list(choose)}
    return event if fault is None else {**event, "fault": fault}


def award(card: str, position: int, seat: int) -> dict[str, Any]:
    return moved(card, f"row:{position}", f"tableau:{seat}", "award")


NEXT = {"event": "round_started", "round": 9}


def test_a_round_in_a_few_lines() -> None:
    lines = told(
        *round_of(2, ["plain", "milk", "glazed", "plain"], [3, 1, 1]),
        moved("plain", "row:1", "discard", "collision"),
        award("glazed", 3, 0),
        NEXT,
    )
    assert lines == [
        "",
        "Round 2",
        "  On the table: 1 Plain · 2 Milk · 3 Glazed · 4 Plain",
        "  Bids: ann 3 · bob 1 · cleo 1  [2:1–2:3]",
        "  Nobody bids on Milk or Plain.",
        "  1  bob and cleo both reach for Plain: it is discarded.",
        "  3  ann takes Glazed.",
        "  Standing: ann 2 · bob 0 · cleo 0",
        "  ann takes the lead.",
    ]


@pytest.mark.parametrize(
    ("names", "bids", "sentence"),
    [
        (["ann", "bob"], [1, 1], "ann and bob both reach for Plain: it is discarded."),
        (NAMES, [1, 1, 1], "Everybody reaches for Plain, so it is discarded!"),
        (
            [*NAMES, "dan"],
            [1, 1, 2, 1],
            "ann, bob and dan all reach for Plain: it is discarded.",
        ),
    ],
)
def test_collisions(names: list[str], bids: list[int], sentence: str) -> None:
    row = ["plain"] * (len(names) + 1)
    lines = told(
        *round_of(1, row, bids), moved("plain", "row:1", "discard", "collision"), names=names
    )
    assert lines[-1] == f"  1  {sentence}"


@pytest.mark.parametrize(
    ("kind", "acts", "sentences"),
    [
        (
            "chocolate_frosted",
            [moved("milk", "deck", "tableau:0", "chocolate_frosted")],
            ["ann draws Milk from the deck."],
        ),
        ("chocolate_frosted", [], ["The deck is empty, so there is nothing to draw."]),
        (
            "eclair",
            [moved("milk", "discard", "tableau:0", "eclair")],
            ["ann picks Milk off the discard pile."],
        ),
        ("eclair", [], ["The discard pile is empty, so there is nothing to pick up."]),
        (
            "french_cruller",
            [
                decided(0, "french_cruller", 2, 4),
                moved("plain", "row:2", "discard", "french_cruller"),
                moved("glazed", "row:4", "discard", "french_cruller"),
            ],
            ["ann sweeps Plain and Glazed off the table.  [1:4]"],
        ),
        ("french_cruller", [decided(0, "french_cruller")], ["ann leaves the row alone.  [1:4]"]),
        (
            "double_chocolate",
            [
                decided(0, "double_chocolate", "milk"),
                moved("milk", "deck", "tableau:0", "double_chocolate"),
            ],
            ["ann looks at two cards, keeps Milk and lays the other back on the deck.  [1:4]"],
        ),
        (
            "double_chocolate",
            [moved("milk", "deck", "tableau:0", "double_chocolate")],
            ["ann takes the last card of the deck, Milk."],
        ),
        (
            "sprinkled",
            [moved("sprinkled", "tableau:0", "tableau:2", "sprinkled")],
            ["ann gives Sprinkled to cleo."],
        ),
        (
            "bear_claw",
            [
                decided(0, "bear_claw", ["plain", 1]),
                moved("plain", "tableau:1", "tableau:0", "bear_claw"),
            ],
            ["ann grabs Plain from bob.  [1:4]"],
        ),
        (
            "strawberry_glazed",
            [moved("plain", "tableau:1", "discard", "strawberry_glazed")],
            ["ann knocks Plain out of the hands of bob."],
        ),
        ("strawberry_glazed", [], ["No opponent has a card to lose."]),
        (
            "cinnamon_twist",
            [
                decided(0, "cinnamon_twist", "cinnamon_twist"),
                decided(1, "cinnamon_twist", "plain"),
                moved("cinnamon_twist", "tableau:0", "tableau:1", "cinnamon_twist"),
                moved("plain", "tableau:1", "tableau:0", "cinnamon_twist"),
            ],
            [
                "The cards go round to the left: ann gives Cinnamon Twist to bob, "
                "bob gives Plain to ann.  [1:4, 1:5]"
            ],
        ),
        (
            "cinnamon_twist",
            [moved("cinnamon_twist", "tableau:0", "discard", "cinnamon_twist")],
            ["Somebody has no card to pass, so Cinnamon Twist is discarded."],
        ),
        (
            "cinnamon_twist",
            [
                moved("cinnamon_twist", "tableau:0", "discard", "cinnamon_twist"),
                moved("plain", "tableau:1", "tableau:2", "cinnamon_twist"),
            ],
            [
                "Somebody has no card to pass, so Cinnamon Twist is discarded.",
                "The cards go round to the left: bob gives Plain to cleo.",
            ],
        ),
        (
            "day_old_donuts",
            [
                decided(0, "day_old_donuts", "milk", "milk"),
                moved("milk", "discard", "tableau:0", "day_old_donuts"),
                moved("plain", "discard", "tableau:0", "day_old_donuts"),
            ],
            ["ann rummages Milk and Plain out of the discard pile.  [1:4]"],
        ),
        (
            "day_old_donuts",
            [decided(0, "day_old_donuts")],
            ["ann takes nothing from the discard pile.  [1:4]"],
        ),
        (
            "milk",
            [decided(0, "milk"), moved("milk", "tableau:0", "discard", "milk")],
            ["ann does not pay: Milk is discarded.  [1:4]"],
        ),
        (
            "raspberry_frosted",
            [moved("raspberry_frosted", "tableau:0", "discard", "raspberry_frosted")],
            ["ann has nothing else to throw away: Raspberry Frosted is discarded."],
        ),
    ],
)
def test_powers(kind: str, acts: list[dict[str, Any]], sentences: list[str]) -> None:
    # bob holds a Plain from an earlier round, which some of the powers move.
    before = [*round_of(8, ["plain"], [2, 1, 2]), award("plain", 1, 1)]
    row = [kind, "plain", "plain", "glazed"]
    lines = told(*before, *round_of(1, row, [1, 3, 3]), award(kind, 1, 0), *acts, NEXT)
    arrows = [line[7:] for line in lines if line.startswith("     ↳ ")]
    assert arrows == sentences


def test_another_copy_thrown_away_is_not_the_card_itself() -> None:
    row = ["raspberry_frosted", "raspberry_frosted", "plain", "plain"]
    throw = moved("raspberry_frosted", "tableau:0", "discard", "raspberry_frosted")
    lines = told(
        *round_of(1, row, [1, 3, 3]),
        award("raspberry_frosted", 1, 0),
        *round_of(2, row, [2, 3, 3]),
        award("raspberry_frosted", 2, 0),
        throw,
        NEXT,
    )
    assert "     ↳ ann throws away Raspberry Frosted." in lines


def test_faults_and_who_is_out() -> None:
    lines = told(
        *round_of(1, ["plain"] * 4, [1]),
        decided(1, "bid", 2, fault="crashed"),
        decided(2, "bid", 3, fault="timeout"),
        award("plain", 1, 0),
        *round_of(2, ["plain"] * 4, [1]),
        decided(1, "bid", 2, fault="disqualified"),
        decided(2, "bid", 3, fault="illegal"),
        *round_of(3, ["plain"] * 4, [1]),
        decided(1, "bid", 2, fault="disqualified"),
        decided(2, "bid", 3, fault="malformed"),
    )
    assert [line for line in lines if "!" in line] == [
        "  ! bob has gone away. The referee chooses for bob. "
        "bob is put out of the game and cannot win.",
        "  ! cleo does not answer in time. The referee chooses for cleo.",
        "  ! cleo chooses what is not allowed. The referee chooses for cleo.",
        "  ! cleo answers something that cannot be read. The referee chooses for cleo. "
        "cleo is put out of the game and cannot win.",
    ]
    assert "  Bids: ann 1 · bob 2 (out) · cleo 3  [2:1–2:3]" in lines
    assert "  Bids: ann 1 · bob 2 (out) · cleo 3 (out)  [3:1–3:3]" in lines


def test_a_broken_off_story_tells_what_is_known_and_no_more() -> None:
    begun = round_of(1, ["eclair", "plain", "plain", "plain"], [1, 2, 2])
    assert told(*begun[:-1], ends=False)[-3:] == [
        "  Bids: ann 1 · bob 2  [1:1–1:2]",
        "  Standing: ann 0 · bob 0 · cleo 0",
        "The story stops here: the game has no end.",
    ]
    lines = told(*begun, award("eclair", 1, 0), ends=False)
    assert "  1  ann takes Éclair." in lines
    assert not any("↳" in line for line in lines)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_every_vector_is_told_to_its_end(
    log: Path, lang: Lang, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(log), "--lang", lang]) == 0
    caught = capfd.readouterr()
    assert not caught.err
    assert "\x1b" not in caught.out
    assert "{" not in caught.out
    # Rulings are named as their option is; one of them has a kind in its name.
    words = re.sub(r"\w+_\w+ (other|any|cancel|others_pass|shared|none)\b", "", caught.out)
    assert not any(kind in words for kind in KINDS if "_" in kind)
    lines = log.read_bytes().splitlines()
    rounds = json.loads(lines[-1])["rounds"]
    headings = [line for line in caught.out.splitlines() if re.fullmatch(r"\w+ \d+", line)]
    assert len(headings) == rounds
    assert set(places(caught.out)) == set(decisions_of(lines))


def places(out: str) -> Iterator[str]:
    """All ROUND:DECISION places that a told game shows, ranges written out."""
    for found in re.findall(r"\[([\d:–, ]+)\]", out):
        first, dash, last = found.partition("–")
        if not dash:
            yield from found.split(", ")
            continue
        number, start = first.split(":")
        for decision in range(int(start), int(last.split(":")[1]) + 1):
            yield f"{number}:{decision}"


def decisions_of(lines: list[bytes]) -> Iterator[str]:
    number = decision = 0
    for event in map(json.loads, lines):
        if event["event"] == "round_started":
            number, decision = event["round"], 0
        elif event["event"] == "decided":
            decision += 1
            yield f"{number}:{decision}"


def test_the_final_count_is_explained_by_kind(capfd: pytest.CaptureFixture[str]) -> None:
    log = GAMES / "2p-0.log.jsonl"
    assert run(["replay", str(log)]) == 0
    final = capfd.readouterr().out.split("Final count\n")[1].splitlines()
    ended = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    shown = [re.match(r"    \d × .*?\s(-?\d+)  \(.+\)$", line) for line in final]
    assert sum(int(match[1]) for match in shown if match) == sum(ended["scores"])
    assert final[-1] == "player-0 wins!"


def test_no_winner_and_shared_wins() -> None:
    ended = {"event": "game_ended", "rounds": 1, "scores": [0] * 3, "cards": [0] * 3}
    assert told({**ended, "winners": []})[-1] == "Nobody wins."
    assert told({**ended, "winners": [0, 2]})[-1] == "ann and cleo share the win!"
    assert told({**ended, "winners": [0]})[1] == (
        "The deck cannot fill the row again: the game is over after 1 round."
    )


def test_names_and_ids_cannot_drive_the_terminal(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    game = Game(seed="s", names=["b\u202eob", "\u200bann"], game="\u2028x")
    while game.pending:
        for decision in game.pending:
            game.choose(decision.player, decision.default)
    log = tmp_path / "a.jsonl"
    log.write_bytes(game.log())
    assert run(["replay", str(log)]) == 0
    shown = capfd.readouterr().out
    assert "b\\u202eob" in shown
    assert not set(shown) & {"\u202e", "\u200b", "\u2028"}


# Files of all sorts


def logs_in(path: Path, *parts: bytes) -> str:
    path.write_bytes(b"".join(parts))
    return str(path)


def test_a_damaged_game_is_told_up_to_its_fault_and_the_next_in_full(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    good, bad = LOGS[0].read_bytes(), LOGS[1].read_bytes().splitlines(keepends=True)
    bad[20] = bad[21]
    path = logs_in(tmp_path / "a.jsonl", b"".join(bad), good)
    assert run(["replay", path]) == 1
    caught = capfd.readouterr()
    assert caught.err.startswith(f"gonuts: {path}:21: ")
    first, second = caught.out.split("The story stops here: the game has no end.\n")
    assert "Final count" not in first
    assert "Final count" in second


@pytest.mark.parametrize("kept", [0, 1, 2, 3, 4, 7, 40])
def test_a_game_that_breaks_off_after_a_line(
    kept: int, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = LOGS[0].read_bytes().splitlines(keepends=True)
    path = logs_in(tmp_path / "a.jsonl", *lines[:kept], lines[kept][:9])
    assert run(["replay", path]) == 1
    caught = capfd.readouterr()
    assert caught.err.startswith(f"gonuts: {path}:{kept + 1}: ")
    assert ("The story stops here" in caught.out) == (kept > 0)


def test_one_game_of_many(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = logs_in(tmp_path / "a.jsonl", *(log.read_bytes() for log in LOGS[:3]))
    wanted = json.loads(LOGS[1].read_bytes().splitlines()[0])["game"]
    assert run(["replay", path, "--game", wanted]) == 0
    assert re.findall(r"game (\S+)\n", capfd.readouterr().out) == [wanted]
    assert run(["replay", path, "--game", "no\x1bne"]) == 2
    assert "there is no game 'no\\\\u001bne'" in capfd.readouterr().err


@pytest.mark.parametrize(
    "data", [b"", b"\x00\xff\n" * 9, b"[" * 5000 + b"\n", b'{"event":"game_started"}\n', b"1e999\n"]
)
def test_what_is_no_log_is_refused(
    data: bytes, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = logs_in(tmp_path / "a.jsonl", data)
    assert run(["replay", path]) == (1 if data else 2)
    caught = capfd.readouterr()
    assert caught.out == ""
    assert path in caught.err
    assert "Traceback" not in caught.err


def test_a_page_that_cannot_be_written_is_named_as_it_was_given(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "none" / "page.html"
    assert (
        run(["replay", logs_in(tmp_path / "a.jsonl", LOGS[0].read_bytes()), "--html", str(page)])
        == 2
    )
    assert capfd.readouterr().err == f"gonuts: {page}: No such file or directory\n"


def test_a_missing_file(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["replay", str(tmp_path / "none.jsonl")]) == 2
    assert "there is no such file or folder" in capfd.readouterr().err


def test_a_compact_log_is_told_like_the_whole_one(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = LOGS[0].read_bytes()
    compact = compact_game(log)
    assert run(["replay", logs_in(tmp_path / "whole.jsonl", log)]) == 0
    whole = capfd.readouterr().out
    assert run(["replay", logs_in(tmp_path / "a.jsonl", compact)]) == 0
    assert capfd.readouterr().out == whole
    damaged = logs_in(tmp_path / "b.jsonl", compact.replace(b'"answers":[', b'"answers":[9,'), log)
    assert run(["replay", damaged]) == 1
    caught = capfd.readouterr()
    assert caught.err.startswith(f"gonuts: {damaged}:2: ")
    assert caught.out == whole


def test_html_has_the_good_part_of_every_game(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bad = LOGS[1].read_bytes().splitlines(keepends=True)[:30]
    path = logs_in(tmp_path / "a.jsonl", LOGS[0].read_bytes(), *bad, LOGS[2].read_bytes())
    page = tmp_path / "page.html"
    assert run(["replay", path, "--html", str(page)]) == 1
    assert capfd.readouterr().err.startswith("gonuts: ")
    assert page.read_text(encoding="utf-8").count('class="game"') == 3
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.jsonl", "page.html"]


def test_html_that_cannot_be_written_leaves_what_was_there(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = logs_in(tmp_path / "a.jsonl", LOGS[0].read_bytes())
    page = tmp_path / "page.html"
    page.write_text("the old page", encoding="utf-8")
    assert run(["replay", path, "--game", "none", "--html", str(page)]) == 2
    assert run(["replay", path, "--html", path]) == 2
    assert run(["replay", path, "--html", str(tmp_path / "no" / "page.html")]) == 2
    assert "Traceback" not in capfd.readouterr().err
    assert page.read_text(encoding="utf-8") == "the old page"
    assert Path(path).read_bytes() == LOGS[0].read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


# Colour and steps


def test_colour_on_a_terminal_that_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert Paint.of(Terminal()).colour
    assert not Paint.of(io.StringIO()).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Paint.of(Terminal()).colour
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not Paint.of(Terminal()).colour


def test_colour_changes_no_word() -> None:
    lines = [json.loads(line) for line in LOGS[0].read_bytes().splitlines()]

    def text(paint: Paint) -> str:
        story = Story(lines[0], "en", paint)
        return "\n".join(
            line for event in lines[1:] for beat in story.feed(event) for line in beat.lines
        )

    coloured = text(Paint(colour=True))
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == text(PLAIN)


BEATS = [
    Beat(number, (f"<{name}>",), ({}, {}))
    for name, number in zip("abcdef", (0, 1, 1, 2, 2, 3), strict=True)
]


@pytest.mark.parametrize(
    ("keys", "shown", "through"),
    [
        (["quit"], "a", False),
        (["next", "next", "quit"], "abc", False),
        (["next"] * 6, "abcdef", True),
        (["back", "next", "back", "quit"], "aaba", False),
        (["next round", "next round", "next round", "next round", "quit"], "abdff", False),
        (
            ["next round", "next round", "next", "round before", "round before", "quit"],
            "abdedb",
            False,
        ),
    ],
)
def test_steps_go_where_the_keys_say(keys: list[str], shown: str, through: bool) -> None:
    out = io.StringIO()
    assert step_through(BEATS, ["ann", "bob"], iter(keys), out, "en", PLAIN) is through
    screens = out.getvalue().split("\x1b[H\x1b[2J")[1:]
    assert "".join(re.findall(r"<(.)>", screen)[-1] for screen in screens) == shown
    assert "ann: holds no cards" in screens[0]


def test_step_without_a_terminal_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="--step"), terminal_keys():
        pass
    assert run(["replay", "--step", str(LOGS[0])]) == 2
    assert "terminal" in capfd.readouterr().err
    assert run(["replay", "--step", "--html", "x.html", str(LOGS[0])]) == 2


def test_step_on_a_terminal() -> None:
    """Keys reach a real terminal, which is set back as it was."""
    import termios

    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    with subprocess.Popen(
        [sys.executable, "-m", "gonuts_cli", "replay", "--step", str(LOGS[0])],
        stdin=theirs,
        stdout=theirs,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        screen = b""
        for key in (b" ", b"\x1b[C", b"n", b"\x1b[D", b"q"):
            screen += _until_asked(ours)
            os.write(ours, key)
        assert process.wait() == 0
    assert termios.tcgetattr(theirs) == before
    os.close(theirs)
    os.close(ours)
    text = screen.decode()
    assert "Round 1" in text
    assert "Round 2" in text
    assert "\x1b[1m" in text


def _until_asked(descriptor: int) -> bytes:
    """What the terminal shows up to the line that says which keys there are."""
    shown = b""
    while not shown.rstrip(b"\x1b[0m\r\n").endswith(b"q to quit"):
        shown += os.read(descriptor, 4096)
    return shown
