"""Reading archives of logs: files, folders and streams, one game at a time (SPEC §4, §8).

However long the file, no more than one game and one block of it are in memory. A game that is
damaged never hides the next: a game ends with its `game_ended` line or where another starts.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from gonuts_cli.errors import UnreadableInput
from gonuts_cli.log.decode import ENDED, STARTED, LogError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")
LONGEST_GAME = 1 << 20
"""Bytes; no real game comes near (70 cards, a header of 16 KiB), so more is no game."""

_LONGEST_ENDING = 4096
"""Bytes of a `game_ended` line, amply: a seed of 128 characters, six players."""
_BLOCK = 1 << 18
_STANDARD_INPUT = "-"
_TIMING = b'{"game":'
_GAME_LINE = b'{"event":"game_'
_COMPACT = b'{"event":"game_started","format":"gonuts-log-compact/1",'


class RawGame(NamedTuple):
    """The lines of one game as they stand in a file, damaged or not.

    `ordinal` counts the games of the file from 0; `first_line` (from 1) and `offset` (bytes, of the
    uncompressed text) say where it stands. `data` ends with a line end unless the file breaks off.
    """

    file: str
    ordinal: int
    first_line: int
    offset: int
    data: bytes


def expand_paths(paths: Iterable[str]) -> Iterator[str]:
    """The files that PATH arguments mean: files, folders (recursively, sorted), `-`.

    In the folder of a tournament timings.jsonl, which is no log, is passed over.

    Raises UnreadableInput for what is not there and for a folder without logs.
    """
    for path in paths:
        if path == _STANDARD_INPUT or not os.path.isdir(path):
            if path != _STANDARD_INPUT and not os.path.exists(path):
                raise UnreadableInput(f"{path}: there is no such file or folder")
            yield path
            continue
        found = sorted(
            os.path.join(folder, name)
            for folder, _, names in os.walk(path, onerror=_refuse)
            for name in names
            if name.endswith(SUFFIXES) and not _is_timings(folder, name, names)
        )
        if not found:
            raise UnreadableInput(f"{path}: the folder holds no logs ({', '.join(SUFFIXES)})")
        yield from found


def _is_timings(folder: str, name: str, names: Sequence[str]) -> bool:
    """Whether this is what a tournament writes beside its games: lines, but no log (SPEC §8)."""
    if name != "timings.jsonl" or "games.jsonl" not in names:
        return False
    with suppress(OSError), open(os.path.join(folder, name), "rb") as file:
        # A kill may leave less than its first line.
        return _TIMING.startswith(file.read(len(_TIMING)))
    return False


def _refuse(error: OSError) -> None:
    raise UnreadableInput(f"{error.filename}: {error.strerror}")


def open_log(path: str) -> IO[bytes]:
    """Open a log for reading, `-` being standard input; `.gz` and `.zst` are told by content.

    Raises UnreadableInput.
    """
    try:
        # Standard input stays open: it is not ours to close.
        raw = (
            open(sys.stdin.fileno(), "rb", closefd=False)  # noqa: SIM115 (the caller closes)
            if path == _STANDARD_INPUT
            else open(path, "rb")  # noqa: SIM115
        )
        start = raw.peek(4)[:4]
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror}") from None
    if start.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    if start == b"\x28\xb5\x2f\xfd":
        return io.BufferedReader(_Zstd(raw), _BLOCK)
    return raw


class _Zstd(io.RawIOBase):
    """A `.zst` stream of any number of frames, which notices where it breaks off.

    It is fed a KiB at a time: that can grow to 32 MiB at the most, whatever the file holds.
    """

    def __init__(self, source: IO[bytes]) -> None:
        import zstandard

        self._source = source
        self._error = zstandard.ZstdError
        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._new_frame()
        self._within = False
        self._fed = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._ready:
            self._fed = self._fed or self._source.read(1024)
            if not self._fed:
                if self._within:
                    raise EOFError("the compressed data breaks off")
                return 0
            try:
                self._ready = memoryview(self._frame.decompress(self._fed))
            except self._error as error:
                raise OSError(f"the compressed data is damaged ({error})") from None
            self._within = not self._frame.eof
            self._fed = b""
            if self._frame.eof:
                self._fed = self._frame.unused_data
                self._frame = self._new_frame()
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._ready))
        target[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def fileno(self) -> int:
        return self._source.fileno()

    def close(self) -> None:
        self._source.close()
        super().close()


def read_path(path: str) -> Iterator[RawGame]:
    """The games of one file (or of `-`), in order; those in compact form restored.

    Raises UnreadableInput when the file cannot be opened, is empty, or breaks in its compression;
    the games before the break have been handed out by then.
    """
    found = False
    with open_log(path) as source:
        for game in read_games(source, path):
            found = True
            try:
                restored = whole(game)
            except LogError:
                restored = game  # Damaged: whoever reads it says what is wrong with it.
            yield restored
    if not found:
        raise UnreadableInput(f"{path}: the file is empty; a log has at least one game")


def whole(game: RawGame) -> RawGame:
    """The game, its log restored if it stands in compact form (docs/log-format.md).

    Raises LogError, its line counted in the compact form, when it cannot be restored.
    """
    if not game.data.startswith(_COMPACT):
        return game
    from gonuts_cli.log.compact import expand_game

    return game._replace(data=expand_game(game.data))


def read_games(source: IO[bytes], name: str) -> Iterator[RawGame]:
    """The games that stand one after another in `source`, which errors call `name`.

    Lines that belong to no game are handed out as a game of their own, for a check to refuse; of
    one that is too long to be a game, the first `LONGEST_GAME` bytes.
    """
    index, line, offset = 0, 1, 0
    # `data[start:]` is what is not handed out yet, from a line's start; `data[:scan]` has no
    # boundary any more. `too_long` says that the beginning of this game was handed out already.
    data, start, scan, too_long = b"", 0, 1, False
    for block in _blocks(source, name):
        data = data[start:] + block
        scan -= start
        start = 0
        while (cut := _next_boundary(data, scan)) is not None:
            piece = data[start:cut]
            if not too_long:
                yield RawGame(name, index, line, offset, piece)
                index += 1
            too_long = False
            line += piece.count(b"\n")
            offset += len(piece)
            start, scan = cut, cut + 1
        # A `game_ended` line that is not whole, and the beginning of either, are looked at again.
        scan = max(start + 1, min(data.rfind(b"\n"), len(data) - len(STARTED)))
        if len(data) - start > LONGEST_GAME:
            piece = data[start:]
            if not too_long:
                yield RawGame(name, index, line, offset, piece[:LONGEST_GAME])
                index += 1
            too_long = True
            # The line that is not whole yet stays: it may be a boundary, if it is not long already.
            kept = piece[piece.rfind(b"\n") :] if b"\n" in piece[-_LONGEST_ENDING:] else b""
            line += piece.count(b"\n") - kept.count(b"\n")
            offset += len(piece) - len(kept)
            data, start, scan = kept, 0, 0
    if len(data) > start and not too_long:
        yield RawGame(name, index, line, offset, data[start:])


def _next_boundary(data: bytes, scan: int) -> int | None:
    """Where the game that `data` is in the middle of ends: after its last line, or at the next.

    The next may start within a line: the one before breaks off, and no text of JSON holds this.
    """
    while (at := data.find(_GAME_LINE, scan)) >= 0:
        if data.startswith(STARTED, at):
            return at
        if data.startswith(ENDED, at):
            end = data.find(b"\n", at) + 1
            glued = data.find(STARTED, at, end or len(data))
            return glued if glued >= 0 else end or None
        scan = at + 1
    return None


def _blocks(source: IO[bytes], name: str) -> Iterator[bytes]:
    # A stream hands over what there is, so that a game shows as soon as it ends.
    read = getattr(source, "read1", source.read)
    try:
        while block := read(_BLOCK):
            yield block
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableInput(f"{name}: the file cannot be read on: {error}") from None
