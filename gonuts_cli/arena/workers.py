"""Workers on this machine: processes that play whole games, each with its own bots.

The parent writes JSON objects, one a line, to a worker's standard input: the settings first, then
deals of games. The worker appends each finished game to its journal in one piece and then tells the
parent where it stands. When its input ends, for whatever reason, the worker ends its bots and
itself.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, Protocol

import orjson

from gonuts_cli.arena.folder import Folder, GameNumber, Journal, Place, Record
from gonuts_cli.arena.names import file_names
from gonuts_cli.arena.settings import Settings
from gonuts_cli.errors import GonutsError, UnfinishedGame
from gonuts_cli.players.hub import READ
from gonuts_cli.show.safe import printable

DEALS_AHEAD = 2
"""Deals that a worker has been given and not finished, so that it never waits for the next."""
_PARTING = 1.5  # seconds that workers have to end themselves and their bots
_LOOK = 0.1  # seconds between two looks for Ctrl-C while they do
_LEISURE = 15.0  # the same when all is played: then nobody waits for the prompt
_INTERRUPTS = {signal.SIGINT, signal.SIGTERM}
_DEATHS = 3  # of workers in a row without a finished game, before the tournament gives up


class Finished(NamedTuple):
    """A game that a worker has finished and put into a journal."""

    number: GameNumber
    place: Place
    timing: dict[str, Any]


class Pool(Protocol):
    """Something that plays deals, many at a time."""

    def room(self) -> bool:
        """Whether another deal can be submitted now."""

    def submit(self, games: Sequence[GameNumber]) -> None:
        """Play these games, some time soon."""

    def wait(self, seconds: float) -> list[Finished]:
        """What has been finished, after at most so many seconds without news.

        What is done with a pool is `held_back`; where it sleeps it lets Ctrl-C through. Raises
        UnfinishedGame when nothing more will come.
        """

    def stop(self) -> list[Finished]:
        """End the games that are being played and all bots; what was finished until then."""


def cores() -> list[int]:
    """The processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def usual_workers(settings: Settings) -> int:
    """As many as leave each bot of a table a core of its own, at least one."""
    return max(1, len(cores()) // max(1, settings.processes_at_a_table()))


@contextmanager
def held_back() -> Iterator[None]:
    """Ctrl-C and SIGTERM come when the block is done, or where it lets them through.

    Anywhere else they would leave processes behind, or one half of what is entered in two places.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def let_through() -> Iterator[None]:
    """Within `held_back`: Ctrl-C and SIGTERM come at once."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class LocalPool:
    """Workers on this machine."""

    def __init__(
        self, settings: Settings, folder: Folder, record: Record, workers: int, pin: bool
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._record = record
        self._pin = pin
        self._deaths = 0
        self._again: deque[list[GameNumber]] = deque()
        self._left: list[str] = []  # journals that nothing more is written to
        self._workers: list[_Worker] = []
        try:
            for number in range(workers):
                self._workers.append(self._start(number))
        except BaseException:
            self.stop()
            raise

    def _start(self, number: int) -> _Worker:
        core = cores()[number % len(cores())] if self._pin else None
        return _Worker(number, self._settings, self._folder, core)

    def room(self) -> bool:
        """Whether a worker has less than DEALS_AHEAD to do."""
        return not self._again and any(len(w.deals) < DEALS_AHEAD for w in self._workers)

    def submit(self, games: Sequence[GameNumber]) -> None:
        """Give a deal to the worker that has least to do."""
        min(self._workers, key=lambda worker: len(worker.deals)).give(list(games))

    def wait(self, seconds: float) -> list[Finished]:
        """What the workers say; one that was killed is replaced, and its games given again."""
        # Not before: the games that came last have been entered into the record by now.
        for journal in self._left:
            self._record.journal_closed(journal)
        self._left.clear()
        with let_through():
            ready, _, _ = select.select(self._workers, [], [], seconds)
        finished: list[Finished] = []
        for worker in ready:
            news = worker.read()
            for one in news:
                self._record.journal_opened(one.place.journal)
            self._left += worker.left
            worker.left.clear()
            finished += news
            if news:
                self._deaths = 0
            if worker.ended:
                self._replace(worker)
        while self._again and any(len(w.deals) < DEALS_AHEAD for w in self._workers):
            self.submit(self._again.popleft())
        return finished

    def _replace(self, worker: _Worker) -> None:
        self._deaths += 1
        status = worker.end()
        if self._deaths >= _DEATHS:
            raise UnfinishedGame(
                f"workers end before they finish a game (the last with status {status}): "
                "what they said stands above; the same command goes on where this stopped"
            )
        if worker.journal is not None:
            self._left.append(worker.journal)
        self._again += worker.deals
        self._workers[self._workers.index(worker)] = self._start(worker.number)

    def stop(self) -> list[Finished]:
        """End all workers at once; what they finished until then."""
        finished: list[Finished] = []
        # One that has ended may not be replaced any more.
        talking = [worker for worker in self._workers if not worker.ended]
        for worker in talking:
            worker.hang_up()
        began = time.monotonic()
        patience = _PARTING if any(worker.deals for worker in talking) else _LEISURE
        while talking and (left := began + patience - time.monotonic()) > 0:
            if signal.sigpending() & _INTERRUPTS:
                patience = _PARTING
            ready, _, _ = select.select(talking, [], [], min(left, _LOOK))
            for worker in ready:
                with suppress(GonutsError):  # It ends anyway.
                    finished += worker.read()
            talking = [worker for worker in talking if not worker.ended]
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        return finished


class _Worker:
    """The parent's side of one worker."""

    def __init__(self, number: int, settings: Settings, folder: Folder, core: int | None) -> None:
        self.number = number
        self.deals: list[list[GameNumber]] = []
        self.journal: str | None = None
        self.left: list[str] = []
        """Journals that the worker has gone on from."""
        self.ended = False
        self._rest = b""
        # Ctrl-C goes to all of a terminal's processes: held back there until it is ready for it.
        with held_back():
            self._process = subprocess.Popen(
                [sys.executable, "-m", "gonuts_cli.arena.workers"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
        self._say(
            {
                "settings": settings.to_json(),
                "folder": str(folder.path.absolute()),
                "worker": number,
                "core": core,
            }
        )

    def fileno(self) -> int:
        """For select: where the worker's news come."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(orjson.dumps(message) + b"\n")
        except BrokenPipeError:
            return  # It has died; the end of its output says so, too.

    def give(self, games: list[GameNumber]) -> None:
        """Have the worker play a deal."""
        self.deals.append(games)
        self._say({"games": games})

    def read(self) -> list[Finished]:
        """The games that the worker has finished since last time."""
        data = os.read(self.fileno(), 1 << 16)
        self.ended = not data
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [self._finished(orjson.loads(line)) for line in lines]

    def _finished(self, news: dict[str, Any]) -> Finished:
        if "error" in news:
            raise GonutsError(news["error"])
        number = (news["game"][0], news["game"][1])
        for games in self.deals:
            if number in games:
                games.remove(number)
        self.deals = [games for games in self.deals if games]
        journal = news["journal"]
        if self.journal not in (None, journal):
            self.left.append(str(self.journal))
        self.journal = journal
        return Finished(number, Place(journal, news["offset"], news["size"]), news["timing"])

    def hang_up(self) -> None:
        """Have the worker end at once."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def end(self) -> int:
        """Wait for the worker's end, or make it; its exit status."""
        self.hang_up()
        try:
            status = self._process.wait(0 if not self.ended else 1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        return status


# The worker's side


class _HungUp(BaseException):
    """The parent is gone or wants this worker to end."""


def _hang_up(_signal: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _HungUp


class _Orders:
    """What the parent says, by lines; looked at by the hub also in the middle of a game.

    No thread and no signal: one that comes just before this process goes to sleep does not wake it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""
        self._lines: deque[bytes] = deque()

    def read(self) -> None:
        """Take in what has come, or wait for it; raises _HungUp when nothing more will."""
        data = os.read(self._descriptor, 1 << 16)
        if not data:
            raise _HungUp
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines += lines

    def next(self, wait: Callable[[], object]) -> dict[str, Any]:
        """The next order; `wait` is called until there is one."""
        while not self._lines:
            wait()
        order: dict[str, Any] = orjson.loads(self._lines.popleft())
        return order


def main() -> None:
    """Be a worker until standard input ends."""
    from gonuts_cli.arena.games import Player
    from gonuts_cli.players.keeper import claim_process

    # Ctrl-C goes to all of a terminal's processes; the parent tells its workers what to do. A
    # handler, other than ignoring, is not passed on to the bots.
    signal.signal(signal.SIGINT, lambda _signal, _frame: None)
    signal.signal(signal.SIGTERM, _hang_up)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTS)
    out = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    orders = _Orders(sys.stdin.fileno())
    player = None
    told = False
    try:
        start = orders.next(orders.read)
        if start["core"] is not None:
            os.sched_setaffinity(0, {start["core"]})
        claim_process()
        settings = Settings.from_json(start["settings"])
        folder = Path(start["folder"])
        names = file_names([bot.name for bot in settings.bots])
        notes = [folder / "stderr" / f"{name}.{start['worker']}.txt" for name in names]
        player = Player(settings, notes, forbid=[folder])
        journal = Journal(folder / "journal", str(start["worker"]))
        hub = player.hub
        hub.register(sys.stdin.fileno(), READ, orders.read)
        while True:
            try:
                games = orders.next(lambda: hub.look(None))["games"]
            except _HungUp:  # All is played.
                hub.unregister(sys.stdin.fileno())
                player.part()
                return
            for deal, rotation in games:
                played = player.play((deal, rotation))
                name, offset = journal.append(played.log)
                news = {
                    "game": played.number,
                    "journal": name,
                    "offset": offset,
                    "size": len(played.log),
                    "timing": played.timing,
                }
                os.write(out, orjson.dumps(news) + b"\n")
    except (_HungUp, BrokenPipeError):
        return
    except (GonutsError, OSError) as error:
        told = True
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # The parent hangs up when it reads this.
        with suppress(BrokenPipeError):
            os.write(out, orjson.dumps({"error": str(error)}) + b"\n")
    finally:
        try:
            if player is not None:
                player.close()
        except GonutsError as error:
            if not told:  # The parent does not listen any more.
                print(f"gonuts: {printable(str(error))}", file=sys.stderr)


if __name__ == "__main__":
    with suppress(_HungUp):  # While it was ending anyway.
        main()
