"""How the copies of a kind count: the rules that the table of cards is written in (SPEC §1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

Points = Callable[[int, "Hand"], int]
"""What the copies of a kind bring: from how many there are and the hand that they lie in."""


class Hand:
    """One tableau as the points rules see it.

    `cards` and `kinds` count the whole tableau, `negatives` its cards that give negative points;
    `fewest` says whether Maple Frosted scores here.
    """

    __slots__ = ("_hands", "_seat", "cards", "fewest", "kinds", "negatives")

    def __init__(
        self,
        hands: Sequence[Mapping[str, int]],
        seat: int,
        cards: int,
        kinds: int,
        fewest: bool,
        negatives: int,
    ) -> None:
        self._hands = hands
        self._seat = seat
        self.cards = cards
        self.kinds = kinds
        self.fewest = fewest
        self.negatives = negatives

    def most_elsewhere(self, kind: str) -> int:
        """How many copies the richest opponent holds."""
        copies = [held.get(kind, 0) for held in self._hands]
        del copies[self._seat]
        return max(copies)


class ByCopies:
    """What copies bring whatever else lies in the hand: `brings[copies]`."""

    __slots__ = ("brings",)

    def __init__(self, *brings: int) -> None:
        self.brings = brings

    def __call__(self, count: int, hand: Hand) -> int:
        """As all points rules."""
        return self.brings[count]


_MOST_COPIES: Final = 12
"""More than any deck has of a kind."""


def each(points: int) -> ByCopies:
    """Every copy brings `points`."""
    return ByCopies(*[points * copies for copies in range(_MOST_COPIES + 1)])


def sets(*points: int) -> ByCopies:
    """So many copies bring `points[copies - 1]`; more than are listed bring the last."""
    return ByCopies(0, *points, *points[-1:] * (_MOST_COPIES - len(points)))


def each_if(points: int, condition: Callable[[Hand], bool]) -> Points:
    """Every copy brings `points` when the hand meets the condition, else nothing."""
    return lambda count, hand: points * count if condition(hand) else 0


def plain(count: int, hand: Hand) -> int:
    """1 each; 3 more, once, for the most of all; 1 more, once, for being tied for most."""
    rival = hand.most_elsewhere("plain")
    return count + (3 if count > rival else 1 if count == rival else 0)


def coffee(count: int, hand: Hand) -> int:
    """Each: 1 for every card held that gives negative points."""
    return count * hand.negatives
