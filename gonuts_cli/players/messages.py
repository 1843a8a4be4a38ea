"""What the referee writes to players (SPEC §5)."""

from __future__ import annotations

from typing import Any

import orjson

from gonuts_cli.rules.decisions import Decision
from gonuts_cli.rules.view import View


class Seen:
    """What a seat may see now; seats that see the same share it, and its JSON is made once."""

    __slots__ = ("_json", "view")

    def __init__(self, view: View) -> None:
        self.view = view
        self._json: orjson.Fragment | None = None

    @property
    def json(self) -> orjson.Fragment:
        """The view as a part of a message that becomes JSON."""
        made = self._json
        if made is None:
            made = self._json = orjson.Fragment(orjson.dumps(self.view))
        return made


def decide(number: int, decision: Decision, view: View | orjson.Fragment) -> dict[str, Any]:
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
