"""What the referee writes to players (SPEC §5)."""

from __future__ import annotations

from typing import Any

from gonuts_cli.rules.decisions import Decision
from gonuts_cli.rules.view import View


def decide(number: int, decision: Decision, view: View) -> dict[str, Any]:
    """A `decide` message; `number` is its id."""
    player, kind, options, counts = decision
    return {
        "type": "decide",
        "id": number,
        "player": player,
        "decision": kind,
        "options": options,
        "counts": counts,
        "view": view,
    }
