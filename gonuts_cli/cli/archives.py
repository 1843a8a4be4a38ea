"""Going through archives of games: every PATH in turn, on some workers, with progress shown.

What a check says of a game is put into words where the check runs, so the report is the same
bytes for any number of workers; it comes out in the order of the files.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import UnsupportedOperation
from itertools import chain
from time import monotonic
from typing import IO, NamedTuple

import typer

from gonuts_cli.errors import GonutsError, UnreadableInput
from gonuts_cli.log.reader import RawGame, expand_paths, open_log, read_games
from gonuts_cli.show.safe import printable

_BATCH = 1 << 20  # bytes of games that a worker gets at a time, at most
_BATCH_GAMES = 100  # compact games are small, what is said of them is not
_BATCHES_AHEAD = 3  # per worker: read, but not yet reported


def say(message: str) -> None:
    """A message for people, on standard error."""
    sys.stdout.flush()
    print(f"gonuts: {printable(message)}", file=sys.stderr, flush=True)


class Reading:
    """The games of some PATHs, in order, and how many of these could not be read.

    What cannot be read is named on standard error, and reading goes on with the next. With
    `progress`, a line on standard error shows how far it is, if that is a terminal.
    """

    def __init__(self, paths: Sequence[str], *, progress: bool = True) -> None:
        self.unreadable: list[str] = []
        self.games = 0
        self._paths = paths
        self._progress = Progress(paths) if progress and sys.stderr.isatty() else None

    def __iter__(self) -> Iterator[RawGame]:
        for path in self._paths:
            try:
                for file in expand_paths([path]):
                    yield from self._read(file)
            except UnreadableInput as error:
                self._refuse(error)
        self.hide_progress()

    def _read(self, file: str) -> Iterator[RawGame]:
        games_before = self.games
        # A file's name need not be UTF-8, what is written about it is.
        named = file.encode(errors="backslashreplace").decode()
        try:
            with open_log(file) as source:
                for game in read_games(source, named):
                    self.games += 1
                    if self._progress is not None:
                        self._progress.show(self.games, source)
                    yield game
            if self.games == games_before:
                raise UnreadableInput(f"{named}: the file is empty; a log has at least one game")
        except UnreadableInput as error:
            self._refuse(error)
        if self._progress is not None:
            self._progress.finished(file)

    def _refuse(self, error: UnreadableInput) -> None:
        self.unreadable.append(str(error))
        self.hide_progress()
        say(str(error))

    def hide_progress(self) -> None:
        """Clear the line of progress, so that something else can be written."""
        if self._progress is not None:
            self._progress.hide()

    def end(self, bad: int = 0) -> None:
        """End the command after `bad` games were found; see `end` below."""
        end(Outcome(bad, self.unreadable))


class Outcome(NamedTuple):
    """How a run over archives went: how many games were bad, and what could not be read."""

    bad: int
    unreadable: list[str]


def end(outcome: Outcome) -> None:
    """End the command as SPEC §8 wants it: status 2 for unreadable input, else 1 for bad games."""
    if outcome.unreadable or outcome.bad:
        raise typer.Exit(2 if outcome.unreadable else 1)


def place(file: str, line: int, game: str | None) -> str:
    """Where a game or a line of it stands, as every command shows it."""
    name = "a game without id" if game is None else f"game {printable(game)}"
    return f"{printable(file)}:{line}: {name}"


class Progress:
    """One line on a terminal: games, games a second, time left."""

    _EVERY = 0.2  # seconds

    def __init__(self, paths: Sequence[str]) -> None:
        self._total = _bytes_on_disk(paths)
        self._done = 0
        self._started = self._shown = monotonic()
        self._visible = False

    def show(self, games: int, source: IO[bytes]) -> None:
        now = monotonic()
        if now - self._shown < self._EVERY:
            return
        self._shown = now
        self._visible = True
        line = progress_line(games, now - self._started, self._share(source))
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def _share(self, source: IO[bytes]) -> float | None:
        if not self._total:
            return None
        try:
            return (self._done + os.lseek(source.fileno(), 0, os.SEEK_CUR)) / self._total
        except (OSError, UnsupportedOperation):
            return None

    def finished(self, file: str) -> None:
        self._done += _bytes_on_disk([file]) or 0

    def hide(self) -> None:
        if self._visible:
            self._visible = False
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def progress_line(games: int, seconds: float, share: float | None) -> str:
    """How far a run is: games done, their rate and, if the done `share` is known, the time left.

    >>> progress_line(1200, 4.0, 0.25)
    '1200 games, 300 a second, 0:12 left'
    """
    line = f"{games} games, {games / seconds:.0f} a second"
    if share:
        minutes, rest = divmod(round(seconds / min(share, 1.0) - seconds), 60)
        line += f", {minutes}:{rest:02} left"
    return line


def _bytes_on_disk(paths: Sequence[str]) -> int | None:
    """What the files of the paths take; None where that cannot be known beforehand."""
    try:
        return sum(os.path.getsize(file) for file in expand_paths(paths) if file != "-")
    except (OSError, UnreadableInput):
        return None


class Checked(NamedTuple):
    """What a check found of one game, and what to write about it on standard output."""

    file: str
    game: str | None
    line: int
    ok: bool
    error: str | None
    message: str | None
    report: bytes


Check = Callable[[RawGame], Checked]
"""A check must be picklable: a function of a module, or a partial of one."""


def check_games(games: Iterable[RawGame], check: Check, workers: int) -> Iterator[Checked]:
    """`check` of every game, in order, run in so many processes (in this one if it is 1)."""
    if workers == 1:
        return map(check, games)
    return chain.from_iterable(_check_in_workers(games, check, workers))


def _check_in_workers(
    games: Iterable[RawGame], check: Check, workers: int
) -> Iterator[list[Checked]]:
    from concurrent.futures import Future

    from gonuts_cli.spawned import Broken, Spawned

    ahead: deque[Future[list[Checked]]] = deque()
    with Spawned(workers) as processes:
        try:
            for batch in _batches(games):
                ahead.append(processes.submit(_check_batch, check, batch))
                if len(ahead) > workers * _BATCHES_AHEAD:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        except Broken:
            raise GonutsError("a worker process was killed; was there too little memory?") from None


def _check_batch(check: Check, batch: list[RawGame]) -> list[Checked]:
    return [check(game) for game in batch]


def _batches(games: Iterable[RawGame]) -> Iterator[list[RawGame]]:
    batch: list[RawGame] = []
    size = 0
    for game in games:
        batch.append(game)
        size += len(game.data)
        if size >= _BATCH or len(batch) >= _BATCH_GAMES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def run_checks(
    paths: Sequence[str],
    check: Check,
    workers: int,
    also: Callable[[Checked], None] | None = None,
    good: str | None = None,
) -> Outcome:
    """Check every game of the PATHs and write the reports to standard output.

    `also` sees every result. A bad game's report is handed to the system at once. With `good`, a
    word for games that pass, a last line says how many did.
    """
    out = sys.stdout.buffer
    reading = Reading(paths)
    games = bad = 0
    for checked in check_games(reading, check, workers):
        games += 1
        if checked.report:
            reading.hide_progress()
            out.write(checked.report)
        if not checked.ok:
            bad += 1
            out.flush()
        if also is not None:
            also(checked)
    reading.hide_progress()
    if good is not None and games:
        out.write(_summary(games, bad, good).encode() + b"\n")
    out.flush()
    return Outcome(bad, reading.unreadable)


def _summary(games: int, bad: int, good: str) -> str:
    if not bad:
        return f"1 game is {good}" if games == 1 else f"all {games} games are {good}"
    return f"{bad} of {games} games {'is' if bad == 1 else 'are'} not {good}"
