"""What a game shows: its outcomes, as the golden games in `replays/` are named for.

An outcome is a text like `milk-three`, `fault-timeout`, `players-4` or `end-shared-win`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gonuts_cli.game import Game
from gonuts_cli.rules.cards import POWERS
from gonuts_cli.rules.events import Decided, Event, Moved
from gonuts_cli.rules.rulings import RULINGS

EXPECTED = frozenset(
    [f"players-{players}" for players in range(2, 7)]
    + [f"ruling-{name}-{value}" for name, values in RULINGS.items() for value in values]
    + [f"end-{how}" for how in ("one-winner", "more-cards-win", "shared-win", "all-out")]
    + ["end-exact-refill", "end-out-seat-has-most"]
    + ["plain-most", "plain-tied", "maple-frosted-alone"]
    + ["fault-" + word for word in ("timeout", "malformed", "illegal", "crashed", "flooded")]
    + ["fault-no_start", "fault-disqualified", "fault-three-put-out"]
    + ["chocolate_frosted-taken", "chocolate_frosted-nothing", "eclair-taken", "eclair-nothing"]
    + ["french_cruller-declined", "french_cruller-some"]
    + ["french_cruller-nothing", "double_chocolate-top", "double_chocolate-second"]
    + ["double_chocolate-equal", "double_chocolate-last-card", "double_chocolate-nothing"]
    + [f"red_velvet-{how}" for how in ("chosen", "forced", "nothing")]
    + [f"day_old_donuts-{how}" for how in ("declined", "1", "2", "3", "nothing")]
    + ["sprinkled-other-given", "sprinkled-itself-alone", "sprinkled-itself-by-choice"]
    + [f"bear_claw-{how}" for how in ("chosen", "forced", "nothing")]
    + [f"strawberry_glazed-{how}" for how in ("chosen", "forced", "nothing")]
    + ["cinnamon_twist-all-asked", "cinnamon_twist-some-forced", "cinnamon_twist-itself-passed"]
    + ["cinnamon_twist-cancelled", "cinnamon_twist-others-pass"]
    + [f"milk-{how}" for how in ("three", "declined", "forced")]
    + [f"raspberry_frosted-{how}" for how in ("chosen", "forced", "itself")]
)
"""What the golden games must show together."""


def outcomes(game: Game) -> set[str]:
    """All outcomes that a finished game shows."""
    found = {f"players-{game.players}", *_ending(game), *_faults(game)}
    for kind, decided, moved in _powers(game.events):
        found |= {f"{kind}-{how}" for how in _power(kind, decided, moved, game)}
    found |= _double_chocolates(game)
    return found


def _powers(events: list[Event]) -> Iterator[tuple[str, list[Decided], list[Moved]]]:
    """For each power that was due: its kind, and what was decided and moved by it."""
    for at, event in enumerate(events):
        if not (isinstance(event, Moved) and event.cause == "award" and event.card in POWERS):
            continue
        decided, moved = [], []
        for later in events[at + 1 :]:
            if isinstance(later, Decided) and later.decision == event.card:
                decided.append(later)
            elif isinstance(later, Moved) and later.cause == event.card:
                moved.append(later)
            else:
                break
        yield event.card, decided, moved


def _power(kind: str, decided: list[Decided], moved: list[Moved], game: Game) -> Iterator[str]:
    chosen = [option for answer in decided for option in answer.choose]
    if kind in ("chocolate_frosted", "eclair"):
        yield "taken" if moved else "nothing"
    elif kind in ("french_cruller", "day_old_donuts"):
        if not decided:
            yield "nothing"
        elif not chosen:
            yield "declined"
        elif kind == "french_cruller":
            yield "some"
        else:
            yield str(len(chosen))
    elif kind == "double_chocolate":
        if not decided:
            yield "last-card" if moved else "nothing"
    elif kind == "sprinkled":
        itself = moved[0].card == kind
        if not itself:
            yield "other-given"
        else:
            by_choice = game.rulings.sprinkled_gift == "any"
            yield "itself-by-choice" if by_choice else "itself-alone"
    elif kind == "cinnamon_twist":
        passes = [move for move in moved if move.target != "discard"]
        if len(passes) < len(moved):
            yield "others-pass" if passes else "cancelled"
        elif len(decided) == len(passes):
            yield "all-asked"
        else:
            yield "some-forced"
        if any(move.card == kind for move in passes):
            yield "itself-passed"
    elif kind == "milk":
        yield "three" if chosen else "declined" if decided else "forced"
    elif not moved:
        yield "nothing"
    elif decided:
        yield "chosen"
    else:
        yield "itself" if kind == "raspberry_frosted" and moved[0].card == kind else "forced"


def _double_chocolates(game: Game) -> set[str]:
    """Which of the two cards was kept: the log does not tell, its game played again does."""
    found = set()
    again = Game(seed=game.seed, names=game.names, rulings=game.rulings.changed())
    recorded = iter([event for event in game.events if isinstance(event, Decided)])
    while not again.over:
        pending = {decision.player: decision for decision in again.pending}
        answer = next(recorded)
        decision = pending.get(answer.player)
        if decision is not None and decision.decision == "double_chocolate":
            top, second = decision.options
            how = "equal" if top == second else "top" if answer.choose == (top,) else "second"
            found.add(f"double_chocolate-{how}")
        if answer.fault is None:
            again.choose(answer.player, answer.choose)
        else:
            again.choose(answer.player, fault=answer.fault)
    return found


def _ending(game: Game) -> Iterator[str]:
    scores, cards, winners, _ = game.result
    best = max(scores)
    if not winners:
        yield "end-all-out"
    elif len(winners) > 1:
        yield "end-shared-win"
    elif scores.count(best) > 1 and scores[winners[0]] == best and not game.out:
        yield "end-more-cards-win"
    elif scores[winners[0]] == best:
        yield "end-one-winner"
    if winners and best > scores[winners[0]]:
        yield "end-out-seat-has-most"
    drawn_last = [move for move in game.events if isinstance(move, Moved) and move.source == "deck"]
    if drawn_last[-1].cause == "refill" and not game.deck:
        yield "end-exact-refill"
    plain = [held.get("plain", 0) for held in game.tableaus]
    if max(plain):
        yield "plain-most" if plain.count(max(plain)) == 1 else "plain-tied"
    fewest = min(cards)
    for held, count in zip(game.tableaus, cards, strict=True):
        if "maple_frosted" in held and count == fewest:
            if cards.count(fewest) == 1:
                yield "maple-frosted-alone"
            else:
                yield f"ruling-maple_frosted_tie-{game.rulings.maple_frosted_tie}"
    for kind, _, moved in _powers(game.events):
        if kind == "sprinkled":
            yield f"ruling-sprinkled_gift-{game.rulings.sprinkled_gift}"
        if kind == "cinnamon_twist" and any(move.target == "discard" for move in moved):
            yield f"ruling-twist_empty-{game.rulings.twist_empty}"


def _faults(game: Game) -> Iterator[str]:
    for event in game.events:
        if isinstance(event, Decided) and event.fault is not None:
            yield f"fault-{event.fault}"
    if any(len(charged) == 3 for charged in game.faults):
        yield "fault-three-put-out"
