"""How commands end: messages, statuses, no traceback (SPEC §8)."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize("bot", ["builtin:sly", f"'{sys.executable} -c pass'"])
def test_a_closed_standard_input_is_one_that_has_ended(bot: str) -> None:
    """Its number must not become that of a file or a socket of ours, which never ends."""
    command = f'exec "$0" -m gonuts_cli play --seed 1 -b stdin -b {bot} <&-'
    ended = subprocess.run(
        ["sh", "-c", command, sys.executable], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 3
    assert "ended after line 0" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("command", ["validate -", "rank -", "log list -", "replay -", "score"])
def test_commands_that_read_a_closed_standard_input_say_so(command: str) -> None:
    ended = subprocess.run(
        ["sh", "-c", f'exec "$0" -m gonuts_cli {command} <&-', sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == (0 if command == "score" else 2)
    assert "Traceback" not in ended.stderr


def test_what_is_for_people_never_goes_to_standard_output(tmp_path: Path) -> None:
    command = 'exec "$0" -m gonuts_cli play --json -o "$1" --seed 1 -b false -b builtin:sly 2>&-'
    words = ["sh", "-c", command, sys.executable, str(tmp_path / "game")]
    ended = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["winners"] == [1]


def test_a_tournament_plays_with_a_closed_standard_error(tmp_path: Path) -> None:
    command = 'exec "$0" -m gonuts_cli tournament -b builtin:sly -b builtin:greedy '
    words = ["sh", "-c", f'{command} --deals 1 --out "$1" 2>&-', sys.executable, str(tmp_path)]
    ended = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, "2 games" in ended.stdout) == (0, True)


def test_a_report_is_not_written_over_the_log_that_it_is_of(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    log.write_bytes(GOLDEN.read_bytes())
    ended = run("validate", str(log), "--junit", str(log))
    assert (ended.returncode, "both name" in ended.stderr) == (2, True)
    assert log.read_bytes() == GOLDEN.read_bytes()


@pytest.mark.parametrize("module", ["gonuts_cli.cli.app", "typer", "gonuts_cli.cli.rules"])
def test_interrupted_while_it_is_loaded_a_command_ends_as_always(module: str) -> None:
    program = f"""
import builtins, sys
real = builtins.__import__
def load(name, *rest, **more):
    if name == {module!r}:
        raise KeyboardInterrupt
    return real(name, *rest, **more)
builtins.__import__ = load
sys.argv = ["gonuts", "rules"]
from gonuts_cli.__main__ import main
main()
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) in [(130, "gonuts: interrupted\n"), (0, "")]
    assert ended.returncode == 130 or module == "gonuts_cli.cli.rules"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["validate", str(GOLDEN), "--junit", "no/r.xml"], "/no: No such file or directory"),
        (["log", "compact", str(GOLDEN), "-o", "no/c.jsonl"], "/no: No such file or directory"),
        (["play", *["-b", "builtin:sly"] * 2, "-o", "."], "is a folder"),
        (["tournament", *["-b", "builtin:sly"] * 2, "--out", str(GOLDEN)], "is a file"),
        (["tournament", *["-b", "builtin:sly"] * 2, "--config", os.devnull], "in /dev/null"),
    ],
)
def test_where_nothing_can_be_written_is_named(words: list[str], said: str) -> None:
    ended = run(*words)
    assert (ended.returncode, said in ended.stderr) == (2, True)
    assert ".part" not in ended.stderr


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
