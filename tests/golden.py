"""Makes the golden games of `replays/` that are missing: `python -m tests.golden`.

For each outcome without a golden game it looks through seeded random games for the shortest log
that shows it. Golden games that are there already are never touched: they are frozen.
"""

from __future__ import annotations

import random
from pathlib import Path

from gonuts_cli.game import Game
from gonuts_cli.rules.rulings import RULINGS
from tests.outcomes import EXPECTED, outcomes

REPLAYS = Path(__file__).parents[1] / "replays"
GAMES_LOOKED_AT = 12_000
_OTHER_RULINGS = {name: values[1] for name, values in RULINGS.items()}
_FAULTS = ("timeout", "malformed", "illegal", "crashed", "flooded", "no_start")


def random_game(number: int) -> Game:
    """A finished game that follows from `number`: any player count, rulings and some faults."""
    chance = random.Random(number)
    game = Game(
        players=2 + number % 5,
        seed=f"golden-{number}",
        rulings=_OTHER_RULINGS if number % 3 == 0 else None,
    )
    # A third of the games has faults, most of them few, some so many that all are put out.
    faulty = chance.choice((0.01, 0.05, 0.4)) if number % 7 < 2 else 0.0
    while game.pending:
        for decision in game.pending:
            if chance.random() < faulty:
                word = chance.choice(_FAULTS if game.round == 1 else _FAULTS[:5])
                if word != "no_start" or decision.decision == "bid":
                    game.choose(decision.player, fault=word)
                    continue
            count = chance.choice(decision.counts)
            game.choose(decision.player, chance.sample(decision.options, count))
    return game


def main() -> None:
    missing = EXPECTED - {path.stem for path in REPLAYS.glob("*.jsonl")}
    found: dict[str, bytes] = {}
    for number in range(GAMES_LOOKED_AT):
        game = random_game(number)
        log = game.log()
        for outcome in outcomes(game) & missing:
            if outcome not in found or len(log) < len(found[outcome]):
                found[outcome] = log
    for outcome, log in sorted(found.items()):
        (REPLAYS / f"{outcome}.jsonl").write_bytes(log)
        print(f"replays/{outcome}.jsonl")
    for outcome in sorted(missing - found.keys()):
        print(f"no game shows {outcome}")


if __name__ == "__main__":
    main()
