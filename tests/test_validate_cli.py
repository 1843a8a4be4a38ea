"""`gonuts validate` and `score-audit` over archives: reports, workers, what is unreadable."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

import pytest
import zstandard

from gonuts_cli.cli.app import run
from gonuts_cli.cli.archives import Progress, progress_line
from gonuts_cli.log.compact import compact_game
from gonuts_cli.log.reader import RawGame
from gonuts_cli.log.validate import validate_game

VECTORS = Path(__file__).parent / "vectors" / "games"
LOGS = sorted(VECTORS.glob("*.log.jsonl"))
COMMANDS = ["validate", "score-audit"]


def with_digest(log: bytes) -> bytes:
    start = log.rfind(b"\n", 0, -1) + 1
    ending = json.loads(log[start:])
    ending["digest"] = sha256(log[:start]).hexdigest()
    return log[:start] + json.dumps(ending, separators=(",", ":")).encode() + b"\n"


def forged(log: bytes) -> bytes:
    """The log with another score, its digest made right."""
    start = log.rfind(b"\n", 0, -1) + 1
    ending = json.loads(log[start:])
    ending["scores"][0] += 1
    return with_digest(log[:start] + json.dumps(ending).encode() + b"\n")


GOOD = LOGS[0].read_bytes()
OTHER = LOGS[7].read_bytes()
BAD = forged(OTHER)


def test_a_digest_of_other_lines_is_said_to_be_one() -> None:
    """The moves do not tell a name: only the digest shows that one was changed."""
    verdict = validate_game(RawGame("log", 0, 1, 0, GOOD.replace(b'"player-0"', b'"someone"', 1)))
    assert (verdict.ok, verdict.line) == (False, GOOD.count(b"\n"))
    assert verdict.message is not None
    assert "the digest is not that of the lines above" in verdict.message
    forged = re.sub(
        rb'"winners":\[[01]', b'"winners":[true', re.sub(rb'"digest":"..', b'"digest":"00', GOOD)
    )
    verdict = validate_game(RawGame("log", 0, 1, 0, forged))
    assert "the digest is not that" not in (verdict.message or "the digest is not that")


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Good games with a forged one, a cut one, rubbish and a damaged compact one among them."""
    path = tmp_path / "archive.jsonl"
    compact = compact_game(OTHER)
    pieces = [GOOD, BAD, OTHER, compact, compact.replace(b"[", b"[1,", 2), GOOD[:5000], b"\n"]
    path.write_bytes(b"".join([*pieces, GOOD, OTHER]))
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_good_games_are_good(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run([command, *map(str, LOGS)]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines()[-1].startswith(f"all {len(LOGS)} games are ")
    assert err == ""


def test_validate_json(archive: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--json", str(archive)]) == 1
    out, err = capfd.readouterr()
    found = lines(out)
    assert err == ""
    assert [verdict["ok"] for verdict in found] == [
        True, False, True, True, False, False, True, True,
    ]  # fmt: skip
    for verdict in found:
        keys = ["file", "game", "line", "ok", *([] if verdict["ok"] else ["error", "message"])]
        assert list(verdict) == keys
        assert verdict["file"] == str(archive)
    starts = [GOOD, BAD, OTHER, compact_game(OTHER)]
    at = 1
    for verdict, data in zip(found, starts, strict=False):
        assert verdict["line"] == (at if verdict["ok"] else at + data.count(b"\n") - 1)
        at += data.count(b"\n")
    assert found[4]["line"] in (at, at + 1)
    assert found[4]["game"] == found[3]["game"]


def test_score_audit_json(archive: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["score-audit", "--json", str(archive)]) == 1
    out, _ = capfd.readouterr()
    found = lines(out)
    keys = ["file", "game", "ok", "players", "points", "scores", "recorded", "winners"]
    assert [list(audit)[:8] for audit in found] == [keys] * 8
    assert [list(audit)[8:] for audit in found if not audit["ok"]] == [["error", "message"]] * 3
    good, bad = found[0], found[1]
    assert good["scores"] == good["recorded"] == [sum(seat.values()) for seat in good["points"]]
    assert (bad["error"], bad["recorded"][0] - bad["scores"][0]) == ("scores", 1)
    line = GOOD.count(b"\n") + BAD.count(b"\n")
    assert bad["message"].startswith(f"line {line}: ")
    assert found[3] == {**found[2], "file": str(archive)}, "the compact form counts the same"


def test_score_audit_tells_the_count_in_words(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["score-audit", str(LOGS[0])]) == 0
    out, _ = capfd.readouterr()
    ending = json.loads(GOOD.splitlines()[-1])
    assert f"  player-0: {ending['scores'][0]} points, {ending['cards'][0]} cards, wins" in out
    assert any(line.split()[:2] == ["2", "Glazed"] or "Glazed" in line for line in out.splitlines())
    assert "2 points each" in out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_report_does_not_depend_on_the_workers(
    command: str,
    form: list[str],
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    # Small batches, so that these few games are spread.
    monkeypatch.setattr("gonuts_cli.cli.archives._BATCH", 20_000)
    reports = []
    for workers in ("1", "2", "3"):
        arguments = [command, *form, str(archive), str(VECTORS), str(archive)]
        assert run([*arguments, "--workers", workers]) == 1
        reports.append(capfd.readouterr().out)
    assert reports[0] == reports[1] == reports[2]
    assert reports[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_bad_games_are_counted_and_good_ones_next_to_them_pass(
    command: str, archive: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run([command, str(archive)]) == 1
    out = capfd.readouterr().out
    assert out.splitlines()[-1].startswith("3 of 8 games are not ")


def test_a_message_shows_where_and_drives_no_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a\x1b[2J.jsonl"
    path.write_bytes(GOOD.replace(b"player-0", "\u202eann".encode()).replace(b'"plain"', b'"pl"'))
    for command in COMMANDS:
        assert run([command, str(path)]) == 1
        out, err = capfd.readouterr()
        assert not {"\x1b", "\u202e"} & set(out + err)
        assert "\\u001b[2J.jsonl:" in out


@pytest.mark.parametrize("command", [*COMMANDS, "log list", "log stats", "log compact"])
class TestUnreadable:
    def status(self, command: str, *paths: Path) -> int:
        return run([*command.split(), *map(str, paths)])

    def test_missing_file(
        self, command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert self.status(command, tmp_path / "none.jsonl", LOGS[0]) == 2
        out, err = capfd.readouterr()
        assert "none.jsonl: there is no such file or folder" in err
        assert out, "the other file is read all the same"

    def test_empty_file(
        self, command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "empty.jsonl").touch()
        assert self.status(command, tmp_path / "empty.jsonl") == 2
        assert "the file is empty" in capfd.readouterr().err

    def test_folder_without_logs(
        self, command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "notes.txt").write_text("none")
        assert self.status(command, tmp_path) == 2
        assert "the folder holds no logs" in capfd.readouterr().err

    def test_unreadable_folder_entry(
        self, command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "folder.jsonl").mkdir()
        assert self.status(command, tmp_path / "folder.jsonl") == 2
        assert "no logs" in capfd.readouterr().err

    @pytest.mark.parametrize("suffix", ["zst", "gz"])
    def test_broken_compression(
        self, command: str, suffix: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        packed = (
            zstandard.ZstdCompressor(write_checksum=True).compress(GOOD * 30)
            if suffix == "zst"
            else gzip.compress(GOOD * 30)
        )
        for number, broken in enumerate([packed[:-20], packed[:100] + b"\xff" * 40 + packed[140:]]):
            path = tmp_path / f"{number}.jsonl.{suffix}"
            path.write_bytes(broken)
            assert self.status(command, path) == 2
            err = capfd.readouterr().err
            assert f"{number}.jsonl.{suffix}: the file cannot be read on" in err
            assert "Traceback" not in err

    @pytest.mark.parametrize(
        "rubbish",
        [
            bytes(range(256)) * 50,
            b"\x00" * 3000,
            b"[" * 300_000,
            b'{"event":"game_started"' + b"9" * 5000 + b"\n",
            b'{"event":"game_started","format":"gonuts-log/2"}\n',
            b'{"event":"game_started","format":"gonuts-log-compact/1",\n',
            b"x" * 3_000_000,
        ],
        ids=["bytes", "nul", "deep", "number", "future", "compact", "long"],
    )
    def test_rubbish_is_a_bad_game_and_hides_nothing(
        self, command: str, rubbish: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "rubbish.jsonl"
        path.write_bytes(GOOD + rubbish + b"\n" + OTHER)
        assert self.status(command, path) == 1
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        first = GOOD.count(b"\n") + 1
        assert any(f"rubbish.jsonl:{line}" in out + err for line in (first, first + 1))


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_compressed_files_are_read_by_content(
    suffix: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pack = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.ZstdCompressor().compress}[suffix]
    (tmp_path / f"a.jsonl{suffix}").write_bytes(pack(GOOD + OTHER) + pack(GOOD))
    for command in COMMANDS:
        assert run([command, "--json", str(tmp_path)]) == 0
        assert len(lines(capfd.readouterr().out)) == 3


def test_standard_input() -> None:
    for workers in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "gonuts_cli", "validate", "--json", "-", "--workers", workers],
            input=GOOD + BAD,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 1
        assert [verdict["file"] for verdict in lines(done.stdout.decode())] == ["-", "-"]


def test_junit(archive: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "junit.xml"
    report.write_text("an older report")
    missing = tmp_path / "none.jsonl"
    assert run(["validate", "--junit", str(report), str(archive), str(missing)]) == 2
    found = ElementTree.parse(report).getroot()
    assert (found.get("tests"), found.get("failures"), found.get("errors")) == ("9", "3", "1")
    cases = list(found.iter("testcase"))
    failures = [failure for case in cases for failure in case.findall("failure")]
    assert len(failures) == 3
    assert all(failure.get("message", "").startswith("line ") for failure in failures)
    assert "no such file" in "".join(found.itertext()) + str(
        [error.attrib for error in found.iter("error")]
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive.jsonl", "junit.xml"]
    capfd.readouterr()
    assert run(["validate", "--junit", str(tmp_path / "no" / "junit.xml"), str(archive)]) == 2
    assert "no" in capfd.readouterr().err


def test_progress_shows_games_rate_and_time_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert progress_line(1000, 2.0, None) == "1000 games, 500 a second"
    assert progress_line(1000, 60.0, 0.25) == "1000 games, 17 a second, 3:00 left"
    path = tmp_path / "a.jsonl"
    path.write_bytes(GOOD * 4)
    now = [0.0]
    monkeypatch.setattr("gonuts_cli.cli.archives.monotonic", lambda: now[0])
    shown = io.StringIO()
    monkeypatch.setattr("sys.stderr", shown)
    progress = Progress([str(path)])
    with path.open("rb") as source:
        progress.show(1, source)
        assert shown.getvalue() == "", "nothing so soon"
        now[0] = 10.0
        os.lseek(source.fileno(), len(GOOD), os.SEEK_SET)
        progress.show(20, source)
    assert shown.getvalue() == "\r\x1b[K20 games, 2 a second, 0:30 left"
    progress.hide()
    assert shown.getvalue().endswith("\r\x1b[K")


def test_no_progress_where_nobody_looks(archive: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(["validate", str(archive)])
    assert capfd.readouterr().err == ""
