"""`sly`: weighs what the others will want, and goes where nobody else will be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp, prod
from typing import Any

from gonuts_cli.players.builtin.outlook import Outlook, outlooks, rivals
from gonuts_cli.players.builtin.words import SeatWords
from gonuts_cli.players.builtin.worth import added, removed
from gonuts_cli.rules.rulings import Rulings
from gonuts_cli.rules.scoring import score

KEENNESS = 0.9
"""How surely a player is taken to bid on what is worth a point more to it."""
THOUGHTS = 3
"""How often the players are taken to think about each other's bids."""
MIXING = 0.35
"""Points within which a bid is as good as the best: it must not be foreseen."""
DENIAL = 0.8
"""How much of what an opponent loses is a gain."""
DRAWN = 2.0
"""What an unknown card from the deck is worth; the better of two a bit more."""


class SlyBot:
    """Estimates what every card is worth to every seat in the end, and how all will bid."""

    def __init__(self, hello: Mapping[str, Any]) -> None:
        self._words = SeatWords(hello["random"])
        self._rulings = Rulings.parse(hello["rulings"])
        self._you: int = hello["you"]

    def choose(self, request: Mapping[str, Any]) -> list[Any]:
        self._words.start(request)
        view, options = request["view"], request["options"]
        decision = request["decision"]
        looks = outlooks(view)
        points = score(view["tableaus"], self._rulings)
        matters = rivals([sum(by_kind.values()) for by_kind in points], self._you)
        if decision == "bid":
            return [self._bid(view, looks, matters)]
        mine = looks[self._you]
        if decision == "day_old_donuts":
            return _best_of_pile(mine, options)
        if decision == "milk":
            return _cheapest_three(mine, options)
        if decision == "french_cruller":
            return self._sweep(view, looks, matters, options)
        worth = self._worth_of(decision, looks, matters)
        return [max(options, key=worth)]

    def _worth_of(
        self, decision: str, looks: Sequence[Outlook], matters: Sequence[float]
    ) -> Callable[[Any], float]:
        """What choosing an option is worth to this seat, its effect on the others included."""
        you = self._you
        mine = looks[you]
        if decision in ("double_chocolate", "red_velvet"):
            return mine.gain
        if decision == "raspberry_frosted":
            return lambda kind: -mine.loss(kind)
        if decision == "cinnamon_twist":
            left = (you + 1) % len(looks)
            return lambda kind: -mine.loss(kind) - DENIAL * matters[left] * looks[left].gain(kind)
        if decision == "sprinkled":
            return lambda pair: (
                -mine.loss(pair[0]) - DENIAL * matters[pair[1]] * looks[pair[1]].gain(pair[0])
            )
        if decision == "bear_claw":
            return lambda pair: (
                mine.gain(pair[0]) + DENIAL * matters[pair[1]] * looks[pair[1]].loss(pair[0])
            )
        return lambda pair: matters[pair[1]] * looks[pair[1]].loss(pair[0])

    def _sweep(
        self,
        view: Mapping[str, Any],
        looks: Sequence[Outlook],
        matters: Sequence[float],
        options: Sequence[int],
    ) -> list[int]:
        """The positions whose cards help the others clearly more than this seat."""
        swept = []
        for position in options:
            kind = view["row"][position - 1]
            theirs = sum(
                weight * look.gain(kind) for weight, look in zip(matters, looks, strict=True)
            )
            if theirs > looks[self._you].gain(kind) + 1.5:
                swept.append(position)
        return swept

    def _bid(
        self, view: Mapping[str, Any], looks: Sequence[Outlook], matters: Sequence[float]
    ) -> int:
        values = [bid_values(view, looks, seat, matters) for seat in range(len(looks))]
        chances = expected_bids(values)
        you = self._you
        expected = []
        for index in range(len(view["row"])):
            free = [1 - chance[index] for chance in chances]
            free[you] = 1
            alone = prod(free)
            # Where one opponent would get the card alone, this seat's bid takes it away.
            denied = sum(
                matters[seat] * values[seat][index] * alone * chances[seat][index] / free[seat]
                for seat in range(len(looks))
                if seat != you
            )
            expected.append(alone * values[you][index] + DENIAL * denied)
        best = max(expected)
        weights = [exp((value - best) / MIXING) for value in expected]
        return 1 + self._draw(weights)

    def _draw(self, weights: Sequence[float]) -> int:
        """An index, as likely as its weight."""
        at = self._words.below(1 << 24) / (1 << 24) * sum(weights)
        for index, weight in enumerate(weights):
            at -= weight
            if at < 0:
                return index
        return len(weights) - 1


def expected_bids(values: Sequence[Sequence[float]]) -> list[list[float]]:
    """How likely each seat bids each position, when all know that collisions bring nothing."""
    chances = [_softmax([KEENNESS * value for value in row]) for row in values]
    for _ in range(THOUGHTS):
        free = [prod([1 - chance[index] for chance in chances]) for index in range(len(values[0]))]
        thought = [
            _softmax(
                [
                    KEENNESS * value * together / (1 - chance)
                    for value, together, chance in zip(row, free, before, strict=True)
                ]
            )
            for row, before in zip(values, chances, strict=True)
        ]
        chances = [
            [(old + new) / 2 for old, new in zip(before, after, strict=True)]
            for before, after in zip(chances, thought, strict=True)
        ]
    return chances


