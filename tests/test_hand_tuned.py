"""The benchmarks' yardstick for speed plays the same game as the engine."""

from __future__ import annotations

import random

import pytest

from benchmarks import hand_tuned
from benchmarks.work import play_at_random
from gonuts_cli import Game
from gonuts_cli.rules.cards import CARD_ORDER, KINDS


@pytest.mark.parametrize("players", range(2, 7))
def test_the_same_deck_and_choices_give_the_same_game(players: int) -> None:
    taken = set()
    for number in range(150):
        game = Game(players, number)
        deck = [CARD_ORDER[kind] for kind in [*game.deck, *reversed(game.row)] if kind is not None]
        ended = hand_tuned.play(players, deck, random.Random(number).random)
        play_at_random(game, random.Random(number).random)
        held = [{kind: held[kind] for kind in KINDS if held.get(kind)} for held in game.tableaus]
        counted = [{KINDS[card]: n for card, n in enumerate(t) if n} for t in ended.tableaus]
        assert counted == held
        assert (ended.rounds, ended.scores) == (game.round, game.result.scores)
        assert ended.winners == game.result.winners
        taken |= {event.decision for event in game.events if hasattr(event, "decision")}
    # Bids, and every power that asks at a table of this size.
    assert len(taken) == {2: 2, 3: 5, 4: 9}.get(players, 11)
