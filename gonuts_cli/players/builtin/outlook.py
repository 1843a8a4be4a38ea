"""What a card is likely to be worth to a seat when the game ends: `sly`'s estimate.

The rules say what a card counts at the end; until then sets grow and bounds on cards and kinds
come near. The constants here were found by playing (benchmarks/builtin_bots.py), not derived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import comb, exp, sqrt
from typing import Any

from gonuts_cli.rules.cards import CARDS, NEGATIVE_KINDS
from gonuts_cli.rules.points import Hand

Held = Mapping[str, int]

_CARDS_A_ROUND = {2: 0.75, 3: 0.67, 4: 0.6, 5: 0.55, 6: 0.52}
"""How many cards a seat gets in a round, by player count."""
_ROW_USED = 0.62
"""The part of the row that a round takes away."""
_SET_KINDS = ("donut_holes", "jelly_filled", "boston_cream")
_NOTHING = Hand([{}, {}], 0, 0, 0, False, 0)


def _likely(margin: float) -> float:
    """From a margin in standard steps to a probability."""
    if margin > 8:
        return 1.0
    return 0.0 if margin < -8 else 1 / (1 + exp(-1.7 * margin))


@cache
def _set_gain(kind: str, count: int, left: int, share: float) -> float:
    """What copy number `count` + 1 of a set adds, when each of `left` more comes with `share`."""
    points = CARDS[kind].points
    gain = 0.0
    for more in range(left + 1):
        chance = comb(left, more) * share**more * (1 - share) ** (left - more)
        without = points(count + more, _NOTHING) if count + more else 0
        gain += chance * (points(count + more + 1, _NOTHING) - without)
    return gain


class Table:
    """What all seats' outlooks share: how long the game goes on and what may still come."""

    __slots__ = ("coming", "gone", "left", "most_plain", "players", "share", "sizes", "view")

    def __init__(self, view: Mapping[str, Any]) -> None:
        self.view = view
        tableaus = view["tableaus"]
        self.players = players = len(tableaus)
        rounds = view["deck"] / (_ROW_USED * (players + 1))
        rate = _CARDS_A_ROUND[players]
        self.coming: float = rounds * rate
        """How many more cards a seat may expect."""
        self.share = round(1.4 * rate / (_ROW_USED * (players + 1)), 2)
        """The chance to get a card that one wants when it comes."""
        self.sizes = [sum(held.values()) for held in tableaus]
        self.gone = view["discard"]
        self.left: dict[str, int] = {}

    def copies_left(self, kind: str) -> int:
        """How many copies of a kind nobody has yet, the discard pile left out."""
        left = self.left.get(kind)
        if left is None:
            left = CARDS[kind].copies_for(self.players) - self.gone.count(kind)
            for held in self.view["tableaus"]:
                left -= held.get(kind, 0)
            self.left[kind] = left
        return left


