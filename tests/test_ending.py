"""How commands end: messages, statuses, no traceback (SPEC §8)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "replays" / "milk-three.jsonl"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gonuts_cli", *arguments],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("arguments", [["replay", str(GOLDEN), "--lang", "fr"], ["rules"]])
def test_a_terminal_that_lacks_letters_is_shown_their_codes(arguments: list[str]) -> None:
    shown = run(*arguments, PYTHONIOENCODING="ascii")
    assert shown.returncode == 0
    assert "\\xc9clair" in shown.stdout


@pytest.mark.parametrize("command", ["validate", "score-audit", "replay"])
@pytest.mark.parametrize("path", ["none.jsonl", os.devnull])
def test_what_cannot_be_read_is_named(command: str, path: str) -> None:
    ended = run(command, path)
    assert ended.returncode == 2
    assert path in ended.stderr
    assert "Traceback" not in ended.stderr


def test_help_lists_every_command() -> None:
    from gonuts_cli.cli.app import COMMANDS

    shown = run("--help")
    assert shown.returncode == 0
    for name in COMMANDS:
        assert name in shown.stdout
    assert run("nonsense").returncode == 2
    assert run("--version").stdout.startswith("gonuts ")


@pytest.mark.parametrize("words", ["rules", "--version", "--help", "play --help"])
def test_a_full_disk_is_said(words: str) -> None:
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "gonuts_cli", *words.split()],
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert ended.returncode == 2
    assert b"No space left" in ended.stderr
    assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize("command", ["rules", "score", "validate -"])
def test_a_closed_standard_output_is_said(command: str) -> None:
    ended = subprocess.run(
        ["sh", "-c", f'exec "$0" -m gonuts_cli {command} >&- </dev/null', sys.executable],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert ended.returncode == 2
    assert "standard output is closed" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_page_goes_through_a_pipe_and_does_not_replace_it(tmp_path: Path) -> None:
    pipe = tmp_path / "page"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [sys.executable, "-m", "gonuts_cli", "replay", str(GOLDEN), "--html", str(pipe)]
    ) as writer:
        page = pipe.read_text("utf-8")
    assert writer.returncode == 0
    assert page.startswith("<!")
    assert pipe.is_fifo()


def test_a_seed_file_without_an_end_is_refused() -> None:
    bots = ["--bot", "builtin:random", "--bot", "builtin:random"]
    ended = run("play", *bots, "--seed-file", "/dev/zero")
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr


def test_a_ruling_that_the_resumed_log_does_not_have_is_refused(tmp_path: Path) -> None:
    golden = GOLDEN.with_name("cinnamon_twist-others-pass.jsonl").read_bytes()
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(golden[: len(golden) // 2])
    seed = golden.rpartition(b'"seed":"')[2].partition(b'"')[0].decode()
    bots = ["--bot", "builtin:random"] * golden.partition(b"\n")[0].count(b'"player-')
    options = ["--resume", str(cut), "--seed", seed, *bots]
    assert run("play", *options, "--ruling", "twist_empty=cancel").returncode == 2
    assert cut.read_bytes() == golden[: len(golden) // 2]
    assert run("play", *options, "--ruling", "twist_empty=others_pass").returncode == 0
