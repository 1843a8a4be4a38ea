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


def test_a_full_disk_is_said() -> None:
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "gonuts_cli", "rules"], stdout=full, stderr=subprocess.PIPE
        )
    assert ended.returncode == 2
    assert b"No space left" in ended.stderr
