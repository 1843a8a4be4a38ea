"""The golden games: every outcome has one, all are valid, none ever changes."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from gonuts_cli.game import Game
from gonuts_cli.log.audit import audit_game
from gonuts_cli.log.reader import read_path
from gonuts_cli.log.validate import validate_game
from tests.outcomes import EXPECTED, outcomes

REPLAYS = Path(__file__).parents[1] / "replays"
GOLDEN = sorted(REPLAYS.glob("*.jsonl"))


def test_every_outcome_has_a_golden_game_named_for_it() -> None:
    assert {path.stem for path in GOLDEN} == EXPECTED


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_game_shows_what_it_is_named_for(path: Path) -> None:
    game = Game.replay(path.read_bytes())
    assert path.stem in outcomes(game)
    assert game.log() == path.read_bytes()


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_game_is_valid_and_scored_right(path: Path) -> None:
    (raw,) = read_path(str(path))
    assert validate_game(raw).ok
    assert audit_game(raw.data).ok


def test_the_golden_games_are_frozen() -> None:
    frozen = dict(
        reversed(line.split("  ")) for line in (REPLAYS / "SHA256SUMS").read_text().splitlines()
    )
    assert frozen == {path.name: sha256(path.read_bytes()).hexdigest() for path in GOLDEN}
