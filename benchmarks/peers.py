"""Other programs that play games, side by side with ours: `pip install 'gonuts[peers]'`.

Each plays its own game at random in the way that its manual shows. The games differ, so this tells
what one can expect of such programs, not which is the better.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import NamedTuple

from benchmarks import uci_engine
from benchmarks.measure import in_turn, one_core
from benchmarks.work import QUICK_BOT, play_at_random, tournament
from gonuts_cli import Game
from gonuts_cli.arena.games import Player

ROUNDS = 7


class Played(NamedTuple):
    """What one go of a work did."""

    decisions: int
    games: int


Play = Callable[[], Played]


class Peer(NamedTuple):
    """A program and a game; `make` sets it up, and raises ImportError where it is not installed."""

    program: str
    game: str
    make: Callable[[ExitStack], Play]


def tables() -> Iterator[str]:
    """Both tables, as lines of Markdown."""
    with one_core():
        yield from _table("random games", _PLAYING)
        yield from _table("a referee and players that are processes", _ASKING)


def _table(what: str, peers: tuple[Peer, ...]) -> Iterator[str]:
    yield f"| {what} | game | µs a decision | decisions a second | games a second |"
    yield "|---|---|---:|---:|---:|"
    with ExitStack() as stack:
        works: dict[Peer, Play] = {}
        missing: dict[Peer, str] = {}
        for peer in peers:
            try:
                works[peer] = peer.make(stack)
            except ImportError as error:
                missing[peer] = f"skipped: {error}"
        # Once before it counts; this also tells how much it is.
        played = [work() for work in works.values()]
        times = in_turn(list(works.values()), ROUNDS)
    rows = dict(zip(works, zip(played, times, strict=True), strict=True))
    for peer in peers:
        if peer in missing:
            yield f"| {peer.program} | {peer.game} | {missing[peer]} | | |"
            continue
        (decisions, games), seconds = rows[peer]
        yield (
            f"| {peer.program} | {peer.game} | {seconds / decisions * 1e6:.1f} "
            f"| {decisions / seconds:,.0f} | {games / seconds:,.0f} |"
        )
    yield ""


# Random games


def _ours(players: int) -> Callable[[ExitStack], Play]:
    def play() -> Played:
        chance = random.Random(1).random
        decisions = 0
        for number in range(200):
            game = Game(players, number)
            decisions += play_at_random(game, chance)
            game.log()
        return Played(decisions, 200)

    return lambda _: play


def _rlcard(_: ExitStack) -> Play:
    import numpy as np
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make("uno")
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def play() -> Played:
        env.seed(1)
        np.random.seed(1)  # what its agents choose with
        decisions = 0
        for _ in range(20):
            trajectories, _payoffs = env.run()
            # States and actions take turns, and each player's last state has no action.
            decisions += sum(len(trajectory) // 2 for trajectory in trajectories)
        return Played(decisions, 20)

    return play


def _open_spiel(_: ExitStack) -> Play:
    import pyspiel

    goofspiel = pyspiel.load_game("goofspiel")

    def play() -> Played:
        chance = random.Random(1)
        decisions = 0
        for _ in range(200):
            state = goofspiel.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(chance.choices(actions, weights)[0])
                    continue
                bids = [
                    chance.choice(state.legal_actions(player))
                    for player in range(goofspiel.num_players())
                ]
                state.apply_actions(bids)
                decisions += len(bids)
        return Played(decisions, 200)

    return play


def _chess(_: ExitStack) -> Play:
    import chess

    def play() -> Played:
        chance = random.Random(1)
        decisions = 0
        for _ in range(3):
            board = chess.Board()
            while not board.is_game_over():
                board.push(chance.choice(list(board.legal_moves)))
                decisions += 1
        return Played(decisions, 3)

    return play


_PLAYING = (
    Peer("gonuts, with its log", "Go Nuts for Donuts, 2 players", _ours(2)),
    Peer("gonuts, with its log", "Go Nuts for Donuts, 5 players", _ours(5)),
    Peer("RLCard, `env.run` with `RandomAgent`s", "Uno, 2 players", _rlcard),
    Peer("OpenSpiel, `pyspiel` (C++)", "Goofspiel, 2 players, 13 cards", _open_spiel),
    Peer("python-chess, `legal_moves`, `push`", "chess", _chess),
)


# Referees


def _our_referee(stack: ExitStack) -> Play:
    settings = tournament(2, 2, QUICK_BOT)
    player = Player(settings)
    stack.callback(player.close)

    def play() -> Played:
        logs = [player.play((deal, 0)).log for deal in range(20)]
        return Played(sum(log.count(b'"event":"decided"') for log in logs), len(logs))

    return play


def _chess_referee(stack: ExitStack) -> Play:
    import chess
    import chess.engine

    engines = [
        stack.enter_context(
            chess.engine.SimpleEngine.popen_uci([sys.executable, uci_engine.__file__])
        )
        for _ in range(2)
    ]
    limit = chess.engine.Limit(time=1)
    moves = 40

    def play() -> Played:
        for _ in range(10):
            board = chess.Board()
            for ply in range(moves):
                answer = engines[ply % 2].play(board, limit)
                assert answer.move is not None
                board.push(answer.move)
        return Played(10 * moves, 10)

    return play


_ASKING = (
    Peer("gonuts, a game of a tournament", "Go Nuts for Donuts, 2 players", _our_referee),
    Peer("python-chess, `SimpleEngine.play`", "chess, 20 moves each", _chess_referee),
)
