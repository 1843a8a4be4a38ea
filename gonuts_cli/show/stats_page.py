"""The page of `gonuts log stats --html`: the figures as plots, in one file of HTML and SVG."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gonuts_cli.log.stats import Row
from gonuts_cli.show.lang import card_name
from gonuts_cli.show.safe import printable
from gonuts_cli.show.templates import filled


def page(rows: Iterable[Row]) -> str:
    """The whole page; every text in it is escaped, and it needs nothing from anywhere."""
    return filled("html", "stats.html.j2", tables=_tables(rows)) + "\n"


def _tables(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The rows by number of players, as the template wants them."""
    tables: dict[Any, dict[str, Any]] = {}
    for row in rows:
        players = row.keys["players"]
        table = tables.setdefault(
            players,
            {"players": players, "seats": [], "kinds": [], "lengths": [], "faults": []},
        )
        named: dict[str, Any] = {**row.keys, **row.values}
        if "name" in named:
            named["name"] = printable(str(named["name"]))
        if "kind" in named:
            named["name"] = card_name(str(named["kind"]), "en")
        if row.table == "games":
            table["games"] = named
        else:
            table[row.table].append(named)
    for table in tables.values():
        games = {row["rounds"]: row["games"] for row in table["lengths"]}
        table["lengths"] = [
            {"rounds": rounds, "games": games.get(rounds, 0)}
            for rounds in range(min(games), max(games) + 1)
        ]
    return list(tables.values())
