"""A tournament's folder: what is finished is on disk, and what is on disk is the only truth.

Finished games first lie in *journals*, one file a worker at a time, in the order in which they
finished. From there they go into games.jsonl in schedule order, as soon as all before them are
there. After any kill both may end in a game that breaks off; it is dropped and played again. A
journal is removed when all its games are in games.jsonl.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, NamedTuple

import orjson

from gonuts_cli.arena.settings import Settings, differences
from gonuts_cli.errors import UnreadableInput, UsageError
from gonuts_cli.game import Game, draw_seed
from gonuts_cli.log.decode import ENDED, LogError, parse_header
from gonuts_cli.log.encode import game_started
from gonuts_cli.log.reader import RawGame, read_games
from gonuts_cli.rules.deck import commitment, deal_seed

_GAMES_A_JOURNAL = 500
_JOURNAL = ".journal"
"""How the name of a journal ends: not like a log's, since most of its games are in games.jsonl."""

GameNumber = tuple[int, int]
"""Deal and rotation, both from 0."""

Merged = Callable[[GameNumber, bytes], bool]
"""Told of each game as it enters games.jsonl; whether the tournament goes on after it."""


class Place(NamedTuple):
    """Where a finished game stands: a journal, and its bytes there."""

    journal: str
    offset: int
    size: int


def tags_of(tournament: str, game: GameNumber) -> dict[str, str]:
    """A game's tags (SPEC §8)."""
    deal, rotation = game
    return {"deal": str(deal), "rotation": str(rotation), "tournament": tournament}


def dealt(settings: Settings, bots: Sequence[int], tournament: str, number: GameNumber) -> Game:
    """A game of a tournament before its first bids; `bots` are those in its seats."""
    deal, rotation = number
    return Game(
        names=settings.names(bots),
        seed=deal_seed(settings.seed, deal, rotation),
        rulings=settings.rulings,
        game=f"{deal}.{rotation}",
        tags=tags_of(tournament, number),
    )


class Folder:
    """An open tournament folder; nobody else can open it until it is closed.

    Raises UsageError when it is in use, and UnreadableInput when it holds something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise UsageError(f"{path} is a file: the results go into a folder") from None
        self._lock = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise UsageError(
                f"another `gonuts tournament` is running on {path}: wait for it, or end it"
            ) from None
        self.journals = path / "journal"
        self.stderr = path / "stderr"

    def close(self) -> None:
        """Let others open the folder."""
        os.close(self._lock)

    def seed(self, given: str | None) -> str:
        """The tournament's seed: the one given, the one kept here, or a new one."""
        file = self.path / "seed"
        if given is not None:
            return given
        try:
            return file.read_text(encoding="utf-8").removesuffix("\n")
        except FileNotFoundError:
            if (self.path / "tournament.json").exists():
                raise UsageError(
                    f"{file} is gone, and with it the seed: say it with --seed, "
                    "or start in another folder"
                ) from None
            return draw_seed()

    def claim(self, settings: Settings) -> None:
        """Make the folder this tournament's, or make sure that it is.

        Raises UsageError that says what differs when another tournament was begun here.
        """
        file = self.path / "tournament.json"
        now = settings.fingerprint()
        try:
            before = orjson.loads(file.read_bytes())
        except FileNotFoundError:
            if (self.path / "games.jsonl").exists():
                raise UsageError(
                    f"{self.path} holds games, but no tournament of this program: "
                    "choose another folder"
                ) from None
            write_whole(self.path / "seed", f"{settings.seed}\n".encode(), 0o600)
            write_whole(file, orjson.dumps(now, option=orjson.OPT_INDENT_2) + b"\n")
        except orjson.JSONDecodeError:
            raise UnreadableInput(f"{file} is damaged: choose another folder") from None
        else:
            different = differences(before, now)
            if different:
                raise UsageError(
                    f"{self.path} holds another tournament; it differs in "
                    f"{'; '.join(different)}. Change that back, or choose another folder"
                )
            if not (self.path / "seed").exists():
                write_whole(self.path / "seed", f"{settings.seed}\n".encode(), 0o600)
        self.journals.mkdir(exist_ok=True)
        self.stderr.mkdir(exist_ok=True)


