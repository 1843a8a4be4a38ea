"""What a card is worth to a seat if the game ended now: the scoring rules, asked quickly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gonuts_cli.rules.cards import CARDS, NEGATIVE_KINDS, sorted_deck
from gonuts_cli.rules.points import Hand
from gonuts_cli.rules.rulings import Rulings

Held = Mapping[str, int]


def added(held: Held, kind: str) -> dict[str, int]:
    """The cards `held` and one more."""
    more = dict(held)
    more[kind] = more.get(kind, 0) + 1
    return more


def removed(held: Held, kind: str) -> dict[str, int]:
    """The cards `held` without one of `kind`."""
    fewer = dict(held)
    if fewer[kind] == 1:
        del fewer[kind]
    else:
        fewer[kind] -= 1
    return fewer


class Standing:
    """One seat's score as a function of what it holds, while the others hold what they do."""

    __slots__ = ("_gains", "_others", "_shared", "_smallest", "held", "now")

    def __init__(self, tableaus: Sequence[Held], seat: int, rulings: Rulings) -> None:
        self.held = tableaus[seat]
        self._others = [held for other, held in enumerate(tableaus) if other != seat]
        self._smallest = min(sum(held.values()) for held in self._others)
        self._shared = rulings.maple_frosted_tie == "shared"
        self._gains: dict[str, int] = {}
        self.now = self.score(self.held)
        """The seat's score as things stand."""

    def score(self, held: Held) -> int:
        """What the seat would score if it held `held` (SPEC §1)."""
        size = sum(held.values())
        fewest = size < self._smallest or (self._shared and size == self._smallest)
        negatives = sum(held[kind] for kind in NEGATIVE_KINDS if kind in held)
        hand = Hand([held, *self._others], 0, size, len(held), fewest, negatives)
        return sum([CARDS[kind].points(count, hand) for kind, count in held.items()])

    def gain(self, kind: str) -> int:
        """What one more card of `kind` adds."""
        gain = self._gains.get(kind)
        if gain is None:
            gain = self._gains[kind] = self.score(added(self.held, kind)) - self.now
        return gain

    def loss(self, kind: str) -> int:
        """What one card of `kind` fewer takes away; negative where the seat is glad to lose it."""
        return self.now - self.score(removed(self.held, kind))


def unseen(view: Mapping[str, Any], players: int) -> Counter[str]:
    """How many copies of each kind a seat has not seen: those that the deck may hold."""
    left = Counter(sorted_deck(players))
    left.subtract(kind for kind in view["row"] if kind is not None)
    left.subtract(view["discard"])
    for held in view["tableaus"]:
        left.subtract(held)
    return +left
