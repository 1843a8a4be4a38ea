"""`greedy`: takes what adds most to its own score now, and looks no further."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

from gonuts_cli.players.builtin.words import SeatWords
from gonuts_cli.players.builtin.worth import Standing, added, removed, unseen
from gonuts_cli.rules.rulings import Rulings


class GreedyBot:
    """Weighs every card by its own score with and without it, its power included.

    Where several choices add the same it takes any of them.
    """

    def __init__(self, hello: Mapping[str, Any]) -> None:
        self._words = SeatWords(hello["random"])
        self._rulings = Rulings.parse(hello["rulings"])
        self._you: int = hello["you"]

    def choose(self, request: Mapping[str, Any]) -> list[Any]:
        self._words.start(request)
        view, options = request["view"], request["options"]
        standing = Standing(view["tableaus"], self._you, self._rulings)
        decision = request["decision"]
        if decision == "bid":
            return [self._best(options, bid_gains(view, standing, self._you))]
        if decision == "french_cruller":
            return []
        if decision == "milk":
            return cheapest_three(standing, options)
        if decision == "day_old_donuts":
            return best_of_pile(standing, options, 3)
        if decision in ("double_chocolate", "red_velvet"):
            return [self._best(options, [standing.gain(kind) for kind in options])]
        if decision in ("cinnamon_twist", "raspberry_frosted"):
            return [self._best(options, [-standing.loss(kind) for kind in options])]
        if decision == "sprinkled":
            return [self._best(options, [-standing.loss(kind) for kind, _ in options])]
        if decision == "bear_claw":
            return [self._best(options, [standing.gain(kind) for kind, _ in options])]
        return [self._best(options, [0] * len(options))]

    def _best(self, options: list[Any], gains: list[Any]) -> Any:
        most = max(gains)
        best = [option for option, gain in zip(options, gains, strict=True) if gain == most]
        return best[self._words.below(len(best))] if len(best) > 1 else best[0]


def bid_gains(view: Mapping[str, Any], standing: Standing, you: int) -> list[float]:
    """What each position adds to the seat's score now if it gets the card, power included."""
    gains: dict[str, float] = {}
    for kind in view["row"]:
        if kind not in gains:
            power = _POWERS.get(kind)
            gains[kind] = standing.gain(kind) + (0 if power is None else power(view, standing, you))
    return [gains[kind] for kind in view["row"]]


def best_of_pile(standing: Standing, pile: list[str], most: int) -> list[str]:
    """Up to `most` cards of the pile, one after the other, while each adds to the score."""
    chosen: list[str] = []
    left = list(pile)
    held = standing.held
    now = standing.now
    while left and len(chosen) < most:
        scores = {kind: standing.score(added(held, kind)) for kind in left}
        kind = max(scores, key=scores.__getitem__)
        if scores[kind] <= now:
            break
        now = scores[kind]
        held = added(held, kind)
        left.remove(kind)
        chosen.append(kind)
    return chosen


def cheapest_three(standing: Standing, others: list[str]) -> list[str]:
    """The three other cards whose loss costs least, or none if that is more than Milk brings."""
    held = standing.held
    paid: list[str] = []
    left = list(others)
    for _ in range(3):
        scores = {kind: standing.score(removed(held, kind)) for kind in left}
        kind = max(scores, key=scores.__getitem__)
        held = removed(held, kind)
        left.remove(kind)
        paid.append(kind)
    without_milk = standing.score(removed(standing.held, "milk"))
    return paid if standing.score(held) > without_milk else []


# What powers add on top of the card itself, seen from before the bid.


def _draw(view: Mapping[str, Any], standing: Standing, you: int) -> float:
    """The mean gain of a card that may be in the deck."""
    left = unseen(view, len(view["tableaus"]))
    total = sum(left.values())
    if not view["deck"] or not total:
        return 0
    return sum(standing.gain(kind) * count for kind, count in left.items()) / total


def _draw_two(view: Mapping[str, Any], standing: Standing, you: int) -> float:
    """The mean gain of the better of two cards that may be in the deck."""
    if view["deck"] < 2:
        return _draw(view, standing, you)
    left = unseen(view, len(view["tableaus"]))
    by_gain = sorted((standing.gain(kind), count) for kind, count in left.items())
    total = sum(left.values())
    if not total:
        return 0
    upto = [0, *accumulate(count for _, count in by_gain)]
    return sum(
        gain * (upto[place + 1] ** 2 - upto[place] ** 2) for place, (gain, _) in enumerate(by_gain)
    ) / (total**2)


def _top_of_pile(view: Mapping[str, Any], standing: Standing, you: int) -> float:
    return standing.gain(view["discard"][-1]) if view["discard"] else 0


def _best_of_pile(view: Mapping[str, Any], standing: Standing, you: int) -> float:
    return max((standing.gain(kind) for kind in set(view["discard"])), default=0)


def _three_of_pile(view: Mapping[str, Any], standing: Standing, you: int) -> float:
    gains = sorted(map(standing.gain, view["discard"]), reverse=True)[:3]
    return sum(gain for gain in gains if gain > 0)


def _part_with_one(view: Mapping[str, Any], standing: Standing, you: int) -> float:
    return -min(map(standing.loss, standing.held), default=0)


def _steal(view: Mapping[str, Any], standing: Standing, you: int) -> float:
    kinds = {kind for seat, held in enumerate(view["tableaus"]) if seat != you for kind in held}
    return max(map(standing.gain, kinds), default=0)


def _pay_three(view: Mapping[str, Any], standing: Standing, you: int) -> float:
    """Milk leaves again, for nothing, where paying would cost more than it brings."""
    losses = sorted(
        loss for kind, count in standing.held.items() for loss in [standing.loss(kind)] * count
    )[:3]
    cost = sum(losses) if len(losses) == 3 else standing.gain("milk")
    return -min(cost, standing.gain("milk"))


_POWERS: dict[str, Callable[[Mapping[str, Any], Standing, int], float]] = {
    "chocolate_frosted": _draw,
    "eclair": _top_of_pile,
    "double_chocolate": _draw_two,
    "red_velvet": _best_of_pile,
    "sprinkled": _part_with_one,
    "bear_claw": _steal,
    "cinnamon_twist": _part_with_one,
    "day_old_donuts": _three_of_pile,
    "milk": _pay_three,
    "raspberry_frosted": _part_with_one,
}
