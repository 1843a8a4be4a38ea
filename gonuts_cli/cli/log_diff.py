"""`gonuts log diff`: where two games part, and which games of two archives differ."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Annotated

import orjson
import typer

from gonuts_cli.cli.archives import Outcome, Reading, end, place
from gonuts_cli.cli.log_list import refuse
from gonuts_cli.cli.validate import JSON
from gonuts_cli.log.decode import LogError, game_id
from gonuts_cli.log.diff import Difference, Pair, Placed, Side, difference, pairs
from gonuts_cli.log.reader import whole
from gonuts_cli.show.events import Telling
from gonuts_cli.show.safe import printable


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A log, a folder of logs, or -.")],
    b: Annotated[str, typer.Argument(metavar="B", help="What to compare it with.")],
    json: Annotated[bool, JSON] = False,
) -> None:
    """Say where two games part.

    At which decision (ROUND:DECISION), and what came of it in each.

    Two logs of one game each are compared whatever their ids; the games of archives are paired by
    id, and those that differ are named. The status is 1 when anything differs.
    """
    shelves = _Shelf(a), _Shelf(b)
    alone = all(shelf.holds_one() for shelf in shelves)
    found: Iterable[Pair] = _the_two(*shelves) if alone else pairs(*shelves)
    same = differ = 0
    for pair in found:
        if pair.same:
            same += 1
            continue
        differ += 1
        if json:
            report = orjson.dumps(_as_json(pair), option=orjson.OPT_APPEND_NEWLINE)
        else:
            lines = _story(pair) if alone else _line(pair)
            report = "".join(f"{line}\n" for line in lines).encode()
        sys.stdout.buffer.write(report)
        sys.stdout.buffer.flush()
    if not json:
        sys.stdout.buffer.write(f"{same} the same, {differ} different\n".encode())
    end(Outcome(differ, [message for shelf in shelves for message in shelf.reading.unreadable]))


class _Shelf:
    """The games of one side; looking whether there is just one loses none."""

    def __init__(self, path: str) -> None:
        self.reading = Reading([path], progress=False)
        self._games = self._read()

    def _read(self) -> Iterator[Placed]:
        for raw in self.reading:
            game = raw
            try:
                game = whole(raw)
            except LogError as fault:
                refuse(raw, fault, "compared as it is: ")
            name = game_id(game.data.partition(b"\n")[0]) or ""
            yield Placed(name, raw.file, raw.first_line, game.data)

    def holds_one(self) -> bool:
        start = list(islice(self._games, 2))
        self._games = chain(start, self._games)
        return len(start) == 1

    def __iter__(self) -> Iterator[Placed]:
        return self._games


def _the_two(a: _Shelf, b: _Shelf) -> Iterator[Pair]:
    for one, other in zip(a, b, strict=True):
        yield Pair(one, other, one.data == other.data, far=False)


def _compared(pair: Pair) -> Difference | None:
    if pair.a is None or pair.b is None or pair.far:
        return None
    return difference(pair.a.data, pair.b.data)


def _as_json(pair: Pair) -> dict[str, object]:
    said: dict[str, object] = {"game": (pair.a or pair.b or Placed("", "", 0, b"")).id}
    for side, game in (("a", pair.a), ("b", pair.b)):
        said[side] = None if game is None else {"file": game.file, "line": game.line}
    found = _compared(pair)
    if found is None:
        return said
    said["setup"] = {key: {"a": one, "b": other} for key, (one, other) in found.setup.items()}
    if found.a is None or found.b is None:
        return said | {"at": None}
    said["at"] = f"{found.round}:{found.decision}"
    for key, part in (("a_part", found.a), ("b_part", found.b)):
        said[key] = {"line": part.number, "event": part.line, "after": part.after}
    return said


def _line(pair: Pair) -> Iterator[str]:
    """One line about a pair of two archives."""
    if pair.a is None or pair.b is None:
        where, game = ("B", pair.b) if pair.a is None else ("A", pair.a)
        if game is not None:
            yield f"only in {where}: {_place(game)}"
        return
    found = _compared(pair)
    if found is None:
        how = "differ (they lie too far apart to be compared here)"
    elif found.a is None or found.b is None:
        how = f"differ only in {_listed(found.setup)}"
    else:
        also = f"; different: {_listed(found.setup)}" if found.setup else ""
        how = f"part at {found.round}:{found.decision}{also}"
    other = f"{printable(pair.b.file)}:{pair.b.line}"
    yield f"{_place(pair.a)} and {other} {how}"


def _listed(setup: dict[str, tuple[object, object]]) -> str:
    return ", ".join(key.replace("_", " ") for key in setup)


def _place(game: Placed) -> str:
    return place(game.file, game.line, game.id or None)


def _story(pair: Pair) -> Iterator[str]:
    """All that can be said about two games."""
    if pair.a is None or pair.b is None:
        return
    yield f"A: {_place(pair.a)}"
    yield f"B: {_place(pair.b)}"
    found = difference(pair.a.data, pair.b.data)
    if found is None:
        return
    for key, (one, other) in found.setup.items():
        yield f"The {key.replace('_', ' ')}: {_shown(one)} in A, {_shown(other)} in B."
    if found.a is None or found.b is None:
        yield "Every other line is the same."
        return
    decided = all(
        part.line is not None and part.line.get("event") == "decided" for part in (found.a, found.b)
    )
    yield (
        f"They part at {found.round}:{found.decision} (round {found.round},"
        f" {'at' if decided else 'before'} its decision {found.decision})."
    )
    for side, game, part in (("A", pair.a, found.a), ("B", pair.b, found.b)):
        yield from _came_of_it(side, game, part)


def _shown(value: object) -> str:
    return printable(orjson.dumps(value).decode())[:200]


def _came_of_it(side: str, game: Placed, part: Side) -> Iterator[str]:
    telling = Telling(game.data.partition(b"\n")[0])
    line = game.line + part.number - 1
    if part.line is None:
        yield f"{side} has no line here: its log ends."
    else:
        yield f"{side}, line {line}: {telling.event(part.line)}"
    for move in part.after:
        yield f"    {telling.event(move)}"
    if part.ending is not None and part.ending != part.line:
        yield f"  In the end: {telling.event(part.ending)}"
