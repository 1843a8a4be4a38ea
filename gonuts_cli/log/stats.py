"""Figures of many games: what was offered, bid on and taken, and what it brought whom.

`Stats.add` takes one game at a time and keeps sums only, so memory does not grow with the archive.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from gonuts_cli.log.audit import Audit
from gonuts_cli.rules.cards import KINDS


@dataclass(slots=True)
class KindSums:
    """Sums for one kind of card at tables of one size.

    `offered`: it lay in the row when bids were made (once a round for each copy that lies there);
    of these `taken` by one bid, `collided` under several. `holders` are players who held it at the
    end, `held` their copies, `points` what these brought.
    """

    offered: int = 0
    taken: int = 0
    collided: int = 0
    holders: int = 0
    held: int = 0
    points: int = 0


@dataclass(slots=True)
class SeatSums:
    """Sums for one player (by name) in one seat at tables of one size."""

    games: int = 0
    wins: float = 0.0
    points: int = 0


@dataclass(slots=True)
class TableSums:
    """All sums for tables of one size."""

    games: int = 0
    rounds: Counter[int] = field(default_factory=Counter)
    collisions: int = 0
    kinds: defaultdict[str, KindSums] = field(default_factory=lambda: defaultdict(KindSums))
    seats: defaultdict[tuple[str, int], SeatSums] = field(
        default_factory=lambda: defaultdict(SeatSums)
    )
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)


class Row(NamedTuple):
    """One row of figures: which `table` of the report it belongs to, its keys, its figures."""

    table: str
    keys: dict[str, str | int]
    values: dict[str, int | float | None]


class Stats:
    """The figures of all games added so far, by the number of players."""

    def __init__(self) -> None:
        self.tables: defaultdict[int, TableSums] = defaultdict(TableSums)

    @property
    def games(self) -> int:
        return sum(table.games for table in self.tables.values())

    def add(self, data: bytes, audit: Audit) -> None:
        """Add one finished game, its lines and what the score audit made of them.

        `audit.ok` must be true: the figures are only as good as the games.
        """
        table = self.tables[len(audit.players)]
        table.games += 1
        self._add_rounds(table, data, audit.players)
        for seat, name in enumerate(audit.players):
            sums = table.seats[name, seat]
            sums.games += 1
            sums.points += audit.scores[seat]
            if seat in audit.winners:
                sums.wins += 1 / len(audit.winners)
            for kind, points in audit.points[seat].items():
                held = table.kinds[kind]
                held.holders += 1
                held.held += audit.tableaus[seat][kind]
                held.points += points

    def _add_rounds(self, table: TableSums, data: bytes, players: tuple[str, ...]) -> None:
        row: dict[str, str] = {}
        kinds = table.kinds
        rounds = 0
        bidding = False
        for line in data.removesuffix(b"\n").split(b"\n")[1:-1]:
            fact = _fact(line)
            if fact.what == "bid":
                if not bidding:
                    bidding = True
                    for kind in row.values():
                        kinds[kind].offered += 1
            elif fact.what == "round":
                rounds += 1
                bidding = False
            elif fact.what == "refill":
                row[fact.place] = fact.kind
            elif fact.place:
                row.pop(fact.place, None)
                if fact.what == "award":
                    kinds[fact.kind].taken += 1
                elif fact.what == "collision":
                    kinds[fact.kind].collided += 1
                    table.collisions += 1
            if fact.fault:
                table.faults[players[fact.seat], fact.fault] += 1
        table.rounds[rounds] += 1

    def rows(self) -> Iterator[Row]:
        """Every figure, in a fixed order: by players, then games, seats, kinds, lengths, faults."""
        for players in sorted(self.tables):
            table = self.tables[players]
            yield _games_row(players, table)
            yield from _seat_rows(players, table)
            yield from _kind_rows(players, table)
            for rounds in sorted(table.rounds):
                keys: dict[str, str | int] = {"players": players, "rounds": rounds}
                yield Row("lengths", keys, {"games": table.rounds[rounds]})
            for name, fault in sorted(table.faults):
                keys = {"players": players, "name": name, "fault": fault}
                yield Row("faults", keys, {"count": table.faults[name, fault]})


def _games_row(players: int, table: TableSums) -> Row:
    rounds = sum(length * games for length, games in table.rounds.items())
    return Row(
        "games",
        {"players": players},
        {
            "games": table.games,
            "rounds": _ratio(rounds, table.games),
            "shortest": min(table.rounds),
            "longest": max(table.rounds),
            "collisions_a_round": _ratio(table.collisions, rounds),
            "faults": sum(table.faults.values()),
        },
    )


def _seat_rows(players: int, table: TableSums) -> Iterator[Row]:
    """For every player a row a seat, and one over all seats (`seat` "all")."""
    for name in sorted({name for name, _ in table.seats}):
        whole = SeatSums()
        for seat in range(players):
            sums = table.seats.get((name, seat))
            if sums is None:
                continue
            whole.games += sums.games
            whole.wins += sums.wins
            whole.points += sums.points
            yield _seat_row(players, name, seat, sums)
        yield _seat_row(players, name, "all", whole)


def _seat_row(players: int, name: str, seat: int | str, sums: SeatSums) -> Row:
    return Row(
        "seats",
        {"players": players, "name": name, "seat": seat},
        {
            "games": sums.games,
            "win_share": _ratio(sums.wins, sums.games),
            "points": _ratio(sums.points, sums.games),
        },
    )


def _kind_rows(players: int, table: TableSums) -> Iterator[Row]:
    for kind in KINDS:
        sums = table.kinds.get(kind)
        if sums is None:
            continue
        yield Row(
            "kinds",
            {"players": players, "kind": kind},
            {
                "offered": sums.offered,
                "bid_on": sums.taken + sums.collided,
                "collided": sums.collided,
                "taken": sums.taken,
                "holders": sums.holders,
                "held": sums.held,
                "points": _ratio(sums.points, sums.holders),
                "points_a_card": _ratio(sums.points, sums.held),
            },
        )


def _ratio(total: float, count: int) -> float | None:
    """A mean to six places, so that the same games give the same text; None of nothing."""
    return round(total / count, 6) if count else None


class _Fact(NamedTuple):
    """What one line adds: `what` is bid, round, refill, award, collision or other."""

    what: str
    kind: str = ""
    place: str = ""
    fault: str = ""
    seat: int = 0


@lru_cache(maxsize=8192)
def _fact(line: bytes) -> _Fact:
    said: dict[str, Any] = orjson.loads(line)
    match said:
        case {"event": "moved", "cause": "refill", "card": kind, "to": place}:
            return _Fact("refill", kind, place)
        case {"event": "moved", "cause": cause, "card": kind, "from": place}:
            return _Fact(cause, kind, place if place.startswith("row:") else "")
        case {"event": "decided", "decision": decision, "player": seat}:
            what = "bid" if decision == "bid" else "other"
            return _Fact(what, fault=said.get("fault", ""), seat=seat)
        case {"event": "round_started"}:
            return _Fact("round")
    return _Fact("other")
