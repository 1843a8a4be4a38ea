"""How good the built-in bots are, and how fast: `python benchmarks/builtin_bots.py [GAMES]`.

One bot plays a table of others, taking each seat in turn; the seeds are fixed, so the shares come
out the same everywhere (the times do not). A share of 1/players is what an equal would win.
"""

from __future__ import annotations

import sys
from math import sqrt
from time import perf_counter_ns
from typing import Any

from gonuts_cli import Game
from gonuts_cli.players.builtin import BUILTINS, Bot
from gonuts_cli.rules.deck import bot_random

PAIRINGS = (
    ("sly", ("greedy",)),
    ("sly", ("greedy", "random")),
    ("sly", ("random",)),
    ("greedy", ("sly",)),
    ("greedy", ("random",)),
    ("sly", ("greedy", "sly")),
)
"""A bot, and whom it meets: the others take turns around the table."""

Times = dict[str, list[int]]


def play(names: list[str], seed: str, times: Times) -> Game:
    """One game; `times` gets the nanoseconds of each answer by bot."""
    game = Game(players=len(names), seed=seed)
    bots: list[Bot] = [
        BUILTINS[name]({"rulings": {}, "you": seat, "random": bot_random(seed, seat)})
        for seat, name in enumerate(names)
    ]
    while game.pending:
        for player, decision, options, counts in game.pending:
            request: dict[str, Any] = {
                "decision": decision,
                "options": [list(o) if isinstance(o, tuple) else o for o in options],
                "counts": list(counts),
                "view": game.view(player),
            }
            started = perf_counter_ns()
            answer = bots[player].choose(request)
            times.setdefault(names[player], []).append(perf_counter_ns() - started)
            game.choose(player, answer)
    return game


def share(name: str, others: tuple[str, ...], players: int, games: int, times: Times) -> str:
    """The share of wins of `name`, with its 95% interval, and the points of both sides."""
    wins = []
    points = theirs = 0.0
    for number in range(games):
        seat = number % players
        names = [name] * players
        for at in range(1, players):
            # Of several kinds of opponents each takes its turn to sit next to it.
            names[(seat + at) % players] = others[(at + number // players) % len(others)]
        result = play(names, f"benchmark-{players}-{number}", times).result
        wins.append((seat in result.winners) / max(1, len(result.winners)))
        points += result.scores[seat] / games
        theirs += (sum(result.scores) - result.scores[seat]) / (players - 1) / games
    mean = sum(wins) / games
    half = 1.96 * sqrt(sum((win - mean) ** 2 for win in wins) / (games - 1) / games)
    return f"{mean:.3f} ± {half:.3f} | {1 / players:.3f} | {points:.1f} | {theirs:.1f}"


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(f"{games} games each\n")
    print("| bot | table of | players | share of wins | an equal's | points | theirs |")
    print("|---|---|---|---|---|---|---|")
    microseconds: dict[str, dict[int, str]] = {name: {} for name in BUILTINS}
    for name, others in PAIRINGS:
        for players in range(len(others) + 1, 7):
            times: Times = {}
            figures = share(name, others, players, games, times)
            print(f"| {name} | {', '.join(others)} | {players} | {figures} |", flush=True)
            for bot, taken in times.items():
                microseconds[bot][players] = f"{sum(taken) / len(taken) / 1000:.0f}"
    print("\n| µs a decision | 2 | 3 | 4 | 5 | 6 players |\n|---|---|---|---|---|---|")
    for name, taken_by in microseconds.items():
        print(f"| {name} | {' | '.join(taken_by[players] for players in sorted(taken_by))} |")


if __name__ == "__main__":
    main()
