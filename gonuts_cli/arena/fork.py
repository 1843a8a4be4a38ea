"""What if: a recorded game, taken at one of its decisions and played on by others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gonuts_cli.errors import UnreadableInput, UsageError
from gonuts_cli.game import Game
from gonuts_cli.log import decode
from gonuts_cli.log.rerun import feed
from gonuts_cli.rules.events import Decided, RoundStarted


def parse_at(text: str) -> tuple[int, int]:
    """`ROUND[:DECISION]` as two numbers from 1; raises UsageError.

    >>> parse_at("3"), parse_at("3:4")
    ((3, 1), (3, 4))
    """
    found = re.fullmatch(r"([0-9]{1,4})(?::([0-9]{1,4}))?", text)
    if found is None or int(found[1]) < 1 or int(found[2] or 1) < 1:
        raise UsageError(f"--at {text!r}: write it as ROUND or ROUND:DECISION, counted from 1")
    return int(found[1]), int(found[2] or 1)


def fork(
    log: bytes,
    at: tuple[int, int],
    *,
    names: Sequence[str] | None = None,
    seed: str | None = None,
    game_id: str | None = None,
    tags: Mapping[str, str] | None = None,
    name: str = "the log",
) -> Game:
    """The game of `log` just before the decision `at`, as a game of its own.

    `at` is the round and the number of the `decided` line in it. What was decided before stands,
    faults too; from there on it is open. The new game has the same deck and rulings, by default the
    same names, an id that says where it comes from, and two tags that say it too. An unfinished log
    needs its `seed`. Raises UsageError when the game has no such decision, UnreadableInput for a
    log, which errors call `name`, that is not a game's.
    """
    try:
        told = Game.replay(log, seed)
    except decode.LogError as error:
        raise UnreadableInput(f"{name}, line {error.line}: {error.message}") from None
    if told.seed is None:
        raise UsageError(f"{name}: the game is not finished: it is forked only with its seed")
    round_number, decision = at
    before = _before(told, round_number, decision)
    place = f"{round_number}:{decision}"
    game = Game(
        seed=told.seed,
        names=names or told.names,
        rulings=told.rulings.changed(),
        game=game_id or f"{told.game_id}@{place}",
        tags={"forked_from": told.game_id, "forked_at": place, **(tags or {})},
    )
    for made in before:
        feed(game, decode.RecordedDecision(made.player, made.decision, [*made.choose], made.fault))
    return game


def _before(told: Game, round_number: int, decision: int) -> list[Decided]:
    """The decisions made before the one at a place; raises UsageError when it is not there."""
    made: list[Decided] = []
    at_round = in_round = 0
    for event in told.events:
        if isinstance(event, Decided):
            in_round += 1
            if (at_round, in_round) == (round_number, decision):
                return made
            made.append(event)
        elif isinstance(event, RoundStarted):
            at_round, in_round = event.round, 0
    raise UsageError(
        f"the game has no decision {round_number}:{decision}; it has {told.round} rounds, "
        "and `gonuts replay` shows the places"
    )
