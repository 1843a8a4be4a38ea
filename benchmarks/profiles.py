"""Where the time goes: a profile of three works by module.

Profiling makes every call dearer, so modules of many small functions look a little larger than they
are; time in built-in functions counts for the module that calls them.
"""

from __future__ import annotations

import cProfile
import pstats
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import one_core
from benchmarks.work import QUICK_BOT, play_at_random, tournament, write_games
from gonuts_cli import Game
from gonuts_cli.arena.games import Player
from gonuts_cli.log.reader import read_path
from gonuts_cli.log.validate import validate_game

_ROOT = Path(__file__).parents[1]
_LEAST = 0.02
"""Modules below this share of every work are summed."""


def table() -> Iterator[str]:
    """The table, as lines of Markdown."""
    with one_core():
        shares = [_shares(work) for work in (_games, _validate, _exchanges)]
    yield "| share of the time in | `Game`, 5 players | `validate` | games of 4 processes |"
    yield "|---|---:|---:|---:|"
    modules = {module for share in shares for module in share}
    large = [m for m in modules if any(share[m] >= _LEAST for share in shares)]
    for module in sorted(large, key=lambda module: -sum(share[module] for share in shares)):
        yield f"| `{module}` | {' | '.join(f'{share[module]:.0%}' for share in shares)} |"
    rest = [1 - sum(share[module] for module in large) for share in shares]
    yield f"| all else | {' | '.join(f'{share:.0%}' for share in rest)} |"


def _shares(work: Callable[[cProfile.Profile], None]) -> Counter[str]:
    """What part of a work's time each module takes."""
    profile = cProfile.Profile()
    work(profile)
    seconds: Counter[str] = Counter()
    # Not in the types: (file, line, name) to (…, …, own seconds, …, the same by caller).
    for (file, _, _), (_, _, own, _, callers) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        if file != "~":
            seconds[_module(file)] += own
            continue
        for (caller, _, _), (_, _, within, _) in callers.items():
            seconds[_module(caller)] += within
    total = seconds.total()
    return Counter({module: own / total for module, own in seconds.items()})


def _module(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(_ROOT)) if path.is_relative_to(_ROOT) else "the standard library"


def _games(profile: cProfile.Profile) -> None:
    chance = random.Random(1).random
    with profile:
        for number in range(1000):
            game = Game(5, number)
            play_at_random(game, chance)
            game.log()


def _validate(profile: cProfile.Profile) -> None:
    with TemporaryDirectory() as folder:
        archive = Path(folder) / "games.jsonl"
        write_games(archive, 1000)
        with profile:
            for game in read_path(str(archive)):
                assert validate_game(game).ok


def _exchanges(profile: cProfile.Profile) -> None:
    player = Player(tournament(4, 4, QUICK_BOT))
    try:
        player.play((0, 0))  # starts the bots
        with profile:
            for deal in range(1, 100):
                player.play((deal, 0))
    finally:
        player.close()