class Outlook:
    """One seat's hand, and what cards would add to it or take from it in the end."""

    __slots__ = (
        "_fewest_of_others",
        "_gains",
        "_plain_elsewhere",
        "_table",
        "held",
        "kinds",
        "size",
    )

    def __init__(self, table: Table, seat: int, held: Held | None = None) -> None:
        tableaus = table.view["tableaus"]
        self._table = table
        self.held = tableaus[seat] if held is None else held
        self.size = sum(self.held.values())
        self.kinds = len(self.held)
        others = [other for other in range(table.players) if other != seat]
        self._fewest_of_others = min(table.sizes[other] for other in others)
        self._plain_elsewhere = max(tableaus[other].get("plain", 0) for other in others)
        self._gains: dict[str, float] = {}

    def with_held(self, held: Held) -> Outlook:
        """The same seat with other cards."""
        twin = object.__new__(Outlook)
        twin._table = self._table
        twin.held = held
        twin.size = sum(held.values())
        twin.kinds = len(held)
        twin._fewest_of_others = self._fewest_of_others
        twin._plain_elsewhere = self._plain_elsewhere
        twin._gains = {}
        return twin

    def gain(self, kind: str) -> float:
        """What one more card of `kind` adds in the end, without its power."""
        gain = self._gains.get(kind)
        if gain is None:
            gain = self._gains[kind] = self._gain(kind)
        return gain

    def loss(self, kind: str) -> float:
        """What one card of `kind` fewer takes away in the end."""
        held = dict(self.held)
        if held[kind] == 1:
            del held[kind]
        else:
            held[kind] -= 1
        return self.with_held(held)._gain(kind)

    def _gain(self, kind: str) -> float:
        held = self.held
        count = held.get(kind, 0)
        new_kinds = self.kinds + (not count)
        estimate = _ESTIMATES.get(kind)
        if estimate is not None:
            gain = estimate(self, count)
        elif kind in _SET_KINDS:
            left = max(0, self._table.copies_left(kind) - 1)
            gain = _set_gain(kind, count, left, self._table.share)
        else:
            gain = CARDS[kind].points(1, _NOTHING)
        # What the card does to others that are held already.
        if not count:
            if "maple_bar" in held:
                more = self._many_kinds(new_kinds) - self._many_kinds(self.kinds)
                gain += 3 * held["maple_bar"] * more
            if "mucho_matcha" in held:
                more = self._many_kinds(new_kinds) - self._many_kinds(self.kinds)
                gain -= 3 * held["mucho_matcha"] * more
        if "old_fashioned" in held:
            gain += (
                5 * held["old_fashioned"] * (self._small(self.size + 1) - self._small(self.size))
            )
        if "maple_frosted" in held:
            change = self._smallest(self.size + 1) - self._smallest(self.size)
            gain += 5 * held["maple_frosted"] * change
        if "coffee" in held and kind in NEGATIVE_KINDS:
            gain += held["coffee"]
        return gain

    # How likely the conditions of cards hold in the end

    def _many_kinds(self, kinds: int) -> float:
        """That the seat ends with seven kinds or more."""
        coming = self._table.coming * 0.55
        return _likely((kinds + coming - 6.5) / (0.3 + 0.35 * sqrt(coming)))

    def _small(self, size: int) -> float:
        """That the seat ends with nine cards or fewer."""
        coming = self._table.coming
        return _likely((9.5 - size - coming) / (0.3 + 0.5 * sqrt(coming)))

    def _smallest(self, size: int) -> float:
        """That nobody ends with fewer cards than the seat."""
        coming = self._table.coming
        rivals = 0.3 * (self._table.players - 2) * sqrt(coming)
        return _likely((self._fewest_of_others + 0.5 - size - rivals) / (0.3 + 0.6 * sqrt(coming)))

    def _most_plain(self, count: int) -> float:
        """The bonus for Plain that so many copies bring: 3, 1 when tied, 0."""
        if not count:
            return 0
        lead = count - self._plain_elsewhere
        left = self._table.copies_left("plain")
        spread = 0.3 + 0.35 * sqrt(left)
        return 2 * _likely((lead - 0.5) / spread) + _likely((lead + 0.5) / spread)


def _plain(outlook: Outlook, count: int) -> float:
    return 1 + outlook._most_plain(count + 1) - outlook._most_plain(count)


def _coffee(outlook: Outlook, count: int) -> float:
    negatives = sum(outlook.held[kind] for kind in NEGATIVE_KINDS if kind in outlook.held)
    return negatives + 0.06 * outlook._table.coming


_ESTIMATES: dict[str, Callable[[Outlook, int], float]] = {
    "maple_bar": lambda outlook, count: 3 * outlook._many_kinds(outlook.kinds + (not count)),
    "plain": _plain,
    "coffee": _coffee,
    "old_fashioned": lambda outlook, count: 5 * outlook._small(outlook.size + 1),
    "maple_frosted": lambda outlook, count: 5 * outlook._smallest(outlook.size + 1),
    "mucho_matcha": lambda outlook, count: (
        3 * (1 - outlook._many_kinds(outlook.kinds + (not count)))
    ),
}


def outlooks(view: Mapping[str, Any]) -> list[Outlook]:
    """Every seat's outlook."""
    table = Table(view)
    return [Outlook(table, seat) for seat in range(table.players)]


def rivals(scores: Sequence[float], you: int) -> list[float]:
    """How much each opponent's points matter to `you`: together 1, the leaders most."""
    best = max(score for seat, score in enumerate(scores) if seat != you)
    weights = [0.0 if seat == you else exp((score - best) / 6) for seat, score in enumerate(scores)]
    total = sum(weights)
    return [weight / total for weight in weights]