class Record:
    """games.jsonl and the journals beside it.

    Opening it goes through what is there: `merged` is told of each game that is in games.jsonl, or
    that enters it later, in schedule order. When it says that the tournament is over, no further
    game enters.
    """

    def __init__(self, folder: Folder, settings: Settings, merged: Merged) -> None:
        self._folder = folder
        self._settings = settings
        self._schedule = settings.schedule()
        self._tournament = settings.tournament
        self._merged = merged
        self._waiting: dict[GameNumber, Place] = {}
        self._unmerged: dict[str, int] = {}
        self._open: set[str] = set()
        self._readers: dict[str, BinaryIO] = {}
        self.next: GameNumber = (0, 0)
        """The first game that is not in games.jsonl."""
        self.over = False
        self.games = 0
        path = folder.path / "games.jsonl"
        if path.exists():
            self._read_back(path)
        if not self.games and (folder.path / "results.json").exists():
            raise UnreadableInput(
                f"{path} holds no games any more, but results were made from it: put it back, or "
                "choose another folder"
            )
        self._file = open(path, "ab")  # noqa: SIM115 (closed by `close`)
        for journal in sorted(folder.journals.glob(f"*{_JOURNAL}")):
            self._read_journal(journal.name)
        self.merge()

    def _read_back(self, path: Path) -> None:
        """Enter the games that are there; what a kill may have left of another is dropped."""
        with open(path, "rb") as source:
            games = read_games(source, str(path))
            for raw in games:
                if not self.over and self._is(raw, self.next):
                    self._enter(raw.data)
                    continue
                if next(games, None) is not None or not self._begins(raw.data, self.next):
                    deal, rotation = self.next
                    raise UnreadableInput(
                        f"{path}, line {raw.first_line}: the game that begins here is not game "
                        f"{deal}.{rotation} of this tournament as it was written, nor broken off "
                        "at the end of the file, so it is not played again: put the file back as "
                        "it was (`gonuts log expand` if it was packed), or choose another folder"
                    )
                os.truncate(path, raw.offset)

    def _enter(self, data: bytes) -> None:
        self.over = not self._merged(self.next, data)
        self.next = self._schedule.after(*self.next)
        self.games += 1

    def _begins(self, data: bytes, number: GameNumber) -> bool:
        """Whether this may be what was written of that game, or room made for it, at a kill."""
        bots = self._schedule.seating(*number)
        header = game_started(dealt(self._settings, bots, self._tournament, number))
        written = data.rstrip(b"\0")
        last = data.rfind(b"\n", 0, len(data) - 1) + 1
        is_whole = data.endswith(b"\n") and data.startswith(ENDED, last)
        return not is_whole and written[: len(header)] == header[: len(written)]

    def _is(self, raw: RawGame, number: GameNumber) -> bool:
        """Whether this is the whole and undamaged log of that game of this tournament."""
        data = raw.data
        if not data.endswith(b"\n"):
            return False
        last = data.rfind(b"\n", 0, len(data) - 1) + 1
        try:
            header = parse_header(data[: data.find(b"\n")])
            ending = orjson.loads(data[last:])
        except (LogError, orjson.JSONDecodeError):
            return False
        deal, rotation = number
        seed = deal_seed(self._settings.seed, deal, rotation)
        return (
            data.startswith(ENDED, last)
            and ending.get("digest") == sha256(data[:last]).hexdigest()
            and ending.get("seed") == seed
            and header.game == f"{deal}.{rotation}"
            and header.commitment == commitment(seed)
            and header.tags == tags_of(self._tournament, number)
            and header.names == self._settings.names(self._schedule.seating(deal, rotation))
        )

    def _read_journal(self, name: str) -> None:
        path = self._folder.journals / name
        self._unmerged[name] = 0
        with open(path, "rb") as source:
            for raw in read_games(source, str(path)):
                number = _number(raw.data)
                if number is not None and self._is(raw, number):
                    self.finished(number, Place(name, raw.offset, len(raw.data)))
        self._clear(name)

    def journal_opened(self, name: str) -> None:
        """Games are going to be written to this journal: it stays until it is said to be closed."""
        self._unmerged.setdefault(name, 0)
        self._open.add(name)

    def journal_closed(self, name: str) -> None:
        """Nothing more is written to this journal."""
        self._open.discard(name)
        self._clear(name)

    def finished(self, number: GameNumber, place: Place) -> None:
        """A game stands in a journal, whole. One that is known already changes nothing."""
        if number < self.next or number in self._waiting:
            return
        self._waiting[number] = place
        self._unmerged[place.journal] = self._unmerged.get(place.journal, 0) + 1

    def is_known(self, number: GameNumber) -> bool:
        """Whether the game is finished."""
        return number < self.next or number in self._waiting

    def ahead(self) -> int:
        """How many finished games wait for one before them."""
        return len(self._waiting)

    def deals(self) -> int:
        """How many deals there are games of, begun ones included."""
        last = max(self._waiting, default=(-1, 0))[0] + 1
        return max(last, self.next[0] + (self.next[1] > 0))

    def merge(self) -> None:
        """Move all games to games.jsonl that can be."""
        used = set()
        while not self.over and (place := self._waiting.pop(self.next, None)) is not None:
            data = self._fetch(place)
            self._file.write(data)
            self._enter(data)
            self._unmerged[place.journal] -= 1
            used.add(place.journal)
        self._file.flush()  # before the journals go
        for journal in used:
            self._clear(journal)

    def _fetch(self, place: Place) -> bytes:
        reader = self._readers.get(place.journal)
        if reader is None:
            reader = open(self._folder.journals / place.journal, "rb")  # noqa: SIM115
            self._readers[place.journal] = reader
        return os.pread(reader.fileno(), place.size, place.offset)

    def _clear(self, journal: str) -> None:
        if journal not in self._open and not self._unmerged.get(journal):
            reader = self._readers.pop(journal, None)
            if reader is not None:
                reader.close()
            self._unmerged.pop(journal, None)
            (self._folder.journals / journal).unlink(missing_ok=True)

    def close(self) -> None:
        """Close all files, when nothing more is written. Journals with games that wait stay."""
        self._file.close()
        for journal in list(self._unmerged):
            self.journal_closed(journal)
        for reader in self._readers.values():
            reader.close()

    def finish(self) -> None:
        """The tournament is over: close, and drop what was played beyond its end."""
        self.close()
        for journal in self._folder.journals.glob(f"*{_JOURNAL}"):
            journal.unlink()


