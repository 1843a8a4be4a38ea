"""`--cluster`: the workers of a Dask scheduler play the games (the extra `cluster`).

Each task is a deal. Its games come back as logs, which go into a journal here, as if a worker of
this machine had written it: the same schedule, the same bytes. A worker that is lost loses nothing:
its deals are given to others. gonuts and the bots must be on the workers, in the same places. A
worker should have one thread (`dask worker --nthreads 1`): each thread plays a game at a time, with
bots of its own. Certificates for a `tls://` address are those of Dask's own configuration.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from gonuts_cli.arena.folder import Folder, GameNumber, Journal, Place, Record
from gonuts_cli.arena.games import Played, Player
from gonuts_cli.arena.settings import Settings
from gonuts_cli.arena.workers import DEALS_AHEAD, Finished, let_through
from gonuts_cli.errors import GonutsError, UnfinishedGame, UsageError

_ADDRESS = re.compile(r"(\w+://)?.+:\d+")
_CONNECT = 10  # seconds
_LOST = 60.0  # seconds without any worker after which the tournament gives up
_LOSSES = 20  # workers lost in a row without a finished deal after which it does
_COUNT_EVERY = 1.0  # seconds between two looks at how many workers there are

# On a worker: the bots of each thread that has played, for the run (of a tournament) it played in.
_players: dict[tuple[str, int], Player] = {}
_busy: set[tuple[str, int]] = set()
_over: set[str] = set()
_lock = threading.Lock()


def play_deal(run: str, settings: dict[str, Any], games: Sequence[GameNumber]) -> list[Played]:
    """On a worker: play some games; the bots wait for the next ones until `end_bots`."""
    key = (run, threading.get_ident())
    with _lock:
        if run in _over:
            return []
        _busy.add(key)
        player = _players.get(key)
    if player is None:
        player = _players[key] = Player(Settings.from_json(settings))
    try:
        return [player.play((deal, rotation)) for deal, rotation in games]
    finally:
        with _lock:
            _busy.discard(key)
            over = run in _over
        if over:
            _end(_players.pop(key))


def end_bots(run: str) -> None:
    """On a worker: the run is over. Its bots end; those that are playing do after their deal."""
    with _lock:
        _over.add(run)
        idle = [key for key in _players if key[0] == run and key not in _busy]
    for key in idle:
        _end(_players.pop(key))


def _end(player: Player) -> None:
    player.part()
    player.close()


def _from_here(settings: Settings) -> Settings:
    """The settings with a folder for commands that run in this one: a worker's is another."""
    if settings.sandbox is not None:
        return settings
    here = str(Path.cwd())
    bots = (
        replace(bot, folder=here) if bot.kind == "process" and bot.folder is None else bot
        for bot in settings.bots
    )
    return replace(settings, bots=tuple(bots))


class ClusterPool:
    """The workers of the Dask scheduler at `address`; raises UsageError when there is none."""

    def __init__(self, settings: Settings, folder: Folder, record: Record, address: str) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise UsageError(
                "--cluster needs Dask: install gonuts with its extra, pip install '.[cluster]'"
            ) from None
        if _ADDRESS.fullmatch(address) is None:
            raise UsageError(
                f"{address!r} is no address of a Dask scheduler: give tcp://HOST:PORT or tls://…"
            )
        try:
            self._client: Any = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError(f"there is no Dask scheduler at {address}: {error}") from None
        self._killed = distributed.KilledWorker
        self._settings = _from_here(settings).to_json()
        self._record = record
        self._journal = Journal(folder.journals, "cluster")
        self._run = f"{settings.tournament[:16]}-{time.monotonic_ns()}"
        self._deals: dict[Any, list[GameNumber]] = {}  # futures to their games
        self._news: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._losses = 0
        self._threads = 0
        self._counted = self._seen = time.monotonic()
        self._count_threads()

    def _count_threads(self) -> None:
        with let_through():  # A scheduler that is gone may keep it waiting.
            self._threads = sum(self._client.nthreads().values())
        self._counted = time.monotonic()
        if self._threads:
            self._seen = self._counted

    def room(self) -> bool:
        """Whether the cluster's workers have less than DEALS_AHEAD each to do."""
        if time.monotonic() - self._counted >= _COUNT_EVERY:
            self._count_threads()
        return len(self._deals) < DEALS_AHEAD * self._threads

    def submit(self, games: Sequence[GameNumber]) -> None:
        """Give a deal to the cluster."""
        future = self._client.submit(play_deal, self._run, self._settings, list(games), pure=False)
        self._deals[future] = list(games)
        future.add_done_callback(self._news.put)

    def wait(self, seconds: float) -> list[Finished]:
        """What has come back; deals whose worker was lost are given again."""
        finished: list[Finished] = []
        try:
            with let_through():
                news = self._news.get(timeout=seconds)
            finished += self._take(news)
            while True:
                finished += self._take(self._news.get_nowait())
        except queue.Empty:
            pass
        if time.monotonic() - self._seen > _LOST and not self._threads:
            raise UnfinishedGame(
                "the cluster has no workers: start some (dask worker); "
                "the same command goes on where this stopped"
            )
        return finished

    def _take(self, future: Any) -> list[Finished]:
        games = self._deals.pop(future, None)
        if games is None or future.cancelled():
            return []
        error = future.exception()
        if isinstance(error, self._killed):
            self._losses += 1
            if self._losses >= _LOSSES:
                raise UnfinishedGame("the cluster's workers are lost before they finish a deal")
            self.submit(games)
            return []
        if isinstance(error, GonutsError):
            raise error
        if error is not None:
            raise UnfinishedGame(f"a worker of the cluster failed: {error!r}")
        self._losses = 0
        finished = []
        for number, log, timing in future.result():
            before = self._journal.name
            name, offset = self._journal.append(log)
            if name != before:
                self._record.journal_opened(name)
                if before:
                    self._record.journal_closed(before)
            finished.append(Finished((number[0], number[1]), Place(name, offset, len(log)), timing))
        return finished

    def stop(self) -> list[Finished]:
        """Leave the cluster; deals that are being played there are dropped."""
        for future in self._deals:
            future.cancel()
        self._deals.clear()
        with let_through():  # The network may take its time.
            if self._threads:
                self._client.run(end_bots, self._run, on_error="ignore")
            self._client.close(timeout=1)
        return []
