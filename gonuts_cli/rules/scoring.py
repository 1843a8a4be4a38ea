"""Counting a finished table (SPEC §1, "points at the end" and "Winners")."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from gonuts_cli.rules.cards import CARDS, NEGATIVE_KINDS
from gonuts_cli.rules.points import ByCopies, Hand, each
from gonuts_cli.rules.rulings import DEFAULT_RULINGS, Rulings

_BY_HAND: Final = {
    kind: card.points for kind, card in CARDS.items() if not isinstance(card.points, ByCopies)
}
"""The rules of the kinds that do not bring the same in every hand."""
_BY_COPIES: Final = {
    kind: (card.points if isinstance(card.points, ByCopies) else each(0)).brings
    for kind, card in CARDS.items()
}
"""What so many copies of a kind bring; 0 for those of `_BY_HAND`."""


def score(
    tableaus: Sequence[Mapping[str, int]], rulings: Rulings = DEFAULT_RULINGS
) -> list[dict[str, int]]:
    """Points by kind for every tableau, in the tableau's own order of kinds (SPEC §1).

    A kind held zero times is as one that is not there.

    >>> score([{"plain": 2}, {"plain": 1, "coffee": 1}])
    [{'plain': 5}, {'plain': 1, 'coffee': 0}]
    """
    sizes = [sum(held.values()) for held in tableaus]
    fewest = min(sizes)
    scores_fewest = rulings.maple_frosted_tie == "shared" or sizes.count(fewest) == 1
    points = []
    for seat, held in enumerate(tableaus):
        by_kind = {kind: _BY_COPIES[kind][count] for kind, count in held.items() if count}
        size = sizes[seat]
        negatives = sum([held[kind] for kind in NEGATIVE_KINDS if kind in by_kind])
        in_fewest = scores_fewest and size == fewest
        hand = Hand(tableaus, seat, size, len(by_kind), in_fewest, negatives)
        for kind, rule in _BY_HAND.items():
            if kind in by_kind:
                by_kind[kind] = rule(held[kind], hand)
        points.append(by_kind)
    return points


def winners(scores: Sequence[int], cards: Sequence[int], out: Collection[int] = ()) -> list[int]:
    """The winning seats, ascending: most points, then most cards, then all of them (SPEC §1).

    Seats in `out` cannot win; when all are out nobody does.

    >>> winners([9, 9, 4], [7, 8, 9])
    [1]
    """
    ranks = list(zip(scores, cards, strict=True))
    playing = [rank for seat, rank in enumerate(ranks) if seat not in out] if out else ranks
    if not playing:
        return []
    best = max(playing)
    return [seat for seat, rank in enumerate(ranks) if rank == best and seat not in out]
