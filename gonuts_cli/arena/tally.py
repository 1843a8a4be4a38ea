"""Finished games, counted one by one; memory does not grow with them.

Exact sums are whole numbers. What the bootstrap needs to go through all games again, a short record
a game, goes to a file without a name.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gonuts_cli.arena.outcome import Outcome
from gonuts_cli.rules.cards import MAX_PLAYERS

Places = tuple[tuple[int, ...], ...]
"""Bots from first to last, those that are level together."""

RECORD = np.dtype(
    [
        ("deal", "S16"),
        ("result", "<u4"),
        ("players", "u1"),
        ("bots", "<u2", (MAX_PLAYERS,)),
        ("points", "<i2", (MAX_PLAYERS,)),
    ]
)
"""What is kept of a game; `result` is a number in `Tally.results`."""
_pack = Struct(f"<16sIB{MAX_PLAYERS}H{MAX_PLAYERS}h").pack

_CHUNK = 1024  # games read at once
_IN_MEMORY = 4 << 20  # bytes of records before they go to the file


class Tally:
    """Bots have numbers in the order in which they are first seen; sums are by that number."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.played: list[int] = []
        """Games of each bot, in each seat: `seats`."""
        self.seats: list[list[int]] = []
        self.shares: list[int] = []
        """In units of 1/SHARE_UNIT; `seat_shares` in each seat."""
        self.seat_shares: list[list[int]] = []
        self.points: list[int] = []
        self.faults: list[Counter[str]] = []
        self.ahead: Counter[tuple[int, int]] = Counter()
        """In how many half games the first was placed before the second; level is a half each."""
        self.results: dict[tuple[Places, int], int] = {}
        """Places and how many of the first group won (none when all are out), to a number."""
        self.tournaments: set[str | None] = set()
        """The tags `tournament` of the games, at most two of them."""
        self.games = 0
        self._index: dict[str, int] = {}
        self._records = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115

    def add(self, outcome: Outcome) -> None:
        """Count one game."""
        header = outcome.header
        bots = [self._bot(name) for name in header.names]
        shares = outcome.shares()
        for seat, bot in enumerate(bots):
            self.played[bot] += 1
            self.seats[bot][seat] += 1
            self.shares[bot] += shares[seat]
            self.seat_shares[bot][seat] += shares[seat]
            self.points[bot] += outcome.scores[seat]
            self.faults[bot].update(outcome.faults[seat])
        places = tuple(tuple(sorted(bots[seat] for seat in g)) for g in outcome.places())
        self._count_pairs(places)
        result = (places, len(outcome.winners))
        tournament = header.tags.get("tournament")
        if len(self.tournaments) < 2:
            self.tournaments.add(tournament)
        padding = [0] * (MAX_PLAYERS - len(bots))
        record = _pack(
            _deal_name(tournament, header.tags.get("deal"), header.commitment),
            self.results.setdefault(result, len(self.results)),
            len(bots),
            *bots,
            *padding,
            *outcome.scores,
            *padding,
        )
        self._records.write(record)
        self.games += 1

    def merge(self, later: Tally) -> None:
        """Count the games of `later`, as if they had been added here."""
        bots = [self._bot(name) for name in later.names]
        for other, bot in enumerate(bots):
            self.played[bot] += later.played[other]
            self.shares[bot] += later.shares[other]
            self.points[bot] += later.points[other]
            self.faults[bot].update(later.faults[other])
            for seat in range(MAX_PLAYERS):
                self.seats[bot][seat] += later.seats[other][seat]
                self.seat_shares[bot][seat] += later.seat_shares[other][seat]
        for (first, second), halves in later.ahead.items():
            self.ahead[bots[first], bots[second]] += halves
        results = []
        for places, won in later.results:
            named = tuple(tuple(sorted(bots[bot] for bot in group)) for group in places)
            results.append(self.results.setdefault((named, won), len(self.results)))
        for tournament in later.tournaments:
            if len(self.tournaments) < 2:
                self.tournaments.add(tournament)
        seats = np.arange(MAX_PLAYERS)
        for chunk in later.chunks():
            records = chunk.copy()
            records["result"] = np.array(results, "<u4")[chunk["result"]]
            numbers = np.array(bots, "<u2")[chunk["bots"]]
            records["bots"] = np.where(seats < chunk["players"][:, None], numbers, 0)
            self._records.write(records.tobytes())
        self.games += later.games

    def __getstate__(self) -> dict[str, Any]:
        """For another process: the records as bytes."""
        self._records.seek(0)
        return {**self.__dict__, "_records": self._records.read()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        records = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
        records.write(state["_records"])
        self.__dict__.update(state, _records=records)

    def chunks(self) -> Iterator[NDArray[Any]]:
        """The records of all games in their order, some thousand at a time."""
        self._records.seek(0)
        while data := self._records.read(_CHUNK * RECORD.itemsize):
            yield np.frombuffer(data, RECORD)
        self._records.seek(0, 2)

    def deals(self) -> Iterator[NDArray[Any]]:
        """As `chunks`, but a deal whose games stand together is not cut between two."""
        held = np.empty(0, RECORD)
        for chunk in self.chunks():
            records = np.concatenate([held, chunk])
            last = records["deal"] != records["deal"][-1]
            cut = int(last.nonzero()[0][-1]) + 1 if last.any() else 0
            if not cut and len(records) >= 4 * _CHUNK:
                cut = len(records)  # None of ours is so long: it need not be held together.
            if cut:
                yield records[:cut]
            held = records[cut:]
        if len(held):
            yield held

    def _count_pairs(self, places: Places) -> None:
        later = [bot for group in places for bot in group]
        for group in places:
            later = later[len(group) :]
            for bot in group:
                for other in later:
                    self.ahead[bot, other] += 2
                for other in group:
                    if other != bot:
                        self.ahead[bot, other] += 1

    def _bot(self, name: str) -> int:
        index = self._index.get(name)
        if index is None:
            index = self._index[name] = len(self.names)
            self.names.append(name)
            for column in (self.played, self.shares, self.points):
                column.append(0)
            self.seats.append([0] * MAX_PLAYERS)
            self.seat_shares.append([0] * MAX_PLAYERS)
            self.faults.append(Counter())
        return index


def _deal_name(tournament: str | None, deal: str | None, commitment: str) -> bytes:
    """Sixteen bytes that name a deal; a game that is of none is a deal of its own."""
    text = f"game:{commitment}" if deal is None else f"deal:{tournament or ''}:{deal}"
    # In hex, since numpy drops zero bytes at the end of a text.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16].encode()
