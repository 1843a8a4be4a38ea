"""The benchmarks that compare: ours against a yardstick, in turn, in one run.

`python -m benchmarks ratios` measures and writes the table. Where the tests run, benchmarks are
switched off: then everything is done once, with little to do, to show that it can be.
"""

from __future__ import annotations

import gc
import random
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.hand_tuned import play_shuffled
from benchmarks.measure import children_seconds, cores, one_core, peak_memory, run
from benchmarks.ping_pong import PingPong, waves
from benchmarks.work import (
    GONUTS,
    QUICK_BOT,
    play_at_random,
    play_tournament,
    tournament,
    tournament_command,
    write_games,
)
from gonuts_cli import Game
from gonuts_cli.arena.games import Player

Work = Callable[[], object]

_LOADS = """\
import sys
from orjson import loads
for line in open(sys.argv[1], "rb"):
    loads(line)
"""


class Row(NamedTuple):
    """What the table says of a comparison, besides what was measured.

    `kind` is `time` or `memory` (how many times as much as the yardstick takes, so the bar is a
    ceiling) or `speed` (what share of the yardstick's, so it is a floor).
    """

    what: str
    against: str
    kind: str
    bar: float
    aim: float


@pytest.fixture
def pinned() -> Iterator[None]:
    # What pytest holds is no part of what is measured: nor shall the collector go through it.
    gc.freeze()
    with one_core():
        yield
    gc.unfreeze()


def compare(
    benchmark: BenchmarkFixture,
    row: Row,
    ours: Work,
    yardstick: Work,
    *,
    rounds: int,
    clock: Callable[[], float] = perf_counter,
) -> None:
    """Time both in turn; `clock` must be the benchmark's own timer."""
    times: list[float] = []

    def time_yardstick() -> None:
        started = clock()
        yardstick()
        times.append(clock() - started)

    benchmark.pedantic(ours, setup=time_yardstick, rounds=rounds)
    benchmark.extra_info.update(row._asdict(), yardstick=median(times))


@pytest.mark.benchmark(timer=children_seconds)
def test_validate(benchmark: BenchmarkFixture, tmp_path: Path, pinned: None) -> None:
    games = 5 if benchmark.disabled else 3000
    archive = tmp_path / "games.jsonl"
    write_games(archive, games)
    compare(
        benchmark,
        Row(
            f"`gonuts validate` of {games:,} games, processor time",
            "a Python that does `orjson.loads` of every line of the file",
            "time",
            bar=2.5,
            aim=1,
        ),
        lambda: run([GONUTS, "validate", str(archive)]),
        lambda: run([sys.executable, "-c", _LOADS, str(archive)]),
        rounds=7,
        clock=children_seconds,
    )


@pytest.mark.parametrize("players", [2, 5])
def test_game(benchmark: BenchmarkFixture, pinned: None, players: int) -> None:
    games = 5 if benchmark.disabled else 1000
    chance = random.Random(1).random

    def ours() -> None:
        for number in range(games):
            game = Game(players, number)
            play_at_random(game, chance)
            game.log()

    def yardstick() -> None:
        for _ in range(games):
            play_shuffled(players, chance)

    compare(
        benchmark,
        Row(
            f"`Game`, {players} players, random choices, with its log; {games:,} games",
            "`hand_tuned.py`: the same game without log or checks",
            "speed",
            bar=0.35,
            aim=1,
        ),
        ours,
        yardstick,
        rounds=25,
    )


