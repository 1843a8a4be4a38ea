"""results.json: what the games of a tournament say, and nothing that they do not (SPEC §8)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import orjson

from gonuts_cli.arena.outcome import points_by_kind, read_outcome
from gonuts_cli.arena.tally import Tally
from gonuts_cli.errors import UnreadableInput
from gonuts_cli.log.decode import LogError
from gonuts_cli.log.reader import RawGame, whole
from gonuts_cli.rules.cards import KINDS

if TYPE_CHECKING:
    from gonuts_cli.arena.ranking import Estimate, Ranking

FORMAT = "gonuts-results/1"
FIRST_GAMES = 2000
"""Games that a report names one by one; more would be of no use to anyone."""


class Count:
    """All that the results and the report need, counted over games as they are read."""

    def __init__(self, kinds: bool = False) -> None:
        """With `kinds`, points by kind of card are counted too, which takes longer."""
        self.tally = Tally()
        self._kinds = kinds
        self.points_by_kind: dict[str, dict[str, int]] = {}
        """Bot to kind to its points in all games."""
        self.game_ids: list[str] = []
        """The ids of the first FIRST_GAMES games."""

    def add(self, game: RawGame) -> None:
        """Count one game's log; raises UnreadableInput that names the file and the line."""
        try:
            data = whole(game).data
            outcome = read_outcome(data)
            if self._kinds:
                self._add_kinds(outcome.header.names, points_by_kind(data, outcome.header))
        except LogError as error:
            line = game.first_line + error.line - 1
            raise UnreadableInput(f"{game.file}, line {line}: {error.message}") from None
        self.tally.add(outcome)
        if len(self.game_ids) < FIRST_GAMES:
            self.game_ids.append(outcome.header.game)

    def _add_kinds(self, names: list[str], points: list[dict[str, int]]) -> None:
        for name, by_kind in zip(names, points, strict=True):
            mine = self.points_by_kind.get(name)
            if mine is None:
                mine = self.points_by_kind[name] = dict.fromkeys(KINDS, 0)
            for kind, value in by_kind.items():
                mine[kind] += value

    def add_all(self, games: Iterable[RawGame]) -> None:
        """Count games in a row."""
        for game in games:
            self.add(game)

    def merge(self, later: Count) -> None:
        """Count what `later` has counted, as if its games had been added here."""
        self.tally.merge(later.tally)
        for name, by_kind in later.points_by_kind.items():
            mine = self.points_by_kind.setdefault(name, dict.fromkeys(KINDS, 0))
            for kind, value in by_kind.items():
                mine[kind] += value
        self.game_ids += later.game_ids[: FIRST_GAMES - len(self.game_ids)]

    def ranking(self) -> Ranking:
        """The results of what was counted."""
        from gonuts_cli.arena.ranking import rank  # SciPy: not for a process that only counts

        return rank(self.tally)


def results(ranking: Ranking, sandbox: bool | None) -> dict[str, Any]:
    """The object of results.json; `sandbox` is None where that is not known."""
    return {
        "format": FORMAT,
        "tournament": ranking.tournament,
        "sandbox": sandbox,
        "deals": ranking.deals,
        "games": ranking.games,
        "bots": [
            {
                "name": standing.name,
                "games": standing.games,
                "seats": standing.seats,
                **_figures("win_share", standing.win_share, 6),
                **_figures("points", standing.points, 4),
                **_figures("rating", standing.rating, 2),
                "faults": standing.faults,
            }
            for standing in ranking.standings
        ],
    }


def _figures(name: str, estimate: Estimate, digits: int) -> dict[str, float | None]:
    """A figure and its interval, rounded to what does not depend on the machine."""
    low, high = estimate.low, estimate.high
    return {
        name: round(estimate.value, digits),
        f"{name}_low": None if low is None else round(low, digits),
        f"{name}_high": None if high is None else round(high, digits),
    }


def encode(value: dict[str, Any]) -> bytes:
    """The bytes of results.json."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
