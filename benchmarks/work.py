"""What is measured: games of random choices, files of them, and tournaments."""

from __future__ import annotations

import shlex
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from random import Random

from benchmarks import quick_bot
from gonuts_cli import Game
from gonuts_cli.arena.folder import Folder
from gonuts_cli.arena.settings import BotSettings, Settings
from gonuts_cli.arena.tournament import Progress, Tournament
from gonuts_cli.arena.workers import LocalPool
from gonuts_cli.players.run import parse_bot

GONUTS = str(Path(sysconfig.get_path("scripts")) / "gonuts")
"""The command as it is installed beside this Python."""
QUICK_BOT = shlex.join((sys.executable, quick_bot.__file__))
"""The command of a bot that answers at once."""


def play_at_random(game: Game, random: Callable[[], float]) -> int:
    """Play to the end with random legal choices; how many there were.

    `random` is as `random.random`; it is asked for how many where there is a choice, then which.
    """
    decisions = 0
    while pending := game.pending:
        for player, _, options, counts in pending:
            decisions += 1
            size = counts[int(random() * len(counts))] if len(counts) > 1 else 1
            if size == 1:
                game.choose(player, (options[int(random() * len(options))],))
            else:
                left = list(options)
                game.choose(player, [left.pop(int(random() * len(left))) for _ in range(size)])
    return decisions


def write_games(path: Path, games: int) -> None:
    """A file of random games, as many of each number of players."""
    chance = Random(1).random
    with path.open("wb") as out:
        for number in range(games):
            players = 2 + number % 5
            names = [f"bot-{(number + seat) % 9}" for seat in range(players)]
            game = Game(seed=f"archive-{number}", names=names, game=str(number))
            play_at_random(game, chance)
            out.write(game.log())


def tournament(bots: int, table: int, bot: str) -> Settings:
    """The settings of a tournament of so many copies of a BOT of the command line."""
    kind, command, _ = parse_bot(bot)
    return Settings(
        tuple(BotSettings(f"bot-{number}", kind, command) for number in range(bots)),
        table,
        seed="benchmark",
    )


def play_tournament(
    settings: Settings,
    path: Path,
    deals: int,
    workers: int,
    show: Callable[[Progress], object] = lambda _: None,
) -> None:
    """Play a tournament into a new folder as `gonuts tournament --pin` does, without ranking it."""
    folder = Folder(path)
    try:
        Tournament(settings, folder, deals).run(
            lambda settings, folder, record: LocalPool(settings, folder, record, workers, True),
            show,
        )
    finally:
        folder.close()


def tournament_command(bot: str, deals: int, out: Path) -> list[str]:
    """The command of a tournament of four copies of a BOT."""
    bots = [word for number in range(4) for word in ("-b", f"bot-{number}={bot}")]
    return [GONUTS, "tournament", *bots, "--deals", str(deals), "--out", str(out)]
