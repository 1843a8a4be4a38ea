"""Who meets whom, in which seats: a pure function of the bots and the size of a table.

Deal d is a *table*, K bots in a circular order, and rotation r turns that order by r seats, so
every bot sits in every seat once a deal. The left neighbour of a bot is the next in the circle; it
gets the card that the bot passes under a Cinnamon Twist, so the circular orders take turns too.

Tables come in *epochs* of a fixed number of deals. An epoch is built greedily from nothing: at each
deal the bots that have played least, among them those that have met least, in the circular order
that gives left neighbours that have been rare. Play counts are even at the end of every epoch, and
each epoch starts from its own shuffle of the bots so that what it cannot even out does not add up.
Any deal is reached by building its epoch alone: a million games start as fast as ten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from math import factorial, gcd

from gonuts_cli.errors import UsageError
from gonuts_cli.rules.deck import Words

# An epoch of many bots stops here although some pairs have not met yet: it must build in no time.
_LONGEST_EPOCH = 2000


class Schedule:
    """The deals of a tournament of `len(teams)` bots, `seats` at a table.

    `teams` has one entry a bot: bots with the same text never sit at one table; None is no team.
    Raises UsageError when no table can be filled.
    """

    def __init__(self, teams: Sequence[str | None], seats: int) -> None:
        self.bots = len(teams)
        self.seats = seats
        # A bot without a team is a team of its own; its number cannot be mistaken for a name.
        self._teams: tuple[str | int, ...] = tuple(
            bot if team is None else team for bot, team in enumerate(teams)
        )
        sides = len(set(self._teams))
        if sides < seats:
            raise UsageError(
                f"a table of {seats} cannot be filled: "
                + (
                    f"there are {self.bots} bots"
                    if sides == self.bots
                    else f"there are {sides} teams, and bots of one team do not meet"
                )
            )
        self.epoch_deals = self._epoch_length()
        self._epoch = lru_cache(maxsize=2)(self._build_epoch)

    def table(self, deal: int) -> tuple[int, ...]:
        """The bots (indices) of a deal in circular order: each has the next on its left."""
        epoch, place = divmod(deal, self.epoch_deals)
        return self._epoch(epoch)[place]

    def seating(self, deal: int, rotation: int) -> tuple[int, ...]:
        """The bot (index) in each seat of game `deal`.`rotation`."""
        table = self.table(deal)
        return table[rotation:] + table[:rotation]

    def games(self, deals: int, first: tuple[int, int] = (0, 0)) -> Iterator[tuple[int, int]]:
        """All (deal, rotation) below `deals` from `first` on, in schedule order."""
        deal, rotation = first
        while deal < deals:
            yield deal, rotation
            deal, rotation = self.after(deal, rotation)

    def after(self, deal: int, rotation: int) -> tuple[int, int]:
        """The game that follows in schedule order."""
        return (deal, rotation + 1) if rotation + 1 < self.seats else (deal + 1, 0)

    def _epoch_length(self) -> int:
        if self.bots == self.seats:
            return factorial(self.seats - 1)  # every circular order once
        even = self.bots // gcd(self.bots, self.seats)  # after so many deals plays can be equal
        # Each pair about 20 times: what the greedy choice leaves uneven is one or two meetings.
        wanted = 20 * self.bots * (self.bots - 1) // (self.seats * (self.seats - 1))
        return even * -(-min(wanted, _LONGEST_EPOCH) // even)

    def _build_epoch(self, epoch: int) -> tuple[tuple[int, ...], ...]:
        bots, seats, teams = self.bots, self.seats, self._teams
        shuffled = _shuffled(bots, epoch)
        plays = [0] * bots
        met = [[0] * bots for _ in range(bots)]
        left = [[0] * bots for _ in range(bots)]
        used: dict[tuple[int, ...], int] = {}
        tables = []
        for _ in range(self.epoch_deals):
            chosen: list[int] = []
            sides: set[str | int] = set()
            meetings = [0] * bots  # with those chosen so far
            while len(chosen) < seats:
                bot = min(
                    (other for other in shuffled if teams[other] not in sides),
                    key=lambda other: (plays[other], meetings[other]),
                )
                chosen.append(bot)
                sides.add(teams[bot])
                for other, count in enumerate(met[bot]):
                    meetings[other] += count
            order = min(
                _circles(tuple(sorted(chosen))),
                key=lambda circle: (
                    used.get(circle, 0),
                    sum(left[a][b] for a, b in zip(circle, circle[1:] + circle[:1], strict=True)),
                ),
            )
            used[order] = used.get(order, 0) + 1
            for a, b in zip(order, order[1:] + order[:1], strict=True):
                left[a][b] += 1
            for a in chosen:
                plays[a] += 1
                for b in chosen:
                    met[a][b] += 1
            tables.append(order)
        return tuple(tables)


def _circles(bots: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All circular orders of `bots`, each once, as the turn that starts with the first of them."""
    for rest in permutations(bots[1:]):
        yield bots[:1] + rest


def _shuffled(bots: int, epoch: int) -> list[int]:
    """The bots in an order that depends on the epoch's number only."""
    words = Words(f"gonuts-schedule/1:{epoch}")
    order = list(range(bots))
    for last in range(bots - 1, 0, -1):
        other = words.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return order
