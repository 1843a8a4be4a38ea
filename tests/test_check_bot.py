"""`gonuts check-bot`: what it says of good bots and of each kind of mistake."""

from __future__ import annotations

import json
import shlex
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from gonuts_cli.arena import check
from gonuts_cli.cli.app import run
from gonuts_cli.rules.cards import CARDS

HONEST = """
import json, random, sys
{start}
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        {hello}
        print(json.dumps({{"type": "ready", "name": "honest", "reuse": {reuse}}}), flush=True)
    elif m["type"] == "decide":
        choose = m["options"][: m["counts"][0]]
        {decide}
        print(json.dumps({{"id": m["id"], "choose": choose}}), flush=True)
    elif m["type"] == "game_over":
        {over}
"""

Said = dict[str, dict[str, str]]


def command(folder: Path, **pieces: str) -> str:
    """The command line of a bot with some pieces in place of doing nothing."""
    usual = {"start": "", "hello": "pass", "decide": "pass", "over": "pass", "reuse": "False"}
    script = folder / "bot.py"
    script.write_text(HONEST.format(**{**usual, **pieces}))
    return shlex.join([sys.executable, "-I", "-S", str(script)])


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, Said]:
    status = run(["check-bot", *arguments, "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1] == {"ok": status == 0}
    return status, {line["check"]: line for line in lines if "check" in line}


def not_ok(checks: Said) -> dict[str, str]:
    return {name: line["state"] for name, line in checks.items() if line["state"] != "ok"}


def test_an_honest_bot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, checks = said([command(tmp_path, reuse="True")], capsys)
    assert (status, not_ok(checks)) == (0, {})
    assert "'honest', ready after" in checks["starts and plays"]["found"]
    assert "with reuse" in checks["starts and plays"]["found"]


def test_every_decision_is_asked_every_time() -> None:
    found = check.situations()
    powers = {name for name in found if name in CARDS}
    asking = {"chocolate_frosted", "eclair"}  # powers that never ask
    assert powers == {kind for kind, card in CARDS.items() if card.power} - asking
    assert len(found) == len(check._WANTED)
    for name, (game, seat) in found.items():
        assert any(
            asked.player == seat and asked.decision == name.partition(",")[0]
            for asked in game.pending
        )
    again = check.situations()
    assert all(game.log() == again[name][0].log() for name, (game, _) in found.items())


def test_a_decision_that_it_gets_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = 'choose = [[]] if m["decision"] == "milk" else choose'
    status, checks = said([command(tmp_path, decide=wrong)], capsys)
    assert status == 1
    assert checks["milk"]["state"] == "failed"
    assert "illegal" in checks["milk"]["found"]
    assert "`counts`" in checks["milk"]["remedy"]
    assert checks["bear_claw"]["state"] == "ok"


def test_a_bot_that_is_another_every_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = 'choose = [random.choice(m["options"])] if m["decision"] == "bid" else choose'
    status, checks = said([command(tmp_path, decide=own)], capsys)
    assert status == 0  # it is no fault
    assert not_ok(checks) == {
        "the same game again": "noted",
        "several games in one process": "left out",
    }
    assert "`random` in `hello`" in checks["the same game again"]["remedy"]


def test_a_bot_that_remembers_the_game_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = command(
        tmp_path,
        reuse="True",
        start="games = 0",
        over="games += 1",
        decide='choose = m["options"][-1:] if games and m["decision"] == "bid" else choose',
    )
    status, checks = said([bot], capsys)
    assert (status, not_ok(checks)) == (0, {"several games in one process": "noted"})


def test_notes_before_ready_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, checks = said([command(tmp_path, start="print('Welcome!')")], capsys)
    noted = checks["nothing else before `ready`"]
    assert (status, noted["state"]) == (0, "noted")
    assert "Welcome!" in noted["found"]
    assert "standard error" in noted["remedy"]


def test_a_bot_that_prints_notes_later(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, checks = said([command(tmp_path, decide='print("thinking\\x1b[2J")')], capsys)
    assert status == 1
    assert "malformed" in checks["starts and plays"]["found"]
    assert "\x1b" not in checks["starts and plays"]["found"]


@pytest.mark.parametrize("over", ["break", "raise ValueError('in the end')", "sys.exit(3)"])
def test_a_bot_that_cannot_do_what_it_says_and_plays_one_game_only(
    over: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, checks = said([command(tmp_path, reuse="True", over=over)], capsys)
    assert status == 0, "it would be charged no fault"
    check_of_several = checks["several games in one process"]
    assert check_of_several["state"] == "noted"
    assert "3 games took 3 processes" in check_of_several["found"]


def test_a_bot_that_crashes_stops_the_check_early(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, checks = said([command(tmp_path, decide="raise ValueError('oh no')")], capsys)
    states = [line["state"] for line in checks.values()]
    assert status == 1
    assert states.count("failed") == check.ENOUGH
    assert "left out" in states
    assert "oh no" in checks["starts and plays"]["found"]


def test_a_bot_that_never_is_ready(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    silent = [command(tmp_path, start="sys.stdin.read()"), "--start-ms", "50"]
    status, checks = said(silent, capsys)
    assert status == 1
    assert "no_start" in checks["starts and plays"]["found"]
    assert {line["state"] for line in checks.values()} == {"failed", "ok", "left out"}


def test_a_bot_that_is_too_slow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slow = [command(tmp_path, decide="sys.stdin.read()"), "--move-ms", "30"]
    status, checks = said(slow, capsys)
    assert status == 1
    assert "timeout" in checks["starts and plays"]["found"]


def test_a_command_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check-bot", "no-such-program-anywhere"]) == 2
    assert "no such command" in capsys.readouterr().err
    assert run(["check-bot", "stdin"]) == 2
    assert "checks a command" in capsys.readouterr().err


def test_what_a_person_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = 'choose = ["nothing"] if m["decision"] == "red_velvet" else choose'
    assert run(["check-bot", command(tmp_path, decide=wrong)]) == 1
    lines = capsys.readouterr().out.splitlines()
    failed = next(n for n, line in enumerate(lines) if line.startswith("FAILED    red_velvet:"))
    assert "illegal" in lines[failed]
    assert lines[failed + 1].strip().startswith("-> choose among the request's `options`")
    assert any(line.split()[:1] == ["hello"] for line in lines)
    assert lines[-1].startswith("It would be charged faults: ")


def test_a_junit_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.xml"
    wrong = 'choose = ["nothing"] if m["decision"] == "milk" else choose'
    status, checks = said([command(tmp_path, decide=wrong), "--junit", str(report)], capsys)
    assert status == 1
    suite = ElementTree.parse(report).getroot().find("testsuite")
    assert suite is not None
    assert int(suite.get("tests", 0)) == len(checks)
    failed = {case.get("name") for case in suite if case.find("failure") is not None}
    assert failed == {name for name, line in checks.items() if line["state"] == "failed"}
    skipped = {case.get("name") for case in suite if case.find("skipped") is not None}
    assert skipped == {"several games in one process"}


def test_timings_are_ordered() -> None:
    checked = check.Checked(times={"bid": [float(n) for n in range(200)], "hello": [5.0]})
    hello, bid = checked.timings()
    assert hello == ("hello", 1, 5.0, 5.0, 5.0)
    assert bid == ("bid", 200, 99.5, 197.0, 199.0)