@pytest.mark.parametrize("pipes", [False, True], ids=["sockets", "pipes"])
@pytest.mark.parametrize("players", [2, 4])
def test_exchange(benchmark: BenchmarkFixture, pinned: None, players: int, pipes: bool) -> None:
    deals = 1 if benchmark.disabled else 50
    settings = tournament(players, players, QUICK_BOT)
    numbers = [(deal, rotation) for deal in range(deals) for rotation in range(players)]
    said = waves(settings, numbers)
    decisions = sum(len(wave.messages) for wave in said) - 2 * players * len(numbers)
    player = Player(settings)

    def ours() -> list[bytes]:
        return [player.play(number).log for number in numbers]

    try:
        # Also starts the bots.
        assert sum(log.count(b'"event":"decided"') for log in ours()) == decisions
        with PingPong(shlex.split(QUICK_BOT), players, pipes=pipes) as ping_pong:
            compare(
                benchmark,
                Row(
                    f"games of a tournament, {players} bots that stay alive; "
                    f"{decisions:,} decisions",
                    "`ping_pong.py`: the same messages with nothing around them, "
                    + ("over pipes" if pipes else "over socket pairs too"),
                    "speed",
                    bar=0.6,
                    aim=0.9,
                ),
                ours,
                lambda: ping_pong.exchange(said),
                rounds=15,
            )
    finally:
        player.close()


def _two_workers(
    benchmark: BenchmarkFixture, play: Callable[[int], None], what: str, rounds: int
) -> None:
    if len(cores()) < 2 and benchmark.enabled:
        pytest.skip("two workers need two cores")
    compare(
        benchmark,
        Row(
            f"two workers, `--pin`, four bots that stay alive; {what}",
            "one worker",
            "speed",
            bar=1.85,
            aim=2,
        ),
        lambda: play(2),
        lambda: play(1),
        rounds=rounds,
    )


def test_workers_playing(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    deals = 1 if benchmark.disabled else 3000
    settings = tournament(4, 4, QUICK_BOT)
    folders = iter(range(1000))

    def play(workers: int) -> None:
        play_tournament(settings, tmp_path / str(next(folders)), deals, workers)

    _two_workers(benchmark, play, f"the playing of {4 * deals:,} games", rounds=3)


@pytest.mark.slow
def test_workers_end_to_end(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    deals = 1 if benchmark.disabled else 5000
    folders = iter(range(1000))

    def play(workers: int) -> None:
        out = tmp_path / str(next(folders))
        run([*tournament_command(QUICK_BOT, deals, out), "--pin", "--workers", str(workers)])

    _two_workers(benchmark, play, f"the whole command, {4 * deals:,} games", rounds=3)


@pytest.mark.parametrize(
    ("word", "said", "bar", "aim"),
    [
        ("score", "`gonuts score < /dev/null`", 8, 4),
        ("--version", "`gonuts --version`", 2, 1.2),
    ],
    ids=["score", "version"],
)
def test_start(
    benchmark: BenchmarkFixture, pinned: None, word: str, said: str, bar: float, aim: float
) -> None:
    compare(
        benchmark,
        Row(said, "`python -c pass`", "time", bar, aim),
        lambda: run([GONUTS, word]),
        lambda: run([sys.executable, "-c", "pass"]),
        rounds=51,
    )


@pytest.mark.parametrize(
    "command",
    ["validate", "score-audit", "log stats", pytest.param("tournament", marks=pytest.mark.slow)],
)
def test_memory(benchmark: BenchmarkFixture, tmp_path: Path, pinned: None, command: str) -> None:
    """Measured once: what else the machine does changes nothing."""
    games = 40 if benchmark.disabled else 20_000
    peaks: list[float] = []

    def measure(games: int) -> None:
        archive = tmp_path / str(games)
        if command == "tournament":
            words = [*tournament_command("builtin:random", games // 4, archive), "--workers=1"]
        else:
            write_games(archive, games)
            words = [GONUTS, *command.split(), str(archive)]
        peaks.append(peak_memory(words))

    benchmark.pedantic(lambda: measure(games), setup=lambda: measure(games // 10), rounds=1)
    row = Row(f"`gonuts {command}`, {games:,} games", f"{games // 10:,} games", "memory", 1, 1)
    benchmark.extra_info.update(row._asdict(), yardstick=peaks[0], mib=peaks[1])