class Journal:
    """Appends whole games to a file, and begins another one now and then."""

    def __init__(self, folder: Path, worker: str) -> None:
        # The process id sets it apart from journals of earlier runs.
        self._stem = f"{worker}-{os.getpid()}-{os.urandom(4).hex()}"
        self._folder = folder
        self._files = 0
        self._games = _GAMES_A_JOURNAL
        self._descriptor = -1
        self.name = ""
        self._size = 0

    def append(self, log: bytes) -> tuple[str, int]:
        """Write a game; the file's name and the offset in it."""
        if self._games == _GAMES_A_JOURNAL:
            if self._descriptor >= 0:
                os.close(self._descriptor)
            self.name = f"{self._stem}-{self._files}{_JOURNAL}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._descriptor = os.open(self._folder / self.name, flags, 0o666)
            self._files += 1
            self._games = self._size = 0
        left = memoryview(log)
        while left:
            left = left[os.write(self._descriptor, left) :]
        offset = self._size
        self._size += len(log)
        self._games += 1
        return self.name, offset


def _number(data: bytes) -> GameNumber | None:
    """The number that a game of any tournament says it has."""
    try:
        tags = parse_header(data[: data.find(b"\n")]).tags
        return int(tags["deal"]), int(tags["rotation"])
    except (LogError, KeyError, ValueError):
        return None


def read_usual(path: Path) -> bytes:
    """What stands in a file, b"" where there is none.

    Raises FileExistsError for what is no usual file: a pipe would be waited for, a device has no
    end; and OSError as ever.
    """
    if not os.path.lexists(path):
        return b""
    if not path.is_file():
        raise FileExistsError(errno.EEXIST, "it is no usual file")
    return path.read_bytes()


def write_whole(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a file so that at any moment it is there whole or not at all."""
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(beside, path)
    except BaseException:  # a full disk, Ctrl-C: what was there stays, and nothing beside it
        beside.unlink(missing_ok=True)
        raise
