"""What happens in a game, as small immutable values (SPEC §4).

`MOVED`, `ROUNDS`, `BIDS`, `REFILLED`, `COLLIDED` and `AWARDED` hand out one shared value for each
event of the small vocabulary that most of a game is made of: looking one up is cheaper than
building it, and the last three, for what every round is made of, are the cheapest.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

Choice = tuple[Any, ...]
"""An answer: positions, kinds, or pairs of kind and seat, by the decision (SPEC §3)."""


class RoundStarted(NamedTuple):
    """A round begins; rounds are counted from 1."""

    round: int


class Moved(NamedTuple):
    """One card goes from a zone to another; zones and causes are those of SPEC §1 and §4."""

    card: str
    source: str
    target: str
    cause: str


class Decided(NamedTuple):
    """A player's answer to a decision, or the referee's for it, then with the `fault`."""

    player: int
    decision: str
    choose: Choice
    fault: str | None = None


Event = RoundStarted | Moved | Decided

ROW: Final = tuple(f"row:{position}" for position in range(1, 8))
"""Zone names of the row; index 0 is position 1."""
TABLEAU: Final = tuple(f"tableau:{seat}" for seat in range(6))
"""Zone names of the tableaus by seat."""


class SeedMissing(Exception):
    """What comes next follows from the seed, which is not known, and the log does not tell it."""


class _MovedVocabulary(dict[tuple[str, str, str, str], Moved]):
    """(card, source, target, cause) to the one shared Moved of it, made at first use.

    A card that only the seed tells is an empty text, and never moves: SeedMissing is raised.
    """

    def __missing__(self, key: tuple[str, str, str, str]) -> Moved:
        card, source, target, cause = key
        if not card:
            raise SeedMissing
        event = self[key] = Moved(card, source, target, cause)
        return event


class _MovesOfCards(dict[str, Moved]):
    """A card to the one shared Moved of it from one zone to another, made at first use."""

    def __init__(self, source: str, target: str, cause: str) -> None:
        super().__init__()
        self._way = (source, target, cause)

    def __missing__(self, card: str) -> Moved:
        event = self[card] = MOVED[card, *self._way]
        return event


class _RoundVocabulary(dict[int, RoundStarted]):
    def __missing__(self, key: int) -> RoundStarted:
        event = self[key] = RoundStarted(key)
        return event


MOVED: Final = _MovedVocabulary()
ROUNDS: Final = _RoundVocabulary()
BIDS: Final = tuple(
    tuple(Decided(seat, "bid", (position,)) for position in range(8)) for seat in range(6)
)
"""`BIDS[seat][position]`: the bid of a position, from 1 (index 0 is not a bid)."""
REFILLED: Final = tuple(_MovesOfCards("deck", zone, "refill") for zone in ROW)
"""`REFILLED[index][card]`, the index of the position from 0."""
COLLIDED: Final = tuple(_MovesOfCards(zone, "discard", "collision") for zone in ROW)
"""`COLLIDED[index][card]`."""
AWARDED: Final = tuple(
    tuple(_MovesOfCards(zone, seat, "award") for seat in TABLEAU) for zone in ROW
)
"""`AWARDED[index][seat][card]`."""
