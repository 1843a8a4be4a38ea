"""Counting a big games.jsonl in several processes: the same count as in one, only sooner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from gonuts_cli.arena.results import Count
from gonuts_cli.errors import UnreadableInput
from gonuts_cli.log.reader import read_games, read_path
from gonuts_cli.spawned import Broken, Spawned

PART = 16 << 20
"""Bytes of a file that one process counts at a time; a smaller file is not worth a process."""
_STARTED = b'\n{"event":"game_started"'
_LOOK = 1 << 16


def count_file(path: Path, processes: int, part: int = PART) -> Count:
    """All that the results need of a file of plain logs; raises UnreadableInput as `Count` does."""
    starts = list(_starts(path, part)) if processes > 1 else []
    if len(starts) > 1:
        ranges = zip(starts, [*starts[1:], path.stat().st_size], strict=True)
        count = Count(kinds=True)
        with Spawned(min(processes, len(starts))) as pool, suppress(UnreadableInput, Broken):
            pieces = [pool.submit(_count_part, str(path), *ends) for ends in ranges]
            # SciPy, which the ranking needs next, takes as long to load as 3,000 games to count.
            import_module("gonuts_cli.arena.ranking")
            for piece in pieces:
                count.merge(piece.result())
            return count
        # Which line cannot be read is said below; and a process that was killed is done without.
    count = Count(kinds=True)
    count.add_all(read_path(str(path)))
    return count


def _starts(path: Path, part: int) -> Iterator[int]:
    """Where games begin that are about so many bytes apart, from 0."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        start = 0
        while start < size:
            yield start
            found = _next_game(file, start + part)
            if found is None:
                return
            start = found


def _next_game(file: BinaryIO, offset: int) -> int | None:
    """Where the first game begins at or behind an offset."""
    offset = max(0, offset - 1)
    while True:
        file.seek(offset)
        data = file.read(_LOOK)
        found = data.find(_STARTED)
        if found >= 0:
            return offset + found + 1
        if len(data) < _LOOK:
            return None
        offset += _LOOK - len(_STARTED)


def _count_part(path: str, start: int, end: int) -> Count:
    with open(path, "rb") as file:
        file.seek(start)
        data = file.read(end - start)
    count = Count(kinds=True)
    count.add_all(read_games(BytesIO(data), path))
    return count
