"""Real processes that do what bots must not: each game ends, only the guilty are charged, and
nothing is left alive (SPEC §7).

None of these tests sleeps or depends on how fast the machine is: bots that are to run out of time
never answer in time however long they are given, all others are given a minute.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from gonuts_cli.arena.referee import GameReport, play
from gonuts_cli.game import Game
from gonuts_cli.log.encode import LogWriter
from gonuts_cli.log.reader import RawGame
from gonuts_cli.log.validate import validate_game
from gonuts_cli.players.base import Limits
from gonuts_cli.players.run import BotSpec, Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

BOTS = Path(__file__).with_name("bots")
PATIENT = Limits(start_ms=60_000, move_ms=60_000)
HASTY = Limits(start_ms=60_000, move_ms=60)
PLAYED: list[str] = []
TIMEOUTS = ["timeout"] * 3
TAG = "GONUTS_TEST_TAG"


@pytest.fixture
def tag(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A text in the environment of all that a test starts; afterwards nothing has it any more."""
    text = uuid.uuid4().hex
    monkeypatch.setenv(TAG, text)
    yield text
    assert alive(text) == []


def alive(tag: str) -> list[int]:
    """Processes, not ended ones, with the tag in their environment or command line."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                process = Path("/proc", name)
                shown = process.joinpath("environ").read_bytes()
                shown += process.joinpath("cmdline").read_bytes()
            except OSError:
                continue
            if tag.encode() in shown:
                found.append(int(name))
    return found


def command(behaviour: str, *more: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-E", str(BOTS / "hostile.py"), behaviour, *more)


def game_with(
    behaviour: str, limits: Limits = PATIENT, seed: str = "1", more: tuple[str, ...] = ()
) -> tuple[Game, GameReport]:
    """One game of the bot, an honest process and a built-in bot; the log is checked."""
    hostile = BotSpec("process", command(behaviour, *more))
    # With hasty limits an honest process might be late on a loaded machine.
    second = BotSpec("builtin", ("random",))
    if limits is PATIENT:
        second = BotSpec("process", command("honest"))
    with Run() as run:
        game = Game(3, seed)
        seats = [run.seat(hostile), run.seat(second), run.seat(BotSpec("builtin", ("greedy",)))]
        pieces: list[bytes] = []
        report = play(game, seats, sink=LogWriter(game, pieces.append), limits=limits, hub=run.hub)
        log = b"".join(pieces)
    verdict = validate_game(RawGame("log", 0, 1, 0, log))
    assert verdict.ok, verdict.message
    assert game.faults[1:] == [[], []]
    budget = limits.move_ms if limits.game_ms is None else limits.game_ms
    assert all(exchange.used <= budget + 0.001 for exchange in report.seats[0].exchanges)
    return game, report


@pytest.mark.usefixtures("tag")
@pytest.mark.parametrize(
    ("behaviour", "limits", "faults"),
    [
        ("honest", PATIENT, PLAYED),
        ("silent_at_start", Limits(start_ms=100, move_ms=60_000), ["no_start"]),
        ("silent_at_move", HASTY, TIMEOUTS),
        ("exits_at_start", PATIENT, ["crashed"]),
        ("exits_in_mid_game", PATIENT, ["crashed"]),
        ("junk_first", PATIENT, PLAYED),
        ("junk_at_move", PATIENT, ["malformed"] * 3),
        ("endless_line", PATIENT, ["flooded"]),
        ("endless_lines", PATIENT, ["flooded"]),
        ("endless_line_at_start", PATIENT, ["flooded"]),
        ("a_note_every_20_ms", HASTY, TIMEOUTS),
        ("much_on_standard_error", PATIENT, PLAYED),
        ("endless_standard_error", PATIENT, PLAYED),
        ("closes_its_output", PATIENT, ["crashed"]),
        ("byte_by_byte", PATIENT, PLAYED),
        ("answers_late", HASTY, TIMEOUTS),
        ("never_reads", HASTY, TIMEOUTS),
        ("ignores_sigterm", PATIENT, PLAYED),
        ("leaves_a_child_with_its_output", PATIENT, ["crashed"]),
        ("daemonises", PATIENT, PLAYED),
        ("crowd", PATIENT, PLAYED),
        ("nearly_the_limit", Limits(60_000, 60, 100), TIMEOUTS),
    ],
)
def test_each_hostile_bot_gets_its_fault_and_no_one_else(
    behaviour: str, limits: Limits, faults: list[str]
) -> None:
    # A game with limits of its own has no honest process, which might be too late.
    game, report = game_with(behaviour, limits)
    assert game.faults[0] == faults
    assert [charge.fault for charge in report.seats[0].charges] == faults
    for charge in report.seats[0].charges:
        assert charge.message
        assert charge.message.isprintable()


@pytest.mark.usefixtures("tag")
def test_what_a_bot_says_on_standard_error_is_kept_at_both_ends() -> None:
    with Run() as run:
        seat = run.seat(BotSpec("process", command("much_on_standard_error")))
        game = Game(2, "1")
        seats = [seat, run.seat(BotSpec("builtin", ("random",)))]
        sink = LogWriter(game, lambda data: None)
        play(game, seats, sink=sink, limits=PATIENT, hub=run.hub)
        kept = seat.notes.content()  # type: ignore[attr-defined]
    assert 1024 * 1024 <= len(kept) < 1024 * 1024 + 100
    assert b"bytes left out" in kept


@pytest.mark.usefixtures("tag")
def test_the_last_words_of_a_bot_that_ended_are_in_its_message() -> None:
    _, report = game_with("exits_in_mid_game")
    message = report.seats[0].charges[0].message
    assert message is not None
    assert "exit status 0" in message
    assert message.endswith("I have had enough")


# The whole program


def gonuts(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gonuts_cli", *arguments]


def shell(behaviour: str, *more: str) -> str:
    return " ".join(command(behaviour, *more))


def test_a_daemon_without_a_mark_is_ended_too(tag: str) -> None:
    bot = shell("daemonises_and_forgets_its_environment", tag)
    played = subprocess.run(
        gonuts("play", "-b", bot, "-b", "builtin:random", "--start-ms", "60000"),
        capture_output=True,
        check=True,
    )
    assert b'"event":"game_ended"' in played.stdout


@pytest.mark.usefixtures("tag")
def test_the_referee_stays_small_whatever_it_is_sent() -> None:
    bots = ["endless_standard_error", "endless_line", "endless_lines", "much_on_standard_error"]
    arguments = [word for bot in bots for word in ("-b", shell(bot))]
    limits = ["--start-ms", "60000", "--move-ms", "60000"]
    program = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=-3, check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    measured = subprocess.run(
        [sys.executable, "-c", program, *gonuts("play", *arguments, *limits)],
        capture_output=True,
        check=True,
    )
    assert int(measured.stdout) < 150 * 1024


@pytest.mark.usefixtures("tag")
def test_a_bot_sees_no_seed_no_record_and_nothing_of_the_referee(tmp_path: Path) -> None:
    seed_file, record = tmp_path / "seed.txt", tmp_path / "game.jsonl"
    subprocess.run(
        gonuts(
            *("play", "-b", shell("looks_around"), "-b", shell("honest")),
            *("--seed-file", str(seed_file), "-o", str(record), "--start-ms", "60000"),
            *("--move-ms", "60000"),
        ),
        check=True,
        capture_output=True,
    )
    seed = seed_file.read_text().strip()
    said = (tmp_path / "game.jsonl.seat0.stderr.txt").read_text()
    assert seed not in said
    assert "game.jsonl" not in said
    assert "seed.txt" not in said
    seen = json.loads(said)
    assert len(seen["descriptors"]) == 3
    assert all(where.startswith("socket:") for where in seen["descriptors"])
    assert seen["own output"] == "closed"
    if os.geteuid() != 0:  # root may look at everything
        assert [seen[what] for what in ("environ", "maps", "mem", "fd")] == ["closed"] * 4


@pytest.mark.parametrize(
    "behaviour",
    ["silent_at_move", "daemonises", "crowd", "ignores_sigterm", "leaves_a_child_with_its_output"],
)
def test_when_the_referee_is_killed_its_bots_are_gone_within_two_seconds(
    tag: str, behaviour: str, tmp_path: Path
) -> None:
    record = tmp_path / "game.jsonl"
    # The game waits for a bot that never answers, so it is killed in mid-game.
    bots = ["-b", shell(behaviour), "-b", shell("silent_at_move"), "-b", shell("honest")]
    limits = ["--start-ms", "60000", "--move-ms", "60000", "--seed", "1"]
    referee = subprocess.Popen(
        gonuts("play", *bots, *limits, "-o", str(record), "--tag", f"test={tag}"),
        stderr=subprocess.DEVNULL,
    )
    # The first row stands in the record when all bots are ready and the first bids are asked.
    while not record.exists() or b"refill" not in record.read_bytes():
        assert referee.poll() is None
        os.sched_yield()
    assert len(alive(tag)) >= 4
    referee.kill()
    referee.wait()
    killed = time.monotonic()
    while alive(tag):
        assert time.monotonic() - killed < 2
        os.sched_yield()
    went_on = subprocess.run(
        gonuts("play", *["-b", "builtin:random"] * 3, "--seed", "1", "--resume", str(record)),
        capture_output=True,
        check=False,
    )
    assert went_on.returncode == 0, went_on.stderr
    log = record.read_bytes()
    assert validate_game(RawGame("log", 0, 1, 0, log)).ok


@pytest.mark.usefixtures("tag")
def test_an_interrupted_referee_ends_its_bots_and_says_how_to_go_on(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    referee = subprocess.Popen(
        gonuts(
            *("play", "-b", shell("silent_at_move"), "-b", shell("ignores_sigterm")),
            *("--start-ms", "60000", "--move-ms", "60000", "-o", str(record)),
        ),
        stderr=subprocess.PIPE,
    )
    while not record.exists() or b"refill" not in record.read_bytes():
        assert referee.poll() is None
        os.sched_yield()
    referee.send_signal(signal.SIGINT)
    _, said = referee.communicate()
    assert referee.returncode == 130
    assert b"Traceback" not in said
    assert f"--resume {record} --seed ".encode() in said.replace(b",", b"")
