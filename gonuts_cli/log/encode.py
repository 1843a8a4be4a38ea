"""Events to the bytes of a log (SPEC §4)."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import orjson

from gonuts_cli.rules.events import Decided, Event, Moved

if TYPE_CHECKING:
    from gonuts_cli.game import Game

FORMAT: Final = "gonuts-log/1"
RULES: Final = "gonuts-rules/1"


class _Lines(dict[Event, bytes]):
    """An event to its line, LF included.

    Moves, rounds and answers of one option are a small vocabulary and are kept; answers of several
    options are not, since there are too many.
    """

    def __missing__(self, event: Event) -> bytes:
        if isinstance(event, Decided):
            choose = orjson.dumps(event.choose)
            fault = "" if event.fault is None else f',"fault":"{event.fault}"'
            line = b'{"event":"decided","player":%d,"decision":"%b","choose":%b%b}\n' % (
                event.player,
                event.decision.encode(),
                choose,
                fault.encode(),
            )
            if len(event.choose) > 1:
                return line
        elif isinstance(event, Moved):
            line = (
                f'{{"event":"moved","card":"{event.card}","from":"{event.source}",'
                f'"to":"{event.target}","cause":"{event.cause}"}}\n'
            ).encode()
        else:
            line = b'{"event":"round_started","round":%d}\n' % event.round
        self[event] = line
        return line


LINES: Final = _Lines()
"""`LINES[event]` is the event's line."""


def game_started(game: Game) -> bytes:
    """The first line of a game's log."""
    line: dict[str, object] = {
        "event": "game_started",
        "format": FORMAT,
        "rules": RULES,
        "rulings": game.rulings.changed(),
        "game": game.game_id,
        "players": game.names,
        "seed_commitment": game.commitment,
    }
    if game.tags:
        line["tags"] = game.tags
    return orjson.dumps(line) + b"\n"


def game_ended(game: Game, digest: str) -> bytes:
    """The last line of a finished game's log; `digest` is of all lines before it."""
    result = game.result
    line = {
        "event": "game_ended",
        "rounds": game.round,
        "scores": result.scores,
        "cards": result.cards,
        "winners": result.winners,
        "seed": game.seed,
        "digest": digest,
    }
    return orjson.dumps(line) + b"\n"


def encode_log(game: Game) -> bytes:
    """The whole log so far; its last line only when the game is over and its seed known."""
    log = b"".join([game_started(game), *[LINES[event] for event in game.events]])
    if game.over and game.seed is not None:
        log += game_ended(game, sha256(log).hexdigest())
    return log


class LogWriter:
    """Hands the log of a game on as the game goes, whole lines at a time.

    `write` gets each new piece; the first `already` bytes are left out, for a log that is resumed.
    """

    def __init__(self, game: Game, write: Callable[[bytes], object], already: int = 0) -> None:
        self._game = game
        self._write = write
        self._already = already
        self._digest = sha256()
        self._events = 0
        self._ended = False
        self._put(game_started(game))

    def update(self) -> None:
        """Hand on what has happened since the last call."""
        events = self._game.events
        if len(events) > self._events:
            piece = b"".join([LINES[event] for event in events[self._events :]])
            self._events = len(events)
            self._put(piece)
        if self._game.over and not self._ended:
            self._ended = True
            self._put(game_ended(self._game, self._digest.hexdigest()))

    def _put(self, piece: bytes) -> None:
        self._digest.update(piece)
        if self._already >= len(piece):
            self._already -= len(piece)
            return
        self._write(piece[self._already :])
        self._already = 0
