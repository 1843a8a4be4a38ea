"""report.html: a tournament's results on one page, which asks nothing of any network."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from gonuts_cli.arena.names import file_names
from gonuts_cli.arena.outcome import SHARE_UNIT
from gonuts_cli.arena.ranking import Estimate, Ranking, Standing
from gonuts_cli.arena.results import Count
from gonuts_cli.rules.cards import KINDS, MAX_PLAYERS
from gonuts_cli.show.lang import card_name
from gonuts_cli.show.safe import printable
from gonuts_cli.show.standings import faults_text
from gonuts_cli.show.templates import filled

_LAST_WORDS = 400  # bytes of what a bot said last
_INSET = 3.0  # percent of an interval's drawing that stay free at either end
# Columns of one table, so that it is as wide as a page; more bots have another table below it.
_MOST_PAIRS = 15
_MOST_NAMES = 6
_NO_INTERVAL = "with one deal there is no interval"


class _Bar(NamedTuple):
    """A figure with its interval, in words and as places on a drawing, in percent."""

    text: str
    interval: str
    at: float
    low: float
    high: float


class _Cell(NamedTuple):
    """A number in a table of colours: `strength` in percent, for or against the row."""

    text: str
    strength: int = 0
    good: bool = True


def report_page(ranking: Ranking, count: Count, folder: Path, *, sandbox: bool | None) -> str:
    """The page of a tournament's folder; `count` must have counted kinds of cards."""
    standings = ranking.standings
    return filled(
        "report",
        "report.html.j2",
        tournament=ranking.tournament or "",
        deals=ranking.deals,
        games=ranking.games,
        sandbox=sandbox,
        names=[printable(one.name) for one in standings],
        counts=[one.games for one in standings],
        figures=_figures(standings),
        pairs=_pairs(ranking),
        kinds=_kinds(standings, count),
        seats=_seats(standings, count),
        faults=_faults(standings, folder),
        links=_links(count, folder),
        pair_blocks=_blocks(len(standings), _MOST_PAIRS),
        kind_blocks=_blocks(len(standings), _MOST_NAMES),
    )


def _blocks(columns: int, most: int) -> list[range]:
    """The columns in as few tables as can be of at most so many, about equally wide."""
    tables = -(-columns // most)
    ends = [columns * table // tables for table in range(tables + 1)]
    return [range(first, end) for first, end in pairwise(ends)]


def _figures(standings: Sequence[Standing]) -> dict[str, list[_Bar]]:
    return {
        "win share": _bars([one.win_share for one in standings], 3),
        "points": _bars([one.points for one in standings], 2),
        "rating": _bars([one.rating for one in standings], 0),
    }


def _bars(estimates: Sequence[Estimate], digits: int) -> list[_Bar]:
    ends = [end for one in estimates for end in one if end is not None]
    least, most = min(ends, default=0.0), max(ends, default=1.0)
    scale = (100 - 2 * _INSET) / (most - least or 1.0)

    def place(value: float) -> float:
        return round(_INSET + (value - least) * scale, 1)

    bars = []
    for value, low, high in estimates:
        interval = _NO_INTERVAL
        if low is not None and high is not None:
            interval = f"{low:.{digits}f} to {high:.{digits}f}"
        drawn = [place(value if end is None else end) for end in (value, low, high)]
        bars.append(_Bar(f"{value:.{digits}f}", interval, *drawn))
    return bars


def _shade(share: float, text: str) -> _Cell:
    """A share of 0 to 1 as a colour: none at a half."""
    return _Cell(text, round(abs(share - 0.5) * 90), share >= 0.5)


def _pairs(ranking: Ranking) -> list[list[_Cell]]:
    rows = []
    for i, ahead in enumerate(ranking.ahead):
        row = []
        for j, games in enumerate(ahead):
            both = games + ranking.ahead[j][i]
            row.append(_shade(games / both, f"{games / both:.2f}") if both else _Cell(""))
        rows.append(row)
    return rows


def _kinds(standings: Sequence[Standing], count: Count) -> list[tuple[str, list[_Cell]]]:
    """A row a kind that anyone scored with: mean points a game of each bot."""
    rows = []
    for kind in KINDS:
        means = [count.points_by_kind[one.name][kind] / one.games for one in standings]
        if any(means):
            most = max(abs(mean) for mean in means)
            cells = [_Cell(f"{m:.2f}", round(abs(m) / most * 40), m >= 0) for m in means]
            rows.append((card_name(kind, "en"), cells))
    return rows


def _seats(standings: Sequence[Standing], count: Count) -> list[tuple[str, list[_Cell]]]:
    """Win share in each seat: a row for all bots together, then one a bot."""
    tally = count.tally
    width = len(standings[0].seats) if standings else 0

    def row(bots: Sequence[int]) -> list[_Cell]:
        games = [sum(tally.seats[bot][seat] for bot in bots) for seat in range(MAX_PLAYERS)]
        shares = [sum(tally.seat_shares[bot][seat] for bot in bots) for seat in range(MAX_PLAYERS)]
        found = [s / SHARE_UNIT / n if n else None for s, n in zip(shares, games, strict=True)]
        fair = sum(shares) / SHARE_UNIT / (sum(games) or 1)
        return [
            _Cell("")
            if share is None
            else _Cell(f"{share:.3f}", round(min(1, abs(share - fair) * 4) * 45), share >= fair)
            for share in found[:width]
        ]

    everybody = [("all bots", row(range(len(tally.names))))]
    return everybody + [(printable(s.name), row([tally.names.index(s.name)])) for s in standings]


def _faults(
    standings: Sequence[Standing], folder: Path
) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Of each bot with faults: its name, what they were, and its last words by file."""
    names = sorted(one.name for one in standings)
    files = dict(zip(names, file_names(names), strict=True))
    return [
        (
            printable(one.name),
            faults_text(one.faults),
            [
                (path.name, words)
                for path in sorted((folder / "stderr").glob("*.txt"))
                if path.name.rsplit(".", 2)[0] == files[one.name] and (words := _last_words(path))
            ],
        )
        for one in standings
        if any(one.faults.values())
    ]


def _last_words(path: Path) -> str:
    data = path.read_bytes()
    end = data[-_LAST_WORDS:]
    if len(data) > len(end):
        end = end.partition(b"\n")[2] or end
    lines = end.decode("utf-8", "replace").strip().splitlines()
    return "\n".join(printable(line) for line in lines)


def _links(count: Count, folder: Path) -> list[tuple[str, str]]:
    """Where each game is shown, if there is a page that shows them (docs/tournaments.md)."""
    page = folder / "replay.html"
    if not page.is_file():
        return []
    return [
        (printable(name), f"{page.name}#{place}-0") for place, name in enumerate(count.game_ids, 1)
    ]
