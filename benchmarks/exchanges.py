"""Where the time of an exchange goes: the same games played with ever less around them.

With bots that are processes; with bots that are none, whose answers lie ready; as games alone,
whose choices are known. And beside them the yardstick, with its processes and without.
"""

from __future__ import annotations

import gc
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from benchmarks.measure import in_turn, one_core
from benchmarks.ping_pong import PingPong, Wave, waves
from benchmarks.quick_bot import answer
from benchmarks.work import QUICK_BOT, tournament
from gonuts_cli import Game
from gonuts_cli.arena.folder import GameNumber
from gonuts_cli.arena.games import Player
from gonuts_cli.arena.settings import Settings
from gonuts_cli.log.decode import decisions
from gonuts_cli.players.base import Seat
from gonuts_cli.players.hub import Hub
from gonuts_cli.players.messages import Seen
from gonuts_cli.players.process import ProcessSeat
from gonuts_cli.rules.deck import deal_seed
from gonuts_cli.rules.view import open_view

_DEALS = 50
_ROUNDS = 15
_TABLES = (2, 4)


def table() -> Iterator[str]:
    """The table, as lines of Markdown: what one decision takes, in µs."""
    with one_core():
        columns = [_parts(bots) for bots in _TABLES]
    yield f"| of a decision, µs | {' | '.join(f'{bots} bots' for bots in _TABLES)} |"
    yield f"|---|{'---:|' * len(_TABLES)}"
    for part in columns[0]:
        yield f"| {part} | {' | '.join(f'{column[part]:.1f}' for column in columns)} |"


def _parts(bots: int) -> dict[str, float]:
    settings = tournament(bots, bots, QUICK_BOT)
    numbers = [(deal, rotation) for deal in range(_DEALS) for rotation in range(bots)]
    said = waves(settings, numbers)
    count = sum(len(wave.messages) for wave in said) - 2 * bots * len(numbers)
    player, still = Player(settings), _StillPlayer(settings)
    try:
        logs = [player.play(number).log for number in numbers]
        assert [still.play(number).log for number in numbers] == logs
        chosen = [[made.choose for made in decisions(log)] for log in logs]

        def play_still() -> None:
            still.rewind()
            for number in numbers:
                still.play(number)

        with PingPong(shlex.split(QUICK_BOT), bots) as ping_pong:
            gc.freeze()
            times = in_turn(
                [
                    lambda: [player.play(number) for number in numbers],
                    play_still,
                    lambda: _games(settings, numbers, chosen),
                    lambda: ping_pong.exchange(said),
                    lambda: _messages(said),
                ],
                _ROUNDS,
            )
            gc.unfreeze()
    finally:
        player.close()
        still.close()
    ours, without_bots, games, yardstick, messages = (seconds / count * 1e6 for seconds in times)
    outside = yardstick - messages
    return {
        "the yardstick, in all": yardstick,
        "of it: messages made and read": messages,
        "of it: the kernel and the bots": outside,
        "ours, in all": ours,
        "of it: the kernel and the bots, as in the yardstick": outside,
        "of it: the game, what its seats see, its log": games,
        "of it: messages, clocks, limits, the loop": without_bots - games,
        "of it: what is left": ours - outside - without_bots,
    }


def _games(
    settings: Settings, numbers: Sequence[GameNumber], chosen: Sequence[Sequence[Any]]
) -> None:
    """The games alone."""
    schedule = settings.schedule()
    for (deal, rotation), choices in zip(numbers, chosen, strict=True):
        game = Game(
            names=settings.names(schedule.seating(deal, rotation)),
            seed=deal_seed(settings.seed, deal, rotation),
            game=f"{deal}.{rotation}",
        )
        next_choice = iter(choices).__next__
        while pending := game.pending:
            assert Seen(open_view(game)).json
            for decision in pending:
                game.choose(decision.player, next_choice())
        game.log()


def _messages(said: Sequence[Wave]) -> None:
    """What the yardstick does itself: messages become JSON, and an answer is read for each."""
    answered = b'{"id":12345,"choose":[1]}\n'
    for messages, is_answered in said:
        for _, message in messages:
            assert orjson.dumps(message) + b"\n"
            if is_answered:
                orjson.loads(answered)


class _StillPlayer(Player):
    """Plays with bots that are no processes, so that only the time of the player itself is left."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._bots = [_StillBot(number) for number in range(len(settings.bots))]
        self._run.hub = Hub(poller=lambda: _StillPoller(self._bots))  # type: ignore[arg-type,return-value]
        self.rewind()

    def rewind(self) -> None:
        """The same games from the first on."""
        for bot in self._bots:
            bot.at = 0
        self._still = [ProcessSeat(["bot"], self._run.hub, bot) for bot in self._bots]  # type: ignore[arg-type]

    def _seat(self, bot: int) -> Seat:
        return self._still[bot]


class _StillBot:
    """A bot that has thought once and then says the same again, at once.

    It is all of these: who starts it, its process, and the streams that it reads and writes.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.at = 0
        self.ready: bytes | None = None
        self.stdin = self.stdout = self
        self.stderr = _Silence(~number)
        self._says: list[bytes | None] = []

    def start(self, command: Sequence[str], folder: Path | None = None) -> _StillBot:
        return self

    def end(self, child: object) -> None:
        pass

    def status(self, patience: float = 0.0) -> None:
        return None

    def fileno(self) -> int:
        return self.number

    def send(self, data: bytes) -> int:
        if self.at == len(self._says):
            self._says.append(self._think(orjson.loads(data)))
        self.ready = self._says[self.at]
        self.at += 1
        return len(data)

    def _think(self, message: Mapping[str, Any]) -> bytes | None:
        if message["type"] == "decide":
            return orjson.dumps({"id": message["id"], "choose": answer(dict(message))}) + b"\n"
        return b'{"type":"ready","reuse":true}\n' if message["type"] == "hello" else None

    def recv(self, size: int) -> bytes:
        said, self.ready = self.ready, None
        if said is None:
            raise BlockingIOError
        return said


class _Silence:
    """The standard error of a bot that never writes on it."""

    def __init__(self, number: int) -> None:
        self._number = number

    def fileno(self) -> int:
        return self._number

    def recv(self, size: int) -> bytes:
        raise BlockingIOError


class _StillPoller:
    """Finds all bots that have something to say."""

    def __init__(self, bots: Sequence[_StillBot]) -> None:
        self._bots = bots

    def register(self, descriptor: int, events: int) -> None:
        pass

    def unregister(self, descriptor: int) -> None:
        pass

    def poll(self, milliseconds: int | None) -> list[tuple[int, int]]:
        return [(bot.number, 1) for bot in self._bots if bot.ready is not None]
