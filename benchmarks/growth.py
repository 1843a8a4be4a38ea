"""How cost grows with the work: the cost of one unit, over orders of magnitude.

A cost that is a straight line has the same figure in each row of its table.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import NamedTuple

from benchmarks.measure import children_seconds, cores, in_turn, one_core, run
from benchmarks.work import GONUTS, play_at_random, play_tournament, tournament, write_games
from gonuts_cli import Game
from gonuts_cli.arena.results import Count
from gonuts_cli.arena.tournament import Progress
from gonuts_cli.log.reader import read_path

GAMES = (10, 100, 1_000, 10_000)
ARCHIVES = (30, 300, 3_000, 30_000)
BOTS = (4, 40, 400)
DEALS = 500
WORKERS = (1, 2)


def tables() -> Iterator[str]:
    """All tables, as lines of Markdown."""
    with one_core(), TemporaryDirectory() as folder:
        yield from _games()
        yield from _players()
        yield from _archives(Path(folder))
        yield from _bots(Path(folder))
    with TemporaryDirectory() as folder:
        yield from _workers(Path(folder))


def _play(players: int, games: int) -> int:
    """Play random games and encode their logs; how many lines these have."""
    chance = random.Random(1).random
    lines = 0
    for number in range(games):
        game = Game(players, number)
        play_at_random(game, chance)
        lines += game.log().count(b"\n")
    return lines


def _games() -> Iterator[str]:
    yield "| games of four in one process | µs a game |"
    yield "|---:|---:|"
    times = in_turn([partial(_play, 4, games) for games in GAMES], 9, process_time)
    for games, seconds in zip(GAMES, times, strict=True):
        yield f"| {games:,} | {seconds / games * 1e6:.0f} |"
    yield ""


def _players() -> Iterator[str]:
    yield "| players | µs a game | lines of its log | µs a line |"
    yield "|---:|---:|---:|---:|"
    games = 500
    numbers = range(2, 7)
    times = in_turn([partial(_play, players, games) for players in numbers], 9, process_time)
    for players, seconds in zip(numbers, times, strict=True):
        lines = _play(players, games)
        game = seconds / games * 1e6
        yield f"| {players} | {game:.0f} | {lines / games:.0f} | {seconds / lines * 1e6:.2f} |"
    yield ""


def _archives(folder: Path) -> Iterator[str]:
    commands = ("validate", "score-audit", "log stats")
    yield (
        "| games in the file | " + " | ".join(f"`{name}`, µs a game" for name in commands) + " |"
    )
    yield "|---:" * (1 + len(commands)) + "|"
    sizes = (1, *ARCHIVES)
    for games in sizes:
        write_games(folder / str(games), games)

    def seconds(sizes: Sequence[int], rounds: int) -> list[list[float]]:
        """By size, the processor time of each command."""
        works = [
            partial(run, [GONUTS, *command.split(), str(folder / str(games))])
            for games in sizes
            for command in commands
        ]
        times = iter(in_turn(works, rounds, children_seconds))
        return [list(islice(times, len(commands))) for _ in sizes]

    # The largest takes long enough to need no more.
    start, *times = seconds(sizes[:-1], 11) + seconds(sizes[-1:], 2)
    for games, taken in zip(ARCHIVES, times, strict=True):
        costs = [
            f"{(whole - first) / (games - 1) * 1e6:.0f}"
            for whole, first in zip(taken, start, strict=True)
        ]
        yield f"| {games:,} | {' | '.join(costs)} |"
    yield ""


class _Costs(NamedTuple):
    """Of a tournament; seconds, for playing and counting of one game."""

    start: float
    playing: float
    counting: float
    ranking: float


def _tournament(bots: int, out: Path) -> _Costs:
    moments = [(0, perf_counter())]

    def show(progress: Progress) -> None:
        if progress.finished > moments[-1][0]:
            moments.append((progress.finished, perf_counter()))

    play_tournament(tournament(bots, 4, "builtin:random"), out, DEALS, 1, show)
    (_, began), (early, first), *_, (games, last) = moments
    started = perf_counter()
    tally = Count(kinds=True)
    tally.add_all(read_path(str(out / "games.jsonl")))
    counted = perf_counter()
    tally.ranking()
    return _Costs(
        first - began,
        (last - first) / (games - early),
        (counted - started) / games,
        perf_counter() - counted,
    )


def _bots(folder: Path) -> Iterator[str]:
    yield (
        "| bots | until the first game is over, s | playing, ms a game | counting, ms a game "
        "| ranking, s |"
    )
    yield "|---:|---:|---:|---:|---:|"
    rounds = [[_tournament(bots, folder / f"{bots}-{n}") for bots in BOTS] for n in range(3)]
    for bots, costs in zip(BOTS, zip(*rounds, strict=True), strict=True):
        start, playing, counting, ranking = map(median, zip(*costs, strict=True))
        yield (
            f"| {bots} | {start:.2f} | {playing * 1e3:.2f} | {counting * 1e3:.2f} | {ranking:.2f} |"
        )
    yield ""


def _workers(folder: Path) -> Iterator[str]:
    """A worker with built-in bots keeps one core busy, so there are no more than cores."""
    yield "| workers | ms a game, four built-in bots |"
    yield "|---:|---:|"
    settings = tournament(4, 4, "builtin:random")
    workers = [number for number in WORKERS if number <= len(cores())]
    new = count()

    def play(workers: int) -> None:
        play_tournament(settings, folder / str(next(new)), 4 * DEALS, workers)

    times = in_turn([partial(play, number) for number in workers], 3)
    for number, seconds in zip(workers, times, strict=True):
        yield f"| {number} | {seconds / (16 * DEALS) * 1e3:.2f} |"
