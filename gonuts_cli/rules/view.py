"""What a seat may see of a table: said piece by piece, nothing copied and taken away (SPEC §5)."""

from __future__ import annotations

from typing import TypedDict

from gonuts_cli.rules.cards import kinds_in_deck
from gonuts_cli.rules.engine import Engine


class View(TypedDict):
    """`row` by position, `bids` and `tableaus` by seat, `discard` its top last."""

    round: int
    row: list[str | None]
    bids: list[int] | None
    deck: int
    top: str | None
    discard: list[str]
    tableaus: list[dict[str, int]]


def view(table: Engine, seat: int) -> View:
    """All that `seat` may know now, keys and kinds in the order of SPEC §5."""
    return {**open_view(table), "top": table.known_tops().get(seat) or None}


def open_view(table: Engine) -> View:
    """What all at the table may know now, with `top` None."""
    kinds = kinds_in_deck(table.players)
    return {
        "round": table.round,
        "row": table.row[:],
        "bids": list(table.bids) or None,
        "deck": len(table.deck),
        "top": None,
        "discard": table.discard[:],
        "tableaus": [
            {kind: held[kind] for kind in kinds if kind in held} for held in table.tableaus
        ],
    }
