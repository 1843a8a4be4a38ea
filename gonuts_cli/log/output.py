"""Writing a file that is there whole or not at all, compressed as its name asks."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, cast

from gonuts_cli.errors import UsageError


@contextmanager
def output(path: str | None, *, force: bool = False) -> Iterator[IO[bytes]]:
    """A stream that becomes the file `path` when the block ends well; None is standard output.

    Until then the bytes go to a new file beside it, which is removed when the block fails: a file
    that exists is never half written, and one may read the very file that is being replaced. The
    suffixes `.gz` and `.zst` compress, with nothing of time or name in the bytes. A device or a
    pipe is written as it goes. Raises UsageError for a file that exists, unless `force`; OSError.
    """
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    there = _kind(path)
    if there is not None and not stat.S_ISREG(there):
        with open(path, "wb") as device, _compressing(device, path) as stream:
            yield stream
        return
    if there is not None and not force:
        raise UsageError(f"{path}: the file exists; --force replaces it")
    folder, name = os.path.split(os.path.realpath(path))
    try:
        descriptor, partial = tempfile.mkstemp(prefix=f".{name[:100]}.", suffix=".part", dir=folder)
    except OSError as error:
        error.filename = folder  # and not the name of a file that nobody has asked for
        raise
    try:
        with os.fdopen(descriptor, "wb") as raw, _compressing(raw, path) as stream:
            yield stream
        os.chmod(partial, 0o666 & ~_umask())
        os.replace(partial, path if there is None else os.path.join(folder, name))
    except BaseException:  # whatever ends the block, Ctrl-C too, leaves nothing behind
        with suppress(FileNotFoundError):
            os.unlink(partial)
        raise


def _kind(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def _compressing(raw: IO[bytes], path: str) -> Iterator[IO[bytes]]:
    if path.endswith(".gz"):
        import gzip

        with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
            yield cast(IO[bytes], packed)
    elif path.endswith(".zst"):
        import zstandard

        with zstandard.ZstdCompressor(write_checksum=True).stream_writer(
            raw, closefd=False
        ) as stream:
            yield cast(IO[bytes], stream)
    else:
        yield raw


class GameStream:
    """Writes games one after another, so that each begins on a line of its own."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._within_line = False

    def write(self, data: bytes) -> None:
        """Write a game's lines; the last may break off."""
        if self._within_line:
            self._stream.write(b"\n")
        self._stream.write(data)
        self._within_line = not data.endswith(b"\n")
