"""Standings as text: tables for people, in a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from gonuts_cli.arena.ranking import Estimate, Ranking
from gonuts_cli.show.safe import printable

_LONGEST_NAME = 24


def standings_text(ranking: Ranking) -> str:
    """All bots with their figures and 95% intervals, best first."""
    rows = [("", "bot", "games", "win share", "points", "rating", "faults")]
    for place, one in enumerate(ranking.standings, start=1):
        rows.append(
            (
                str(place),
                short(one.name),
                str(one.games),
                _figure(one.win_share, 3),
                _figure(one.points, 2),
                _figure(one.rating, 0),
                faults_text(one.faults) or "-",
            )
        )
    games = _number(ranking.games, "game")
    note = f"{_number(ranking.deals, 'deal')}, {games}; in brackets 95% intervals over deals"
    return f"{_table(rows, left=(1, 6))}\n{note}"


def pairs_text(ranking: Ranking) -> str:
    """Who finished ahead of whom: of the games in which both played, the share of the row's bot."""
    names = [one.name for one in ranking.standings]
    numbers = [str(place) for place in range(1, len(names) + 1)]
    rows = [("", "ahead of", *numbers)]
    for i, name in enumerate(names):
        cells = []
        for j in range(len(names)):
            both = ranking.ahead[i][j] + ranking.ahead[j][i]
            cells.append(f"{ranking.ahead[i][j] / both:.2f}" if both else "")
        rows.append((numbers[i], short(name), *cells))
    return _table(rows, left=(1,))


def faults_text(faults: dict[str, int]) -> str:
    """The faults that there were: `2 timeout, 1 crashed`."""
    return ", ".join(f"{count} {kind}" for kind, count in faults.items() if count)


def short(name: str) -> str:
    """A bot's name, fit to be shown in a column."""
    shown = printable(name)
    return shown if len(shown) <= _LONGEST_NAME else shown[: _LONGEST_NAME - 1] + "…"


def _figure(estimate: Estimate, digits: int) -> str:
    text = f"{estimate.value:.{digits}f}"
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _table(rows: Sequence[Sequence[str]], left: Sequence[int]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
