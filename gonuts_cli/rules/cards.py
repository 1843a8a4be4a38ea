"""The 23 kinds of card: all that a card is stands in one row of one table (SPEC §1).

To add a card, add a row to `_TABLE` (its place is card order) and, if it acts when taken, one
function to `powers`. A points rule that no other card has goes to `points`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from gonuts_cli.rules import powers
from gonuts_cli.rules.points import Hand, Points, coffee, each, each_if, plain, sets


@dataclass(frozen=True, slots=True)
class Card:
    """One kind of card.

    `copies` is how many the deck has, or by player count from `from_players` up where it differs;
    `points` counts them at the end; `power` acts when one is taken from the row by a bid.
    """

    kind: str
    copies: int | tuple[int, ...]
    from_players: int
    points: Points
    power: powers.Power | None = None

    def copies_for(self, players: int) -> int:
        """How many copies the deck for so many players holds."""
        if players < self.from_players:
            return 0
        if isinstance(self.copies, int):
            return self.copies
        return self.copies[players - self.from_players]


# fmt: off
_TABLE: Final = (
    #    kind                copies      from  points                                  power
    Card("chocolate_frosted", 3,               2, each(0), powers.chocolate_frosted),
    Card("donut_holes",       6,               2, sets(1, 3, 6, 10, 15)),
    Card("eclair",            3,               2, each(0), powers.eclair),
    Card("french_cruller",    (1, 2, 3, 4, 4), 2, each(2), powers.french_cruller),
    Card("glazed",            5,               2, each(2)),
    Card("jelly_filled",      6,               2, sets(0, 5, 5, 10, 10, 15)),
    Card("maple_bar",         2,               2, each_if(3, lambda hand: hand.kinds > 6)),
    Card("plain",             7,               2, plain),
    Card("powdered",          4,               2, each(3)),
    Card("boston_cream",      6,               3, sets(0, 6, 0, 15, 0, 25)),
    Card("double_chocolate",  2,               3, each(0), powers.double_chocolate),
    Card("red_velvet",        2,               3, each(-2), powers.red_velvet),
    Card("sprinkled",         2,               3, each(2), powers.sprinkled),
    Card("bear_claw",         2,               4, each(-2), powers.bear_claw),
    Card("cinnamon_twist",    2,               4, each(1), powers.cinnamon_twist),
    Card("coffee",            2,               4, coffee),
    Card("day_old_donuts",    1,               4, each(-7), powers.day_old_donuts),
    Card("milk",              1,               4, each(5), powers.milk),
    Card("old_fashioned",     2,               4, each_if(5, lambda hand: hand.cards < 10)),
    Card("maple_frosted",     2,               5, each_if(5, lambda hand: hand.fewest)),
    Card("mucho_matcha",      2,               5, each_if(3, lambda hand: hand.kinds < 7)),
    Card("raspberry_frosted", 2,               5, each(0), powers.raspberry_frosted),
    Card("strawberry_glazed", 2,               5, each(-2), powers.strawberry_glazed),
)
# fmt: on

CARDS: Final[dict[str, Card]] = {card.kind: card for card in _TABLE}
"""Every kind's card, in card order."""
KINDS: Final[tuple[str, ...]] = tuple(CARDS)
"""The kinds in card order."""
CARD_ORDER: Final[dict[str, int]] = {kind: place for place, kind in enumerate(KINDS)}
"""A kind's place in card order: what lists of kinds are sorted by."""
POWERS: Final[dict[str, powers.Power]] = {card.kind: card.power for card in _TABLE if card.power}
"""What acts when a kind is taken from the row by a bid."""
NEGATIVE_KINDS: Final[frozenset[str]] = frozenset(
    card.kind
    for card in _TABLE
    if card.points(1, Hand([{card.kind: 1}, {}], 0, 1, 1, False, 0)) < 0
)
"""The kinds that give negative points (SPEC §1, rulings)."""
MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 6


@cache
def sorted_deck(players: int) -> tuple[str, ...]:
    """All cards of a game for so many players in card order, before the shuffle.

    >>> [len(sorted_deck(players)) for players in range(2, 7)]
    [37, 50, 61, 70, 70]
    """
    return tuple(card.kind for card in _TABLE for _ in range(card.copies_for(players)))


@cache
def kinds_in_deck(players: int) -> tuple[str, ...]:
    """The kinds in the deck for so many players, in card order."""
    return tuple(dict.fromkeys(sorted_deck(players)))


def deck_size(players: int) -> int:
    """How many cards the deck for so many players has."""
    return len(sorted_deck(players))
