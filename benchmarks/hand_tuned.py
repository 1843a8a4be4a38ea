"""The same game with nothing but the game: how fast plain Python can play it at random.

No events, no log, no checks, no lists of options beyond what a choice needs; cards are numbers in
card order, tableaus are lists of counts. It is the yardstick for `Game`, which does all of that.

Every choice takes its numbers from `random` in the order in which `work.play_at_random` does, so
with one deck and one source of numbers both play the same game: tests/test_hand_tuned.py.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from operator import getitem
from typing import NamedTuple

from gonuts_cli.rules.cards import CARD_ORDER, KINDS, POWERS, sorted_deck

Random = Callable[[], float]
"""As `random.random`."""

DECKS = {players: [CARD_ORDER[kind] for kind in sorted_deck(players)] for players in range(2, 7)}
"""The cards of a game for so many players, as numbers, in card order."""

(
    CHOCOLATE_FROSTED,
    DONUT_HOLES,
    ECLAIR,
    FRENCH_CRULLER,
    GLAZED,
    JELLY_FILLED,
    MAPLE_BAR,
    PLAIN,
    POWDERED,
    BOSTON_CREAM,
    DOUBLE_CHOCOLATE,
    RED_VELVET,
    SPRINKLED,
    BEAR_CLAW,
    CINNAMON_TWIST,
    COFFEE,
    DAY_OLD_DONUTS,
    MILK,
    OLD_FASHIONED,
    MAPLE_FROSTED,
    MUCHO_MATCHA,
    RASPBERRY_FROSTED,
    STRAWBERRY_GLAZED,
) = range(23)

_CARDS = range(len(KINDS))
_QUIET = [kind not in POWERS for kind in KINDS]
"""Whether nothing happens when a card is taken."""

_POINTS: list[tuple[int, ...]] = [tuple(0 for _ in range(8))] * 23
"""`_POINTS[card][copies]`, but for the cards whose points hang on something else."""
for _card, _each in (
    (FRENCH_CRULLER, 2),
    (GLAZED, 2),
    (PLAIN, 1),
    (POWDERED, 3),
    (RED_VELVET, -2),
    (SPRINKLED, 2),
    (BEAR_CLAW, -2),
    (CINNAMON_TWIST, 1),
    (DAY_OLD_DONUTS, -7),
    (MILK, 5),
    (STRAWBERRY_GLAZED, -2),
):
    _POINTS[_card] = tuple(_each * copies for copies in range(8))
_POINTS[DONUT_HOLES] = (0, 1, 3, 6, 10, 15, 15)
_POINTS[JELLY_FILLED] = (0, 0, 5, 5, 10, 10, 15)
_POINTS[BOSTON_CREAM] = (0, 0, 6, 0, 15, 0, 25)

_NOBODY = -1
"""Nobody bid on the position, and its card lies there."""
_SEVERAL = -2
_EMPTIED = -3
"""Nobody bid on the position, and its card is gone."""


class Ended(NamedTuple):
    """A game that is over; a tableau has a count for each card of the deck, by number."""

    rounds: int
    tableaus: list[list[int]]
    scores: list[int]
    winners: list[int]


def play_shuffled(players: int, random: Random) -> Ended:
    """Shuffle and play."""
    # The quickest fair shuffle that plain Python has.
    return play(players, sorted(DECKS[players], key=lambda _: random()), random)


def play(players: int, deck: list[int], random: Random) -> Ended:
    """Play with a deck, its top last, which is used up."""
    draw = deck.pop
    positions = players + 1
    seats = range(players)
    row = [draw() for _ in range(positions)]
    discard: list[int] = []
    # Card order is such that the cards of a smaller game come first.
    tableaus = [[0] * (DECKS[players][-1] + 1) for _ in seats]
    nobody = [_NOBODY] * positions
    rounds = 1
    while True:
        takers = nobody.copy()
        for seat in seats:
            bid = int(random() * positions)
            takers[bid] = seat if takers[bid] == _NOBODY else _SEVERAL
        for position, seat in enumerate(takers):
            if seat >= 0:
                card = row[position]
                tableaus[seat][card] += 1
                if _QUIET[card]:
                    pass
                elif card == FRENCH_CRULLER:
                    _french_cruller(takers, row, discard, random)
                else:
                    _power(card, seat, deck, discard, tableaus, random)
            elif seat == _SEVERAL:
                discard.append(row[position])
        empty = positions - takers.count(_NOBODY)
        if len(deck) < empty:
            return _ended(rounds, tableaus)
        for position, seat in enumerate(takers):
            if seat != _NOBODY:
                row[position] = draw()
        rounds += 1


def _pick(count: int, options: list[int], random: Random) -> list[int]:
    return [options.pop(int(random() * len(options))) for _ in range(count)]


def _french_cruller(takers: list[int], row: list[int], discard: list[int], random: Random) -> None:
    free = [position for position, taker in enumerate(takers) if taker == _NOBODY]
    if free:
        for position in _pick(int(random() * (len(free) + 1)), free, random):
            discard.append(row[position])
            takers[position] = _EMPTIED


def _power(
    card: int,
    seat: int,
    deck: list[int],
    discard: list[int],
    tableaus: list[list[int]],
    random: Random,
) -> None:
    """What a card but French Cruller does for the seat that took it."""
    mine = tableaus[seat]
    if card == CHOCOLATE_FROSTED:
        if deck:
            mine[deck.pop()] += 1
    elif card == ECLAIR:
        if discard:
            mine[discard.pop()] += 1
    elif card == DOUBLE_CHOCOLATE:
        if len(deck) > 1:
            mine[deck.pop(-1 - int(random() * 2))] += 1
        elif deck:
            mine[deck.pop()] += 1
    elif card == RED_VELVET:
        if discard:
            kind = discard[-1]
            if discard.count(kind) < len(discard):
                kind = discard[-1 - int(random() * len(discard))]
            _take_topmost(kind, discard, mine)
    elif card == DAY_OLD_DONUTS:
        if discard:
            count = int(random() * (min(3, len(discard)) + 1))
            for kind in _pick(count, discard[::-1], random):
                _take_topmost(kind, discard, mine)
    elif card == SPRINKLED:
        gifts = _other_kinds(mine, card)
        index = int(random() * (len(gifts) * (len(tableaus) - 1)))
        kind = gifts[index % len(gifts)]
        opponent = index // len(gifts)
        mine[kind] -= 1
        tableaus[opponent + (opponent >= seat)][kind] += 1
    elif card in (BEAR_CLAW, STRAWBERRY_GLAZED):
        # Only how many kinds each opponent holds is needed to choose among all of them.
        opponents = [held for held in tableaus if held is not mine]
        sizes = [len(held) - held.count(0) for held in opponents]
        options = sum(sizes)
        if options:
            index = int(random() * options) if options > 1 else 0
            opponent = 0
            while index >= sizes[opponent]:
                index -= sizes[opponent]
                opponent += 1
            held = opponents[opponent]
            kind = _kinds(held)[index]
            held[kind] -= 1
            if card == BEAR_CLAW:
                mine[kind] += 1
            else:
                discard.append(kind)
    elif card == CINNAMON_TWIST:
        hands = list(map(_kinds, tableaus))
        if not all(hands):
            mine[card] -= 1
            discard.append(card)
            return
        passed = [hand[int(random() * len(hand)) if len(hand) > 1 else 0] for hand in hands]
        for giver, kind in enumerate(passed):
            tableaus[giver][kind] -= 1
            tableaus[(giver + 1) % len(tableaus)][kind] += 1
    elif card == MILK:
        mine[MILK] -= 1
        others = [kind for kind in _kinds(mine) for _ in range(mine[kind])]
        mine[MILK] += 1
        paid = [MILK]
        if len(others) > 2 and int(random() * 2):
            paid = _pick(3, others, random)
        for kind in paid:
            mine[kind] -= 1
            discard.append(kind)
    else:
        kinds = _other_kinds(mine, RASPBERRY_FROSTED)
        kind = kinds[int(random() * len(kinds)) if len(kinds) > 1 else 0]
        mine[kind] -= 1
        discard.append(kind)


def _take_topmost(kind: int, discard: list[int], mine: list[int]) -> None:
    del discard[len(discard) - 1 - discard[::-1].index(kind)]
    mine[kind] += 1


def _other_kinds(mine: list[int], taken: int) -> list[int]:
    """The kinds of all cards but the one just taken, or that one where there is no other."""
    mine[taken] -= 1
    others = _kinds(mine)
    mine[taken] += 1
    return others or [taken]


def _kinds(held: list[int]) -> list[int]:
    return list(compress(_CARDS, held))


def _ended(rounds: int, tableaus: list[list[int]]) -> Ended:
    sizes = list(map(sum, tableaus))
    plains = [held[PLAIN] for held in tableaus]
    most_plain = max(plains)
    plain_bonus = (3 if plains.count(most_plain) == 1 else 1) if most_plain else 0
    scores = []
    for seat, held in enumerate(tableaus):
        size = sizes[seat]
        score = sum(map(getitem, _POINTS, held))
        if plains[seat] == most_plain:
            score += plain_bonus
        kinds = len(held) - held.count(0)
        if kinds > 6:
            score += 3 * held[MAPLE_BAR]
        if len(held) > OLD_FASHIONED:
            if size < 10:
                score += 5 * held[OLD_FASHIONED]
            negatives = held[RED_VELVET] + held[BEAR_CLAW] + held[DAY_OLD_DONUTS]
            if len(held) > STRAWBERRY_GLAZED:
                negatives += held[STRAWBERRY_GLAZED]
                if size == min(sizes):
                    score += 5 * held[MAPLE_FROSTED]
                if kinds < 7:
                    score += 3 * held[MUCHO_MATCHA]
            score += held[COFFEE] * negatives
        scores.append(score)
    ranks = list(zip(scores, sizes, strict=True))
    best = max(ranks)
    winners = [seat for seat, rank in enumerate(ranks) if rank == best]
    return Ended(rounds, tableaus, scores, winners)
