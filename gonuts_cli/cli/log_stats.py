"""`gonuts log stats`: figures of many games, as a table, JSON, CSV or a page with plots."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated

import orjson
import typer

from gonuts_cli.cli.archives import Outcome, Reading, end
from gonuts_cli.cli.log_list import FORCE, refuse
from gonuts_cli.cli.validate import PATHS
from gonuts_cli.errors import UsageError
from gonuts_cli.log.audit import audit_game
from gonuts_cli.log.decode import LogError
from gonuts_cli.log.output import output
from gonuts_cli.log.reader import whole
from gonuts_cli.log.stats import Row, Stats
from gonuts_cli.show.lang import card_name
from gonuts_cli.show.safe import printable


def stats(
    paths: Annotated[list[str], PATHS],
    json: Annotated[
        bool, typer.Option("--json", help="Write one JSON line a row of the tables.")
    ] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Write CSV, a figure a line.")] = False,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write a page with plots instead.")
    ] = None,
    force: Annotated[bool, FORCE] = False,
) -> None:
    """Count who won, where, and with what.

    By number of players: from which seat, and what each card brought.

    Only games that pass the score audit count; others are named, and the status is 1.
    """
    if json + csv + (html is not None) > 1:
        raise UsageError("--json, --csv and --html are three ways to show the same: choose one")
    if html is not None:
        with output(html, force=force) as stream:
            counted, outcome = _count(paths)
            from gonuts_cli.show.stats_page import page

            stream.write(page(counted.rows()).encode())
    else:
        counted, outcome = _count(paths)
        write = _write_json if json else _write_csv if csv else _write_text
        write(counted)
    end(outcome)


def _count(paths: list[str]) -> tuple[Stats, Outcome]:
    counted = Stats()
    reading = Reading(paths)
    bad = 0
    for raw in reading:
        try:
            log = whole(raw).data
            audit = audit_game(log)
            if not audit.ok:
                raise LogError(audit.error or "", audit.line, audit.message or "")
            counted.add(log, audit)
        except LogError as fault:
            bad += 1
            reading.hide_progress()
            refuse(raw, fault, "not counted: ")
    return counted, Outcome(bad, reading.unreadable)


def _write_json(counted: Stats) -> None:
    for row in counted.rows():
        line = {"table": row.table, **row.keys, **row.values}
        sys.stdout.buffer.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


def _write_csv(counted: Stats) -> None:
    """One figure a line, so that rows of every table have the same columns."""
    import csv
    import io

    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(("table", "players", "key", "seat", "figure", "value"))
    for row in counted.rows():
        keys = dict(row.keys)
        players, seat = keys.pop("players"), keys.pop("seat", "")
        fault = keys.pop("fault", None)
        key = next(iter(keys.values()), "")
        for figure, value in row.values.items():
            # A name is foreign text, and a terminal may be where this goes.
            lines.writerow((row.table, players, printable(str(key)), seat, fault or figure, value))
    sys.stdout.buffer.write(text.getvalue().encode())


def _write_text(counted: Stats) -> None:
    for line in _text(counted):
        sys.stdout.buffer.write(f"{line}\n".encode())


def _text(counted: Stats) -> Iterator[str]:
    rows = list(counted.rows())
    for players in sorted(counted.tables):
        mine = [row for row in rows if row.keys["players"] == players]
        (whole_table,) = (row.values for row in mine if row.table == "games")
        yield (
            f"{players} players: games {whole_table['games']},"
            f" rounds a game {whole_table['rounds']:.1f}"
            f" ({whole_table['shortest']} to {whole_table['longest']}),"
            f" collisions a round {whole_table['collisions_a_round']:.2f},"
            f" faults {whole_table['faults']}"
        )
        yield ""
        yield from _seats([row for row in mine if row.table == "seats"], players)
        yield ""
        yield from _kinds([row for row in mine if row.table == "kinds"])
        yield ""
        faults = [row for row in mine if row.table == "faults"]
        for row in faults:
            yield f"  {printable(str(row.keys['name']))}: {row.keys['fault']} {row.values['count']}"
        if faults:
            yield ""


def _seats(rows: list[Row], players: int) -> Iterator[str]:
    """A line a player: games, win share and points, overall and by seat."""
    names = list(dict.fromkeys(str(row.keys["name"]) for row in rows))
    width = max(len("player"), *(len(printable(name)) for name in names))
    seats = "".join(f"{f'seat {seat}':>16}" for seat in range(players))
    yield f"  {'player':<{width}} {'games':>7} {'wins':>7} {'points':>7} {seats}".rstrip()
    by_key = {(row.keys["name"], row.keys["seat"]): row.values for row in rows}
    for name in names:
        everywhere = by_key[name, "all"]
        line = f"  {printable(name):<{width}} {everywhere['games']:>7}"
        line += f" {everywhere['win_share']:>7.1%} {everywhere['points']:>7.2f} "
        for seat in range(players):
            here = by_key.get((name, seat))
            text = "" if here is None else f"{here['win_share']:.1%} {here['points']:>6.2f}"
            line += f"{text:>16}"
        yield line.rstrip()


def _kinds(rows: list[Row]) -> Iterator[str]:
    """A line a kind: how often offered, what became of it, what it brought who held it."""
    yield (
        f"  {'card':<18} {'offered':>8} {'bid on':>7} {'collided':>9} {'taken':>7}"
        f" {'points':>7} {'a card':>7}"
    )
    for row in rows:
        found = row.values
        offered = found["offered"] or 0
        shares = " ".join(
            f"{(found[key] or 0) / offered:>{width}.1%}" if offered else f"{'':>{width}}"
            for key, width in (("bid_on", 7), ("collided", 9), ("taken", 7))
        )
        points = " ".join(
            f"{'':>7}" if found[key] is None else f"{found[key]:>7.2f}"
            for key in ("points", "points_a_card")
        )
        yield f"  {card_name(str(row.keys['kind']), 'en'):<18} {offered:>8} {shares} {points}"
