"""`gonuts score`: count finished tables, one a line (SPEC §8).

Scripts start this command once for a table, so it imports no more than it needs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import BinaryIO

import orjson

from gonuts_cli.errors import GonutsError, UnreadableInput
from gonuts_cli.rules.cards import CARDS, MAX_PLAYERS, MIN_PLAYERS
from gonuts_cli.rules.rulings import Rulings
from gonuts_cli.rules.scoring import score as count_points
from gonuts_cli.rules.scoring import winners
from gonuts_cli.show.safe import printable

LONGEST_LINE = 64 * 1024  # bytes; six tableaus and the rulings take less than 4 KiB


def score() -> None:
    """Count tableaus.

    Lines {"tableaus":[{"plain":2},{}],"rulings":{}} on standard input.

    Writes {"points":…,"scores":…,"cards":…,"winners":…} for each; blank lines are skipped. A line
    that cannot be counted is named on standard error, the rest are counted, and the status is 2.
    """
    bad = 0
    for number, line in _lines(sys.stdin.buffer):
        try:
            counted = score_line(line)
        except GonutsError as error:
            bad += 1
            print(f"gonuts: line {number}: {printable(str(error))}", file=sys.stderr)
            continue
        sys.stdout.buffer.write(counted)
        sys.stdout.buffer.flush()  # a program may hold the other end and wait for it
    if bad:
        raise UnreadableInput(f"{bad} {'line' if bad == 1 else 'lines'} could not be scored")


def score_line(line: bytes) -> bytes:
    """The line of results for one line of input, line ends included.

    Raises UnreadableInput or UsageError that say what is wrong. Keys other than `tableaus` and
    `rulings` are ignored; points have the order in which the tableau names its kinds.
    """
    if len(line) > LONGEST_LINE:
        raise UnreadableInput(f"the line is longer than {LONGEST_LINE} bytes")
    try:
        table = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise UnreadableInput(f"this is not JSON: {error.msg}, column {error.colno}") from None
    if not isinstance(table, dict) or "tableaus" not in table:
        raise UnreadableInput('expected an object like {"tableaus":[{"plain":2},{}],"rulings":{}}')
    tableaus = _tableaus(table["tableaus"])
    points = count_points(tableaus, _rulings(table.get("rulings", {})))
    scores = [sum(by_kind.values()) for by_kind in points]
    cards = [sum(tableau.values()) for tableau in tableaus]
    result = {
        "points": points,
        "scores": scores,
        "cards": cards,
        "winners": winners(scores, cards),
    }
    return orjson.dumps(result, option=orjson.OPT_APPEND_NEWLINE)


def _tableaus(given: object) -> list[dict[str, int]]:
    if not isinstance(given, list) or not MIN_PLAYERS <= len(given) <= MAX_PLAYERS:
        raise UnreadableInput(
            f"tableaus must be a list of {MIN_PLAYERS} to {MAX_PLAYERS} objects, one a player"
        )
    for seat, tableau in enumerate(given):
        if not isinstance(tableau, dict):
            raise UnreadableInput(
                f'tableau {seat} must be an object of counts by kind, like {{"plain":2}}'
            )
        for kind, copies in tableau.items():
            if kind not in CARDS:
                raise UnreadableInput(
                    f"tableau {seat}: there is no card called {kind[:40]!r}"
                    " (`gonuts rules` lists them)"
                )
            most = CARDS[kind].copies_for(MAX_PLAYERS)
            if type(copies) is not int or not 0 <= copies <= most:
                raise UnreadableInput(
                    f"tableau {seat}: {kind} must be a whole number from 0 to {most},"
                    " the most that any deck has"
                )
    return given


def _rulings(given: object) -> Rulings:
    if not isinstance(given, dict):
        raise UnreadableInput('rulings must be an object, like {"maple_frosted_tie":"none"}')
    return Rulings.parse(given)


def _lines(source: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Numbered lines that are not blank; of one that is too long no more than shows that it is."""
    number = 0
    while line := source.readline(LONGEST_LINE + 1):
        number += 1
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = source.readline(LONGEST_LINE + 1)
        if not line.isspace():
            yield number, line