def _softmax(values: Sequence[float]) -> list[float]:
    best = max(values)
    weights = [exp(value - best) for value in values]
    # Nobody is ever quite sure of a bid: it keeps 1 - chance above zero.
    total = sum(weights) * 1.02
    least = 0.02 / 1.02 / len(weights)
    return [weight / total + least for weight in weights]


def bid_values(
    view: Mapping[str, Any], looks: Sequence[Outlook], seat: int, matters: Sequence[float]
) -> list[float]:
    """What each position is worth to a seat that gets its card alone, power included."""
    values: dict[str, float] = {}
    for kind in view["row"]:
        if kind not in values:
            power = _POWERS.get(kind)
            extra = 0 if power is None else power(view, looks, seat, matters)
            values[kind] = looks[seat].gain(kind) + extra
    return [values[kind] for kind in view["row"]]


def _best_of_pile(mine: Outlook, pile: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    left = list(pile)
    while left and len(chosen) < 3:
        kind = max(left, key=mine.gain)
        if mine.gain(kind) <= 0:
            break
        mine = mine.with_held(added(mine.held, kind))
        left.remove(kind)
        chosen.append(kind)
    return chosen


def _cheapest_three(mine: Outlook, others: Sequence[str]) -> list[str]:
    """The three other cards that cost least in the end; none if Milk is not worth them."""
    paid: list[str] = []
    left = list(others)
    cost = 0.0
    for _ in range(3):
        kind = min(left, key=mine.loss)
        cost += mine.loss(kind)
        mine = mine.with_held(removed(mine.held, kind))
        left.remove(kind)
        paid.append(kind)
    return paid if cost < mine.loss("milk") else []


# What powers are worth to a seat before the bid.

_Worth = Callable[[Mapping[str, Any], Sequence[Outlook], int, Sequence[float]], float]


def _top_of_pile(
    view: Mapping[str, Any], looks: Sequence[Outlook], seat: int, matters: Sequence[float]
) -> float:
    return looks[seat].gain(view["discard"][-1]) if view["discard"] else DRAWN / 2


def _best_one(
    view: Mapping[str, Any], looks: Sequence[Outlook], seat: int, matters: Sequence[float]
) -> float:
    return max(map(looks[seat].gain, set(view["discard"])), default=DRAWN / 2)


def _best_three(
    view: Mapping[str, Any], looks: Sequence[Outlook], seat: int, matters: Sequence[float]
) -> float:
    gains = sorted(map(looks[seat].gain, view["discard"]), reverse=True)[:3]
    return sum(gain for gain in gains if gain > 0)


def _part_with_one(
    view: Mapping[str, Any], looks: Sequence[Outlook], seat: int, matters: Sequence[float]
) -> float:
    return -min(map(looks[seat].loss, looks[seat].held), default=0)


def _swap_one(
    view: Mapping[str, Any], looks: Sequence[Outlook], seat: int, matters: Sequence[float]
) -> float:
    if not all(held for other, held in enumerate(view["tableaus"]) if other != seat):
        return -looks[seat].gain("cinnamon_twist")
    return 0.5 - min(map(looks[seat].loss, looks[seat].held), default=0)


def _steal(
    view: Mapping[str, Any], looks: Sequence[Outlook], seat: int, matters: Sequence[float]
) -> float:
    kinds = {kind for look in looks if look is not looks[seat] for kind in look.held}
    return max(map(looks[seat].gain, kinds), default=0) + (0.7 if kinds else 0)


def _knock_out(
    view: Mapping[str, Any], looks: Sequence[Outlook], seat: int, matters: Sequence[float]
) -> float:
    return 3.5 / (len(looks) - 1)


def _pay_three(
    view: Mapping[str, Any], looks: Sequence[Outlook], seat: int, matters: Sequence[float]
) -> float:
    look = looks[seat]
    milk = look.gain("milk")
    losses = sorted(
        loss for kind, count in look.held.items() for loss in [look.loss(kind)] * count
    )[:3]
    cost = sum(losses) if len(losses) == 3 else milk
    return -min(cost, milk)


_POWERS: dict[str, _Worth] = {
    "chocolate_frosted": lambda view, looks, seat, matters: DRAWN if view["deck"] else 0,
    "eclair": _top_of_pile,
    "french_cruller": lambda view, looks, seat, matters: 0.3,
    "double_chocolate": lambda view, looks, seat, matters: DRAWN + 1.2 if view["deck"] else 0,
    "red_velvet": _best_one,
    "sprinkled": _part_with_one,
    "bear_claw": _steal,
    "cinnamon_twist": _swap_one,
    "day_old_donuts": _best_three,
    "milk": _pay_three,
    "raspberry_frosted": _part_with_one,
    "strawberry_glazed": _knock_out,
}
