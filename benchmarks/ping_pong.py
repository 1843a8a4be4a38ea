"""The yardstick for exchanges with bots: the same messages, sent and awaited with nothing around.

No clock runs, no answer is checked, no game is played: for every set of decisions asked at once the
requests are encoded and sent, and `poll` waits until all answers are there and decoded.
"""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Iterable, Sequence
from typing import Any, Self

import orjson

from benchmarks.quick_bot import answer
from gonuts_cli import Game
from gonuts_cli.arena.folder import GameNumber
from gonuts_cli.arena.settings import Settings
from gonuts_cli.players.messages import decide
from gonuts_cli.rules.deck import deal_seed

Requests = list[list[tuple[int, dict[str, Any]]]]
"""What is asked at once, again and again: each time, seats and their requests."""


def requests(settings: Settings, numbers: Iterable[GameNumber]) -> Requests:
    """What the quick bots of a tournament are asked in these games, but for the ids."""
    asked: Requests = []
    for deal, rotation in numbers:
        game = Game(settings.table, deal_seed(settings.seed, deal, rotation))
        while game.pending:
            wave = [(d.player, decide(0, d, game.view(d.player))) for d in game.pending]
            asked.append(wave)
            for seat, request in wave:
                game.choose(seat, answer(request))
    return asked


class PingPong:
    """So many processes of a bot, kept alive until this is left."""

    def __init__(self, command: Sequence[str], bots: int) -> None:
        self._bots = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
            for _ in range(bots)
        ]
        self._poller = select.poll()
        self._inputs: list[int] = []
        for bot in self._bots:
            assert bot.stdin is not None
            assert bot.stdout is not None
            self._inputs.append(bot.stdin.fileno())
            self._poller.register(bot.stdout.fileno(), select.POLLIN)

    def exchange(self, requests: Requests) -> None:
        """Ask all of it and read all answers."""
        number = 0
        for wave in requests:
            for seat, request in wave:
                number += 1
                request["id"] = number
                os.write(self._inputs[seat], orjson.dumps(request) + b"\n")
            missing = len(wave)
            while missing:
                for descriptor, _ in self._poller.poll():
                    # An answer is one piece: it is shorter than any pipe's buffer.
                    orjson.loads(os.read(descriptor, 65536))
                    missing -= 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for bot in self._bots:
            with bot:
                pass
