"""`gonuts play` as a program (SPEC §6, §8)."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gonuts_cli.game import Game
from gonuts_cli.log.reader import RawGame
from gonuts_cli.log.validate import validate_game

VECTORS = Path(__file__).with_name("vectors") / "games"
HOSTILE = Path(__file__).with_name("bots") / "hostile.py"
HONEST = f"{sys.executable} -S -E {HOSTILE} honest"
PATIENT = ("--start-ms", "60000", "--move-ms", "60000")
LONG_SEED = "a seed that nobody guesses by trying, surely"


def play(
    *arguments: str, given: bytes = b"", folder: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "gonuts_cli", "play", *arguments],
        input=given,
        capture_output=True,
        cwd=folder,
        check=False,
    )


def vector(name: str) -> tuple[bytes, bytes, list[str]]:
    """The moves, the log, and the options that play it."""
    moves = (VECTORS / f"{name}.moves.jsonl").read_bytes()
    log = (VECTORS / f"{name}.log.jsonl").read_bytes()
    started, ended = json.loads(log.splitlines()[0]), json.loads(log.splitlines()[-1])
    options = ["--seed", ended["seed"], "--game", started["game"]]
    for player in started["players"]:
        options += ["-b", f"{player}=stdin"]
    for name_, value in started["rulings"].items():
        options += ["--ruling", f"{name_}={value}"]
    for name_, value in started.get("tags", {}).items():
        options += ["--tag", f"{name_}={value}"]
    return moves, log, options


@pytest.mark.parametrize("name", ["2p-0", "3p-0", "4p-1", "6p-2"])
def test_a_whole_game_on_standard_input_gives_the_log_byte_for_byte(name: str) -> None:
    moves, log, options = vector(name)
    played = play(*options, given=moves)
    assert (played.returncode, played.stdout) == (0, log)


def test_answers_asked_at_once_come_in_any_order_with_blank_lines_and_crlf() -> None:
    moves, log, options = vector("3p-0")
    lines = moves.splitlines()
    bids = sorted(lines[:3], reverse=True)
    given = b"\r\n".join([b"", *bids, b"  ", *lines[3:]])
    played = play(*options, given=given)
    assert (played.returncode, played.stdout) == (0, log)


@pytest.mark.parametrize(
    ("lines", "number", "said"),
    [
        ([b'{"player":0,"choose":[9]}'], 1, "9 is not one of the options 1, 2, 3"),
        ([b"", b'{"player":0,"choose":[true]}'], 2, "true is not one of"),
        ([b'{"player":0,"choose":[1]}'] * 2, 2, "seat 0 is not asked now"),
        ([b'{"player":5,"choose":[1]}'], 1, "seat 5 is not asked now"),
        ([b'{"player":true,"choose":[1]}'], 1, "`player` must be a seat"),
        ([b'{"player":0,"choose":1}'], 1, "`choose` must be a list"),
        ([b'{"player":0}'], 1, "`choose` must be a list"),
        ([b'{"player":0,"decision":"milk","choose":[1]}'], 1, "bid is asked"),
        ([b'{"player":0,"decision":"\\ud800","choose":[1]}'], 1, "bid is asked"),
        ([b'{"player":0,"decision":%b1%b}' % (b"[" * 300, b"]" * 300)], 1, "bid is asked"),
        ([b"hello"], 1, "no JSON"),
        ([b"[1]"], 1, "a list"),
        ([b"\xff\xfe"], 1, "not UTF-8"),
        ([b"[" * 100_000], 1, "nested"),
        ([b"x" * 3_000_000], 1, "without a line end"),
        ([b'{"player":0,"choose":[1]}', b'{"player":1,"choose":[2]}'], 2, "ended after line 2"),
        ([], 1, "ended after line 1"),
    ],
)
def test_a_line_that_is_wrong_is_named_and_what_was_played_stays(
    lines: list[bytes], number: int, said: str
) -> None:
    played = play("-p", "2", "--seed", "1", given=b"\n".join(lines) + b"\n")
    assert played.returncode == 3
    message = played.stderr.decode()
    assert f"line {number}" in message
    assert said in message
    assert "Traceback" not in message
    assert len(message) < 500
    assert Game(2, "1").log() == b"".join(played.stdout.splitlines(keepends=True)[:5])


def test_a_line_after_the_end_is_an_error_and_the_game_is_recorded() -> None:
    moves, log, options = vector("2p-1")
    after = len(moves.splitlines()) + 2
    played = play(*options, given=moves + b'\n{"player":0,"choose":[1]}\n')
    assert (played.returncode, played.stdout) == (3, log)
    assert f"line {after}: the game is over".encode() in played.stderr


def test_an_optional_decision_key_and_keys_of_the_log_are_accepted() -> None:
    _, log, options = vector("2p-0")
    decided = [line for line in log.splitlines() if b'"decided"' in line]
    assert play(*options, given=b"\n".join(decided)).stdout == log


def test_a_program_can_drive_a_game_line_by_line_with_prompts() -> None:
    driven = subprocess.Popen(
        [sys.executable, "-m", "gonuts_cli", *["play", "-p", "3", "--seed", "5", "--prompt"]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert driven.stdin is not None
    assert driven.stdout is not None
    log, asked = [], 0
    for line in driven.stdout:
        message = json.loads(line)
        if "event" in message:
            log.append(line)
            continue
        asked += 1
        assert message["id"] == asked
        answer = {"player": message["player"], "choose": message["options"][: message["counts"][0]]}
        driven.stdin.write(json.dumps(answer).encode() + b"\n")
        driven.stdin.flush()
    # The other end is still open: the end of the game does not wait for it.
    assert driven.wait() == 0
    driven.stdin.close()
    driven.stdout.close()
    game = Game(3, "5")
    while game.pending:
        for decision in game.pending:
            game.choose(decision.player, decision.default)
    assert b"".join(log) == game.log()


def test_bots_of_every_kind_in_one_game_and_the_same_game_twice(tmp_path: Path) -> None:
    options = ["-b", HONEST, "-b", "g=builtin:greedy", "-b", "builtin:random", *PATIENT]
    for name in ("a", "b"):
        record = str(tmp_path / name)
        played = play(*options, "--seed", LONG_SEED, "-o", record, "--tag", "b=2", "--tag", "a=1")
        assert (played.returncode, played.stderr) == (0, b"")
    log = (tmp_path / "a").read_bytes()
    assert log == (tmp_path / "b").read_bytes()
    started = json.loads(log.splitlines()[0])
    assert started["players"] == ["player-0", "g", "player-2"]
    assert list(started["tags"].items()) == [("a", "1"), ("b", "2")]


def test_the_result_is_for_people_or_with_json_one_line(tmp_path: Path) -> None:
    options = ["-b", "ann=builtin:greedy", "-b", "bob=builtin:random", "--seed", "1"]
    text = play(*options, "-o", str(tmp_path / "a")).stdout.decode()
    assert "ann" in text
    assert " points " in text
    assert "wins" in text
    line = json.loads(play(*options, "-o", str(tmp_path / "b"), "--json").stdout)
    log = json.loads((tmp_path / "a").read_bytes().splitlines()[-1])
    assert line["scores"] == log["scores"]
    assert line["winners"] == log["winners"]
    assert line["players"] == ["ann", "bob"]
    assert line["faults"] == [{}, {}]


def test_with_json_and_no_record_the_output_is_the_log() -> None:
    played = play("-b", "builtin:random", "-b", "builtin:random", "--seed", "1", "--json")
    assert [json.loads(line) for line in played.stdout.splitlines()][-1]["event"] == "game_ended"


def test_a_record_that_exists_is_refused_unless_forced(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    record.write_bytes(b"precious")
    options = ["-b", "builtin:random", "-b", "builtin:random", "-o", str(record)]
    refused = play(*options)
    assert refused.returncode == 2
    assert b"--force" in refused.stderr
    assert record.read_bytes() == b"precious"
    assert play(*options, "--force").returncode == 0
    assert b'"game_ended"' in record.read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "say who plays"),
        (["-b", "builtin:random"], "2 to 6 players"),
        (["-b", "builtin:random"] * 7, "2 to 6 players"),
        (["-p", "3", *["-b", "builtin:random"] * 2], "--bot is given 2 times"),
        (["-b", "builtin:none", "-b", "stdin"], "builtin:greedy"),
        (["-b", "human", "-b", "stdin"], "not both in one game"),
        (["-b", "no-such-command-anywhere x", "-b", "stdin"], "no such command"),
        (["-b", "~/bot.py", "-b", "stdin"], "instead of ~"),
        (["-b", "/tmp", "-b", "stdin"], "/tmp is a folder"),
        (["-b", "greedy", "-b", "stdin"], "is builtin:greedy"),
        (["-b", "a/b=python3 x", "-b", "stdin"], "letters, digits and . _ - only"),
        (["-b", "my bot=builtin:sly", "-b", "stdin"], "'my bot' cannot stand before the ="),
        (["-b", "Ann's=human", "-b", "stdin"], "cannot stand before the ="),
        (["-b", "builtin:sly", "-b", "stdin", "--timings", "no/t", "-o", "new"], "no/t"),
        (["-b", "builtin:sly", "-b", "stdin", "--timings", "/", "-o", "new"], "/"),
        (["-p", "2", "--timings", "new", "-o", "./new"], "--record and --timings both name new"),
        (["-p", "2", "--seed-file", "s", "-o", "s", "--force"], "both name s"),
        (["-b", "'open", "-b", "stdin"], "cannot be split"),
        (["-b", "", "-b", "stdin"], "empty"),
        (["-b", "a=stdin", "-b", "a=stdin"], "same name"),
        (["-b", f"{'a' * 65}=stdin", "-b", "stdin"], "1 to 64 characters"),
        (["-p", "2", "--seed", ""], "1 to 128 characters"),
        (["-p", "2", "--seed", "a\x07b"], "U+0007"),
        (["-p", "2", "--seed", "1", "--seed-file", "f"], "not both"),
        (["-p", "2", "--ruling", "nonsense=1"], "ruling"),
        (["-p", "2", "--ruling", "x"], "NAME=VALUE"),
        (["-p", "2", "--tag", "x"], "KEY=VALUE"),
        (["-p", "2", "--memory", "100"], "belong to --sandbox"),
        (["-p", "2", "--resume", "nothing-there"], "nothing-there"),
        (["-p", "2", "--at", "3"], "belong together"),
        (["-p", "2", "-o", "no/such/folder/x"], "no/such/folder/x"),
        (["-p", "9"], "9"),
        (["-p", "2", "--move-ms", "0"], "0"),
        (["-p", "2", "--move-ms", str(2**64)], "is not in the range"),
        (["-p", "2", "--start-ms", "1000000001"], "is not in the range"),
        (["-p", "2", "--sandbox", "--cpu-seconds", str(2**64)], "is not in the range"),
    ],
)
def test_what_cannot_be_is_said_with_status_2_and_leaves_nothing(
    options: list[str], said: str, tmp_path: Path
) -> None:
    played = play(*options, folder=tmp_path)
    assert (played.returncode, played.stdout) == (2, b"")
    assert said in played.stderr.decode()
    assert b"Traceback" not in played.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_run_stops_play_before_the_game(tmp_path: Path) -> None:
    bad = tmp_path / "bot"
    bad.write_bytes(b"\x00\x01 no program")
    bad.chmod(0o755)
    record = tmp_path / "game.jsonl"
    played = play("-b", str(bad), "-b", "builtin:random", "-o", str(record))
    assert played.returncode == 2
    assert b"cannot start" in played.stderr
    assert b"it is no program" in played.stderr
    assert not record.exists()
    bots = ["-b", str(bad), "-b", "builtin:random", "--out", str(tmp_path / "out")]
    command = [sys.executable, "-m", "gonuts_cli", "tournament", *bots, "--deals", "1"]
    tournament = subprocess.run(command, capture_output=True, check=False)
    assert tournament.returncode == 2
    assert b"bot 'player-0': cannot start" in tournament.stderr, tournament.stderr
    assert not (tmp_path / "out" / "games.jsonl").read_bytes()


@pytest.mark.parametrize("command", ["play", "check-bot", "tournament"])
def test_a_bot_that_is_a_pipe_is_refused_and_not_waited_for(command: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    pipe.chmod(0o755)
    out = ["--out", str(tmp_path / "out")] if command == "tournament" else []
    bots = [str(pipe)] if command == "check-bot" else ["-b", str(pipe), "-b", "builtin:random"]
    done = subprocess.run(
        [sys.executable, "-m", "gonuts_cli", command, *bots, *out], capture_output=True, check=False
    )
    assert (done.returncode, b"pipe is no file that could be run" in done.stderr) == (2, True)


IN_ITS_FIRST_LINE = "in its first line, behind #!, and that"
FIRST_LINES = {
    "#!/no/such/python\n": "/no/such/python in its first line",
    "#!/dev/null\n": f"/dev/null {IN_ITS_FIRST_LINE} is no",
    "#!/bin/sh\r\n": "ends with CR LF",
    "\ufeff#!/bin/sh\n": "begins with a byte order mark",
    "import sys\n": "write one",
    "": "is empty",
    "#!\n": "names nothing in its first line",
    "#! /bin/sh\f\n": f"{IN_ITS_FIRST_LINE} is not there",
    "#!\v/bin/sh\n": f"{IN_ITS_FIRST_LINE} is not there",
    "#!python3\n": "write #!/usr/bin/env python3",
    "#!plain\n": f"plain {IN_ITS_FIRST_LINE} may not be",
    "#!./bot.py\n": "is one script too many",
    "\ufeff#!/bin/sh\n".encode("utf-16-le").decode("latin-1"): "UTF-16",
    "#!text\n": f"{IN_ITS_FIRST_LINE} is a text",
}


@pytest.mark.parametrize(
    ("content", "mode", "command", "said"),
    [
        *((content, 0o755, "./bot.py", said) for content, said in FIRST_LINES.items()),
        ("import sys\n", 0o644, "./bot.py", "chmod +x"),
        ("#!/bin/sh\n", 0o755, "bot.py", "is called ./bot.py"),
    ],
)
def test_a_script_that_cannot_be_run_is_said_with_what_is_missing(
    content: str, mode: int, command: str, said: str, tmp_path: Path
) -> None:
    script = tmp_path / "bot.py"
    script.write_bytes(content.encode("latin-1" if "\xff" in content else "utf-8"))
    script.chmod(mode)
    (tmp_path / "plain").write_text("no program\n")
    (tmp_path / "text").write_text("no program\n")
    (tmp_path / "text").chmod(0o755)
    bots = ["-b", command, "-b", "builtin:random"]
    assert said in play(*bots, folder=tmp_path).stderr.decode()
    tournament = [sys.executable, "-m", "gonuts_cli", "tournament", *bots, "--out", "out"]
    done = subprocess.run(tournament, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, said in done.stderr.decode()) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "first_line", ["#!/usr/bin/env -S sh -e\r", "#! /bin/sh\0evil", "#!\t/bin/sh \t"]
)
def test_what_the_system_runs_is_played(first_line: str, tmp_path: Path) -> None:
    script = tmp_path / "bot.sh"
    script.write_text(f"{first_line}\nexec {HONEST}\n")
    script.chmod(0o755)
    played = play("-b", str(script), "-b", "builtin:random", *PATIENT)
    assert (played.returncode, played.stderr) == (0, b"")


def test_a_name_that_ends_with_cr_is_no_fault_where_there_is_such_a_file(tmp_path: Path) -> None:
    (tmp_path / "sh\r").symlink_to("/bin/sh")
    script = tmp_path / "bot.sh"
    for first_line in f"#!{tmp_path}/sh\r", "#!/usr/bin/env sh\r":
        script.write_text(f"{first_line}\nexec {HONEST}\n", newline="")
        script.chmod(0o755)
        env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        command = [sys.executable, "-c", FIND, str(script), ""]
        assert subprocess.run(command, env=env, check=False).returncode == 0


def test_a_path_from_a_folder_on_leads_to_a_bots_program(tmp_path: Path) -> None:
    folder = tmp_path / "bots"
    folder.mkdir()
    (folder / "mine").write_text(f"#!/bin/sh\nexec {HONEST}\n")
    (folder / "mine").chmod(0o755)
    for path in ".", "":
        env = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}
        command = [sys.executable, "-c", FIND, "mine", str(folder)]
        assert subprocess.run(command, cwd="/", env=env, check=False).returncode == 0


FIND = (
    "import sys; from gonuts_cli.players.programs import find_program; find_program(*sys.argv[1:])"
)


def test_a_seed_file_is_made_once_for_nobody_else_and_used_again(tmp_path: Path) -> None:
    seed_file = tmp_path / "seed"
    options = ["-b", "builtin:random", "-b", "builtin:random", "--seed-file", str(seed_file)]
    first = play(*options)
    assert first.returncode == 0
    assert seed_file.stat().st_mode & 0o777 == 0o600
    seed = seed_file.read_text()
    assert len(seed) == 65
    assert json.loads(first.stdout.splitlines()[-1])["seed"] == seed[:-1]
    assert play(*options).stdout == first.stdout
    seed_file.write_text(" two words \n\n")
    assert b"U+000A" in play(*options).stderr
    seed_file.write_text(" two words \n")
    assert json.loads(play(*options).stdout.splitlines()[-1])["seed"] == " two words "
    seed_file.write_bytes(b"\xff")
    assert play(*options).returncode == 2


def test_a_seed_that_can_be_guessed_is_warned_of_with_processes_only(tmp_path: Path) -> None:
    builtin = ["-b", "builtin:random"]
    process = ["-b", HONEST, *PATIENT]
    assert b"can be guessed" in play(*builtin, *process, "--seed", "1").stderr
    assert play(*builtin, *process, "--seed", LONG_SEED).stderr == b""
    assert play(*builtin, *builtin, "--seed", "1").stderr == b""
    assert play(*builtin, *process).stderr == b""
    assert play(*builtin, *process, "--seed-file", str(tmp_path / "new")).stderr == b""
    (tmp_path / "old").write_text("1\n")
    assert (
        b"can be guessed" in play(*builtin, *process, "--seed-file", str(tmp_path / "old")).stderr
    )


def test_faults_are_told_after_the_game_with_the_bots_last_words(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    bots = ["-b", f"bad={sys.executable} -S -E {HOSTILE} junk_at_move", "-b", "builtin:random"]
    played = play(*bots, *PATIENT, "-o", str(record), "--seed", LONG_SEED)
    said = played.stderr.decode()
    assert played.returncode == 0
    assert said.count("malformed") == 3
    assert "Thinking..." in said
    assert "print notes to standard error" in said
    assert 'Right would be, for example: {"id":1,"choose":[1]}' in said
    assert "put out" in played.stdout.decode()


def test_last_words_are_those_of_the_game_beside_them(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    words = tmp_path / "game.jsonl.seat0.stderr.txt"
    script = tmp_path / "loud.sh"
    script.write_text("#!/bin/sh\necho I give up >&2\n")
    script.chmod(0o755)
    play("-b", str(script), "-b", "builtin:random", *PATIENT, "-o", str(record))
    assert words.read_text() == "I give up\n"
    refused = play("-b", HONEST, "-b", "builtin:random", *PATIENT, "-o", str(record))
    assert (refused.returncode, words.exists()) == (2, True)
    (tmp_path / "game.jsonl.seat5.stderr.txt").write_text("of a game of six")
    play("-b", HONEST, "-b", "builtin:random", *PATIENT, "-o", str(record), "--force")
    assert sorted(tmp_path.iterdir()) == [record, script]


def test_words_that_cannot_be_kept_hide_nothing(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    script = tmp_path / "loud.sh"
    script.write_text("#!/bin/sh\necho I give up >&2\n")
    script.chmod(0o755)
    for seat in range(2):
        (tmp_path / f"game.jsonl.seat{seat}.stderr.txt").mkdir()
    played = play("-b", str(script), "-b", HONEST, *PATIENT, "-o", str(record))
    assert played.returncode == 0
    assert b"Is a directory: what seat 0 said is not kept" in played.stderr
    assert b"what seat 1 said" not in played.stderr
    assert b"player-1" in played.stdout


@pytest.mark.parametrize("old", ["precious", ""])
def test_what_is_refused_leaves_an_old_record_as_it_was(old: str, tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    record.write_text(old)
    options = ["-o", str(record), "--force", "--timings", str(tmp_path / "no" / "x")]
    played = play("-b", HONEST, "-b", "builtin:random", *PATIENT, *options)
    assert (played.returncode, record.read_text()) == (2, old)


def test_a_resumed_game_that_is_refused_leaves_its_log_as_it_was(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    broken_off = Game(2, LONG_SEED).log() + b'{"event":"deci'
    record.write_bytes(broken_off)
    options = [
        "--resume",
        str(record),
        "--seed",
        LONG_SEED,
        "--timings",
        str(tmp_path / "no" / "x"),
    ]
    played = play("-b", "builtin:random", "-b", "builtin:random", *options)
    assert (played.returncode, record.read_bytes()) == (2, broken_off)


@pytest.mark.parametrize("seat", [0, 5])
def test_words_of_another_game_are_not_overwritten_unasked(seat: int, tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    words = tmp_path / f"game.jsonl.seat{seat}.stderr.txt"
    words.write_text("of a game that was moved away")
    options = ["-b", HONEST, "-b", "builtin:random", *PATIENT, "-o", str(record)]
    played = play(*options)
    assert played.returncode == 2
    assert f"{words} exists already" in played.stderr.decode()
    assert list(tmp_path.iterdir()) == [words]
    assert play(*options, "--force").returncode == 0
    assert list(tmp_path.iterdir()) == [record]


@pytest.mark.parametrize("option", ["--timings", "--seed-file"])
def test_nothing_else_goes_where_the_words_of_a_seat_do(option: str, tmp_path: Path) -> None:
    record, file = tmp_path / "game.jsonl", tmp_path / "game.jsonl.seat1.stderr.txt"
    played = play("-p", "2", "-o", str(record), option, str(file))
    assert played.returncode == 2
    assert f"{option} and what seat 1 says both name {file}" in played.stderr.decode()
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_is_gone_on_with_by_another_name_has_its_words_beside_it(
    tmp_path: Path,
) -> None:
    log, link = tmp_path / "game.jsonl", tmp_path / "link.jsonl"
    log.write_bytes(Game(2, LONG_SEED).log())
    link.symlink_to(log)
    seed_file = tmp_path / "game.jsonl.seat0.stderr.txt"
    seed_file.write_text(LONG_SEED)
    options = ["--resume", str(log), "-o", str(link), "--seed-file", str(seed_file)]
    played = play("-b", "builtin:random", "-b", "builtin:random", *options)
    assert played.returncode == 2
    assert b"what seat 0 says both name" in played.stderr


def test_a_pipe_where_words_should_go_is_not_waited_for(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    record.write_bytes(Game(2, LONG_SEED).log())
    script = tmp_path / "loud.sh"
    script.write_text("#!/bin/sh\necho I give up >&2\n")
    script.chmod(0o755)
    for seat in range(2):
        os.mkfifo(tmp_path / f"game.jsonl.seat{seat}.stderr.txt")
    before = sorted(tmp_path.iterdir())
    bots = ["-b", str(script), "-b", "builtin:random", *PATIENT]
    for options in ["--resume", str(record), "--seed", LONG_SEED], ["-o", str(record), "--force"]:
        played = play(*bots, *options)
        assert played.returncode == 0
        assert b"it is no usual file: what seat 0 said is not kept" in played.stderr
        assert sorted(tmp_path.iterdir()) == before


def test_a_record_may_have_the_longest_name_where_nobody_says_anything(tmp_path: Path) -> None:
    record = tmp_path / ("r" * 255)
    played = play("-b", "builtin:random", "-b", "builtin:random", "-o", str(record))
    assert (played.returncode, played.stderr) == (0, b"")


def test_in_a_game_that_goes_on_in_its_file_the_words_go_on_too(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    words = tmp_path / "game.jsonl.seat0.stderr.txt"
    script = tmp_path / "loud.sh"
    script.write_text("#!/bin/sh\necho I give up >&2\n")
    script.chmod(0o755)
    bots = ["-b", str(script), "-b", "stdin", "-b", "builtin:random"]
    seed = ["--seed", LONG_SEED]
    assert play(*bots, *PATIENT, *seed, "-o", str(record)).returncode == 3
    words.write_text("first words\n")
    bots[3] = "builtin:random"
    record.write_bytes(b"".join(record.read_bytes().splitlines(True)[:5]))
    assert play(*bots, *PATIENT, *seed, "--resume", str(record)).returncode == 0
    assert words.read_text() == "first words\nI give up\n"


def test_what_a_bot_writes_cannot_drive_the_terminal(tmp_path: Path) -> None:
    bot = tmp_path / "bot.sh"
    bot.write_text("#!/bin/sh\nprintf '\\033[2Jgone\\n' >&2\nprintf '\\033]0;x\\007\\n'\n")
    bot.chmod(0o755)
    said = play("-b", str(bot), "-b", "builtin:random", *PATIENT).stderr
    assert b"\x1b" not in said
    assert b"\\u001b[2Jgone" in said


def test_when_the_record_cannot_be_written_on_it_is_said_how_the_game_goes_on(
    tmp_path: Path,
) -> None:
    """The seed was drawn: nobody else can tell it."""
    record = tmp_path / "game.jsonl"
    played = subprocess.run(
        [sys.executable, "-m", "gonuts_cli", "play", *["-b", "builtin:sly"] * 2, "-o", str(record)],
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        text=True,
        check=False,
    )
    assert played.returncode == 2
    assert "File too large" in played.stderr
    seed = re.search(r"goes on with --resume \S+, --seed ([0-9a-f]{64}) ", played.stderr)
    assert seed is not None
    again = play("--resume", str(record), "--seed", seed[1], *["-b", "builtin:sly"] * 2)
    assert again.returncode == 0
    assert validate_game(RawGame("", 0, 1, 0, record.read_bytes())).ok


def test_timings_say_what_each_used_and_what_the_referee_added(tmp_path: Path) -> None:
    timings = tmp_path / "times.jsonl"
    options = ["-b", f"a={HONEST}", "-b", "builtin:random", *PATIENT, "--seed", LONG_SEED]
    played = play(*options, "--timings", str(timings))
    lines = [json.loads(line) for line in timings.read_bytes().splitlines()]
    exchanges = [line for line in lines if "decision" in line]
    totals = [line for line in lines if "decisions" in line]
    assert [(line["player"], line["name"]) for line in totals] == [(0, "a"), (1, "player-1")]
    decided = [json.loads(line) for line in played.stdout.splitlines() if b'"decided"' in line]
    told = [(line["player"], line["decision"]) for line in exchanges if line["decision"] != "hello"]
    assert told == [(line["player"], line["decision"]) for line in decided]
    for total in totals:
        mine = [line for line in exchanges if line["player"] == total["player"]]
        moves = [line for line in mine if line["decision"] != "hello"]
        assert total["decisions"] == len(moves)
        assert total["used_ms"] == pytest.approx(sum(line["used_ms"] for line in moves), abs=0.1)
    assert all(line["used_ms"] >= 0 and line["referee_ms"] >= 0 for line in exchanges)
    assert b"_ms" not in played.stdout


def test_who_reads_only_the_beginning_of_the_log_causes_no_traceback() -> None:
    head = subprocess.run(
        f"{sys.executable} -m gonuts_cli play -b builtin:random -b builtin:sly --seed 1 | head -1",
        shell=True,
        capture_output=True,
        check=False,
    )
    assert head.stdout.count(b"\n") == 1
    assert head.stderr == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_is_said_with_status_2() -> None:
    full = play("-b", "builtin:random", "-b", "builtin:random", "-o", "/dev/full", "--force")
    assert full.returncode == 2
    assert b"No space left" in full.stderr
    assert b"Traceback" not in full.stderr


def test_a_person_sees_the_table_types_numbers_and_may_ask_for_rules() -> None:
    typed = b"?\nmilk\n77\n" + b"1\n" * 200
    played = play("-b", "ann=human", "-b", "builtin:random", "--seed", "3", given=typed)
    said = played.stderr.decode()
    assert played.returncode == 0, said[-300:]
    assert "ann (you)" in said
    assert "Round 2" in said
    assert "77 is not on offer" in said
    assert b'"game_ended"' in played.stdout
    french = play(
        *("-b", "human", "-b", "builtin:random", "--seed", "3", "--lang", "fr"), given=b"q\n"
    )
    assert french.returncode == 3
    assert "Tour 1" in french.stderr.decode()


def test_two_people_at_one_terminal_are_asked_one_after_the_other() -> None:
    played = play("-b", "ann=human", "-b", "bob=human", "--seed", "3", given=b"1\n2\nq\n")
    said = played.stderr.decode()
    assert said.index("ann (you)") < said.index("bob (you)")
    assert played.stdout.count(b'"decided"') == 2
    assert said.count("Bids:") == 1


def test_on_a_terminal_the_log_is_held_back_while_a_person_plays() -> None:
    ours, theirs = pty.openpty()
    person = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "gonuts_cli",
            *["play", "-b", "human", "-b", "builtin:random", "--seed", "3"],
        ],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    os.write(ours, b"q\n")
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    assert person.wait() == 3
    os.close(ours)
    assert shown.index(b"player-0") < shown.index(b'"event":"game_started"')


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_play_ends_with_130_and_keeps_what_was_played(
    signal_number: int, tmp_path: Path
) -> None:
    record = tmp_path / "game.jsonl"
    game = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "gonuts_cli",
            *["play", "-p", "2", "--seed", "1", "--prompt", "-o"],
            str(record),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert game.stdout is not None
    game.stdout.readline()  # The first prompt: it waits now.
    game.send_signal(signal_number)
    _, said = game.communicate()
    assert game.returncode == 130
    assert b"Traceback" not in said
    assert record.read_bytes() == Game(2, "1").log()
