"""What docs/bot-protocol.md tells is so: its bots play, and its tables name all there is."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from gonuts_cli.arena.check import situations
from gonuts_cli.cli.app import run
from gonuts_cli.rules.engine import FAULTS

DOC = Path(__file__).parent.parent / "docs" / "bot-protocol.md"


def blocks(language: str) -> list[str]:
    """The contents of the page's code blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", DOC.read_text(), re.DOTALL | re.MULTILINE)


PATIENT = ["--start-ms", "120000", "--move-ms", "60000"]


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """The page's shell bot as a file."""
    (script,) = (block for block in blocks("sh") if block.startswith("#!"))
    path = tmp_path / "first.sh"
    path.write_text(script)
    return path


def test_the_shell_bot_plays_everything(first: Path) -> None:
    assert run(["check-bot", shlex.join(["sh", str(first)]), *PATIENT]) == 0


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_the_jq_bot_plays_everything(tmp_path: Path) -> None:
    (program,) = blocks("jq")
    (tmp_path / "first.jq").write_text(program)
    command = ["jq", "--unbuffered", "-c", "-f", str(tmp_path / "first.jq")]
    assert run(["check-bot", shlex.join(command), *PATIENT]) == 0


def test_pasting_lines_into_a_bot(first: Path) -> None:
    (example,) = (block for block in blocks("sh") if block.startswith("cat >"))
    done = subprocess.run(["sh", "-c", example], cwd=first.parent, capture_output=True, text=True)
    told = re.findall(r"^# (.*)$", example, re.MULTILINE)
    assert done.stdout.splitlines() == told
    assert done.stderr == ""


def test_every_decision_and_every_fault_is_in_the_tables() -> None:
    text = DOC.read_text()
    for name in {*(name.partition(",")[0] for name in situations()), "bid"}:
        assert f"| `{name}` |" in text
    for fault in FAULTS:
        assert f"`{fault}`" in text
