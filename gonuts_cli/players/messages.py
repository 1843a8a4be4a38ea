"""What the referee writes to players (SPEC §5)."""

from __future__ import annotations

from typing import Any

from gonuts_cli.rules.decisions import Decision
from gonuts_cli.rules.view import View


def decide(number: int, decision: Decision, view: View) -> dict[str, Any]:
    """A `decide` message; `number` is its id. It is what its JSON is read as, too: no tuples."""
    player, kind, options, counts = decision
    pairs = options and type(options[0]) is tuple
    return {
        "type": "decide",
        "id": number,
        "player": player,
        "decision": kind,
        "options": [*map(list, options)] if pairs else [*options],
        "counts": [*counts],
        "view": view,
    }
