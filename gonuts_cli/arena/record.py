"""Where the log of one game goes: standard output, a new file, or one that is gone on with."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from gonuts_cli.errors import UnreadableInput, UsageError
from gonuts_cli.game import Game
from gonuts_cli.log.compact import is_compact
from gonuts_cli.log.decode import STARTED, LogError
from gonuts_cli.log.encode import LogWriter, game_started


class Unbroken(NamedTuple):
    """A game as a log that breaks off tells it; `kept` is how many of the log's bytes stand."""

    game: Game
    kept: int


def read_unfinished(path: Path) -> bytes:
    """The bytes of a log to go on with; raises UnreadableInput for what is not a plain log."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror}") from None
    if data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        raise UnreadableInput(f"{path}: the log is compressed; unpack it first")
    if is_compact(data):
        raise UnreadableInput(f"{path}: this is a compact log; restore it with `gonuts log expand`")
    if data.count(STARTED) > 1:
        raise UnreadableInput(f"{path} holds several games: take one with `gonuts log extract`")
    return data


def resume(
    data: bytes, seed: str | None, anew: Callable[[], Game], name: str = "the log"
) -> Unbroken:
    """Take up a game where its log breaks off, at any byte (SPEC §8).

    A log that breaks off in its first line tells nothing: then the game is `anew()`, and what
    stands of the line must be the beginning of that game's. Raises LogError or UnreadableInput for
    a log that is not a game's, UsageError without the seed of an unfinished one.
    """
    kept = data.rfind(b"\n") + 1
    if not kept:
        game = anew()
        if not game_started(game).startswith(data):
            raise UnreadableInput(f"{name} breaks off in its first line, which is another game's")
        return Unbroken(game, 0)
    try:
        game = Game.replay(data, seed)
    except LogError as error:
        raise UnreadableInput(f"{name}, line {error.line}: {error.message}") from None
    if game.seed is None:
        raise UsageError(
            f"{name}: the game is not finished: it goes on only with its seed "
            "(--seed or --seed-file)"
        )
    return Unbroken(game, kept)


@contextmanager
def new_file(path: Path, force: bool) -> Iterator[BinaryIO]:
    """A new file; one that exists is refused unless `force`, and then stands until it is `emptied`.

    When the block fails before anything is written, a file that was not there is gone again.
    """
    try:
        descriptor, made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), True
    except FileExistsError:
        if path.is_dir():
            raise UsageError(f"{path} is a folder: name a file in it") from None
        if not force:
            raise UsageError(f"{path} exists already; --force overwrites it") from None
        descriptor, made = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666), False
    with open(descriptor, "wb", buffering=0) as file:
        try:
            yield file
        except BaseException:
            if made and not os.fstat(file.fileno()).st_size:
                path.unlink(missing_ok=True)
            raise


@contextmanager
def old_file(path: Path, kept: int) -> Iterator[BinaryIO]:
    """A log whose first `kept` bytes stand; what follows them does, too, until it is `emptied`."""
    with open(path, "r+b", buffering=0) as file:
        file.seek(kept)
        yield file


def emptied(file: BinaryIO) -> BinaryIO:
    """A file that is to be written on, now without what stood behind that place before."""
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.truncate()
    return file


def into(file: BinaryIO) -> Callable[[bytes], None]:
    """What writes whole pieces into an unbuffered file."""
    descriptor = file.fileno()

    def write(data: bytes) -> None:
        done = os.write(descriptor, data)
        while done < len(data):
            done += os.write(descriptor, data[done:])

    return write


def log_writer(game: Game, file: BinaryIO, already: int = 0) -> LogWriter:
    """The log of a game into a file that holds the first `already` bytes of it."""
    return LogWriter(game, into(file), already)
