"""What a card does when it is taken from the row by a bid: one function a kind (SPEC §1, §3).

A power acts on the table at once and returns None, or returns an `Ask`: what players must decide
and what then happens. `ask` builds it and, where a decision has only one outcome, acts at once
without asking (SPEC §3). What happens later must not hold on to the table that asked: it is handed
the table that it acts on, which may be a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from gonuts_cli.rules.decisions import Decision
from gonuts_cli.rules.events import Choice

if TYPE_CHECKING:
    from gonuts_cli.rules.engine import Engine

Power = Callable[["Engine", int], "Ask | None"]
"""A power: from the table and the seat that took the card."""


Act = Callable[["Engine", Sequence[Choice]], None]
"""What follows when all have answered: from the table and what was chosen, by seat."""


Ask = tuple[tuple[Decision, ...], Act]
"""Decisions that are asked at once, in seat order, and what follows from the answers."""


def ask(
    table: Engine,
    seat: int,
    kind: str,
    options: list[Any],
    act: Callable[[Engine, Choice], None],
    counts: tuple[int, ...] = (1,),
) -> Ask | None:
    """Ask `seat` to choose, or act at once where there is nothing to choose."""
    if not options:
        return None
    first = options[0]
    if counts == (1,) and first == options[-1] and options.count(first) == len(options):
        act(table, (options[0],))
        return None
    decision = Decision(seat, kind, tuple(options), counts)
    return (decision,), lambda table, answers: act(table, answers[seat])


def chocolate_frosted(table: Engine, seat: int) -> None:
    if table.deck:
        table.draw(seat, "chocolate_frosted")


def eclair(table: Engine, seat: int) -> None:
    if table.discard:
        table.take_from_discard(seat, table.discard[-1], "eclair")


def french_cruller(table: Engine, seat: int) -> Ask | None:
    """Safe are all positions with a bid, also those that are resolved later."""
    free = [
        position
        for position, card in enumerate(table.row, 1)
        if card is not None and position not in table.bids
    ]

    def act(table: Engine, positions: Choice) -> None:
        for position in positions:
            table.discard_from_row(position, "french_cruller")

    return ask(table, seat, "french_cruller", free, act, tuple(range(len(free) + 1)))


def double_chocolate(table: Engine, seat: int) -> Ask | None:
    """Asked also when both cards are equal: silence would tell the table that they are."""
    if len(table.deck) < 2:
        if table.deck:
            table.draw(seat, "double_chocolate")
        return None
    offer = (table.deck[-1], table.deck[-2])

    def act(table: Engine, answers: Sequence[Choice]) -> None:
        table.keep_one_of_two(seat, answers[seat][0], "double_chocolate")

    return (Decision(seat, "double_chocolate", offer, (1,)),), act


def red_velvet(table: Engine, seat: int) -> Ask | None:
    def act(table: Engine, kinds: Choice) -> None:
        table.take_from_discard(seat, kinds[0], "red_velvet")

    return ask(table, seat, "red_velvet", table.discard[::-1], act)


def day_old_donuts(table: Engine, seat: int) -> Ask | None:
    pile = table.discard[::-1]

    def act(table: Engine, kinds: Choice) -> None:
        for kind in kinds:
            table.take_from_discard(seat, kind, "day_old_donuts")

    return ask(table, seat, "day_old_donuts", pile, act, tuple(range(min(3, len(pile)) + 1)))


def sprinkled(table: Engine, seat: int) -> Ask | None:
    """The ruling `sprinkled_gift` says whether the Sprinkled just taken may be given."""
    gifts = table.kinds_of(seat)
    if table.rulings.sprinkled_gift == "other":
        gifts = table.other_kinds_of(seat, "sprinkled") or ["sprinkled"]
    options: list[tuple[str, int]] = []
    for opponent in range(table.players):
        if opponent != seat:
            options += zip(gifts, repeat(opponent))

    def act(table: Engine, pairs: Choice) -> None:
        kind, opponent = pairs[0]
        table.give(seat, opponent, kind, "sprinkled")

    return ask(table, seat, "sprinkled", options, act)


def bear_claw(table: Engine, seat: int) -> Ask | None:
    def act(table: Engine, pairs: Choice) -> None:
        kind, opponent = pairs[0]
        table.give(opponent, seat, kind, "bear_claw")

    return ask(table, seat, "bear_claw", _opponents_cards(table, seat), act)


def strawberry_glazed(table: Engine, seat: int) -> Ask | None:
    def act(table: Engine, pairs: Choice) -> None:
        kind, opponent = pairs[0]
        table.discard_from_tableau(opponent, kind, "strawberry_glazed")

    return ask(table, seat, "strawberry_glazed", _opponents_cards(table, seat), act)


def _opponents_cards(table: Engine, seat: int) -> list[tuple[str, int]]:
    options: list[tuple[str, int]] = []
    for opponent in range(table.players):
        if opponent != seat:
            options += zip(table.kinds_of(opponent), repeat(opponent))
    return options


def cinnamon_twist(table: Engine, seat: int) -> Ask | None:
    """All pass at once; a player with one kind passes it unasked. Ruling `twist_empty`."""
    hands = [table.kinds_of(passer) for passer in range(table.players)]
    if not all(hands):
        table.discard_from_tableau(seat, "cinnamon_twist", "cinnamon_twist")
        if table.rulings.twist_empty == "cancel":
            return None
        hands[seat] = table.kinds_of(seat)

    def act(table: Engine, answers: Sequence[Choice]) -> None:
        for passer, kinds in enumerate(hands):
            if kinds:
                kind = kinds[0] if len(kinds) == 1 else answers[passer][0]
                table.give(passer, (passer + 1) % table.players, kind, "cinnamon_twist")

    decisions = tuple(
        Decision(passer, "cinnamon_twist", tuple(kinds), (1,))
        for passer, kinds in enumerate(hands)
        if len(kinds) > 1
    )
    if decisions:
        return decisions, act
    act(table, ())
    return None


def milk(table: Engine, seat: int) -> Ask | None:
    others = table.other_cards_of(seat, "milk")

    def act(table: Engine, kinds: Choice) -> None:
        for kind in kinds or ("milk",):
            table.discard_from_tableau(seat, kind, "milk")

    if len(others) < 3:
        act(table, ())
        return None
    return ask(table, seat, "milk", others, act, (0, 3))


def raspberry_frosted(table: Engine, seat: int) -> Ask | None:
    others = table.other_kinds_of(seat, "raspberry_frosted") or ["raspberry_frosted"]

    def act(table: Engine, kinds: Choice) -> None:
        table.discard_from_tableau(seat, kinds[0], "raspberry_frosted")

    return ask(table, seat, "raspberry_frosted", others, act)
