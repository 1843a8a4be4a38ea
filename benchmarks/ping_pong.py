"""The yardstick for exchanges with bots: the same messages, sent and awaited with nothing around.

No clock runs, no answer is checked, no game is played: what is sent at once is encoded and sent,
and `poll` waits until all answers are there and decoded.
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import orjson

from benchmarks.quick_bot import answer
from gonuts_cli import Game
from gonuts_cli.arena.folder import GameNumber
from gonuts_cli.arena.referee import game_over, hello
from gonuts_cli.arena.settings import Settings
from gonuts_cli.players.messages import decide
from gonuts_cli.rules.deck import deal_seed


class Wave(NamedTuple):
    """Messages that are sent at once, each to a seat, and whether each is answered by a line."""

    messages: list[tuple[int, dict[str, Any]]]
    answered: bool = True


def waves(settings: Settings, numbers: Iterable[GameNumber]) -> list[Wave]:
    """What the quick bots of a tournament are told in these games, one after another."""
    told = []
    number = 0
    for deal, rotation in numbers:
        game = Game(
            seed=deal_seed(settings.seed, deal, rotation),
            names=settings.names(settings.schedule().seating(deal, rotation)),
            game=f"{deal}.{rotation}",
        )
        seats = range(game.players)
        told.append(Wave([(seat, hello(game, seat, settings.limits)) for seat in seats]))
        while game.pending:
            asked = []
            for decision in game.pending:
                number += 1
                seat = decision.player
                asked.append((seat, decide(number, decision, game.view(seat))))
            told.append(Wave(asked))
            for seat, request in asked:
                game.choose(seat, answer(request))
        told.append(Wave([(seat, game_over(game)) for seat in seats], answered=False))
    return told


class PingPong:
    """So many processes of a bot, kept alive until this is left.

    They are connected by socket pairs, as those of a referee are, or by `pipes`.
    """

    def __init__(self, command: Sequence[str], bots: int, *, pipes: bool = False) -> None:
        self._poller = select.poll()
        self._inputs: list[int] = []
        self._outputs: list[int] = []
        self._bots: list[subprocess.Popen[bytes]] = []
        for _ in range(bots):
            bots_input, to_bot = _channel(pipes)
            from_bot, bots_output = _channel(pipes)
            self._bots.append(subprocess.Popen(command, stdin=bots_input, stdout=bots_output))
            os.close(bots_input)
            os.close(bots_output)
            self._inputs.append(to_bot)
            self._outputs.append(from_bot)
            self._poller.register(from_bot, select.POLLIN)

    def exchange(self, waves: Sequence[Wave]) -> None:
        """Say all of it and read all answers."""
        for messages, answered in waves:
            for seat, message in messages:
                os.write(self._inputs[seat], orjson.dumps(message) + b"\n")
            missing = len(messages) if answered else 0
            while missing:
                for descriptor, _ in self._poller.poll():
                    # An answer is one piece: it is shorter than any channel's buffer.
                    orjson.loads(os.read(descriptor, 65536))
                    missing -= 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._inputs:
            os.close(descriptor)
        for bot in self._bots:
            bot.wait()
        for descriptor in self._outputs:
            os.close(descriptor)


def _channel(pipe: bool) -> tuple[int, int]:
    """The end to read from and the end to write to."""
    if pipe:
        return os.pipe()
    reading, writing = socket.socketpair()
    return reading.detach(), writing.detach()
