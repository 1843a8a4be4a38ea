"""Where two games part, and which games of two archives differ.

Works on the lines of logs as they stand: damaged games can be compared too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

SETUP = ("players", "rulings", "seed_commitment", "game", "tags", "format", "rules")
"""Keys of `game_started` in the order in which their differences matter."""

WINDOW = 256
"""Games of each archive that are held whole while their partner is looked for."""


class Side(NamedTuple):
    """One of two games from where they part on.

    `line` is the parsed line that is not in the other (None where this log has ended), `number`
    where it stands in the game, from 1. `after` are the moves after it to the end of the round,
    `ending` is the game's `game_ended` line, None where there is none.
    """

    line: dict[str, Any] | None
    number: int
    after: tuple[dict[str, Any], ...]
    ending: dict[str, Any] | None


class Difference(NamedTuple):
    """How two games differ.

    `setup` has the keys of `game_started` whose values differ, each with both values. `round` and
    `decision` are the position of the first decision that is not the same, or before which
    something else parted them, ROUND:DECISION: DECISION counts the `decided` lines of the round
    from 1. Both are 0, and `a` and `b` None, when nothing but the setup differs.
    """

    setup: dict[str, tuple[Any, Any]]
    round: int
    decision: int
    a: Side | None
    b: Side | None


def difference(a: bytes, b: bytes) -> Difference | None:
    """How the games in `a` and `b` (their whole logs) differ; None when they are the same bytes."""
    if a == b:
        return None
    lines_a, lines_b = (game.removesuffix(b"\n").split(b"\n") for game in (a, b))
    setup = _setup(lines_a[:1], lines_b[:1])
    shared = min(len(lines_a), len(lines_b))
    at = next((at for at in range(1, shared) if lines_a[at] != lines_b[at]), shared)
    if at == len(lines_a) == len(lines_b):
        return Difference(setup, 0, 0, None, None)
    round_number = decision = 0
    for line in lines_a[1:at]:
        if line.startswith(b'{"event":"decided"'):
            decision += 1
        elif line.startswith(b'{"event":"round_started"'):
            round_number, decision = round_number + 1, 0
    return Difference(setup, round_number, decision + 1, _side(lines_a, at), _side(lines_b, at))


def _setup(a: list[bytes], b: list[bytes]) -> dict[str, tuple[Any, Any]]:
    one, other = (_parsed(lines[0]) if lines else {} for lines in (a, b))
    return {key: (one.get(key), other.get(key)) for key in SETUP if one.get(key) != other.get(key)}


def _side(lines: list[bytes], at: int) -> Side:
    after = []
    for line in lines[at + 1 :]:
        parsed = _parsed(line)
        if parsed.get("event") == "moved":
            after.append(parsed)
        elif parsed.get("event") != "decided":
            break
    last = _parsed(lines[-1]) if lines else {}
    ending = last if last.get("event") == "game_ended" else None
    here = _parsed(lines[at]) if at < len(lines) else None
    return Side(here, at + 1, tuple(after), ending)


def _parsed(line: bytes) -> dict[str, Any]:
    """The object on a line; a line that cannot be read counts as an event of its own."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = None
    return value if isinstance(value, dict) else {"event": "broken"}


class Placed(NamedTuple):
    """A game of an archive: its id, where it stands, its lines (empty once they are let go)."""

    id: str
    file: str
    line: int
    data: bytes


class Pair(NamedTuple):
    """Two games with one id, or a game without partner, which has None for the other.

    With `far` they lay too far apart for both to be kept whole; whether they are the `same` is
    known all the same.
    """

    a: Placed | None
    b: Placed | None
    same: bool
    far: bool


class _Waiting:
    """The games of one archive that wait for their partner: the newest whole, all as digests."""

    def __init__(self) -> None:
        self.by_id: dict[str, deque[tuple[Placed, bytes]]] = {}
        self.whole: deque[Placed] = deque()

    def add(self, game: Placed) -> None:
        place = game._replace(data=b"")
        self.by_id.setdefault(game.id, deque()).append((place, sha256(game.data).digest()))
        self.whole.append(game)
        if len(self.whole) > WINDOW:
            self.whole.popleft()

    def take(self, game_id: str) -> tuple[Placed, bytes] | None:
        """The first game waiting under this id, whole if it still is, and its digest."""
        waiting = self.by_id.get(game_id)
        if waiting is None:
            return None
        place, digest = waiting.popleft()
        if not waiting:
            del self.by_id[game_id]
        for at, game in enumerate(self.whole):
            if (game.file, game.line) == (place.file, place.line):
                del self.whole[at]
                return game, digest
        return place, digest


def pairs(a: Iterable[Placed], b: Iterable[Placed]) -> Iterator[Pair]:
    """The games of two archives paired by id, each pair as soon as both have been read.

    Games need not stand in the same order; several with one id are paired in their order. Memory
    holds `WINDOW` games of each archive, and a digest and a place for every game whose partner is
    further away than that. Games without partner come last.
    """
    streams = (iter(a), iter(b))
    waiting = (_Waiting(), _Waiting())
    still_open = [0, 1]
    while still_open:
        for which in tuple(still_open):
            game = next(streams[which], None)
            if game is None:
                still_open.remove(which)
                continue
            found = waiting[1 - which].take(game.id)
            if found is None:
                waiting[which].add(game)
                continue
            partner, digest = found
            same = sha256(game.data).digest() == digest
            one, other = (partner, game) if which else (game, partner)
            yield Pair(one, other, same, not partner.data)
    for alone in waiting[0].by_id.values():
        yield from (Pair(game, None, False, False) for game, _ in alone)
    for alone in waiting[1].by_id.values():
        yield from (Pair(None, game, False, False) for game, _ in alone)
