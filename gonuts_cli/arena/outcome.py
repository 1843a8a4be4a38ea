"""What one game's log says about who did how well: all that a ranking is made from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeGuard

import orjson

from gonuts_cli.errors import UnreadableInput
from gonuts_cli.log.decode import Header, game_id, parse_ending, parse_header
from gonuts_cli.rules.cards import MAX_PLAYERS
from gonuts_cli.rules.engine import COUNTED_FAULTS, FATAL_FAULTS
from gonuts_cli.rules.scoring import score

_MOST_POINTS = 10_000  # far above what any game can bring
SHARE_UNIT = 60
"""Win shares are counted in 60ths, which 1 to 6 winners divide without rest."""

# Lines are matched from their start: in a name or a tag anything may stand. An LF, which no line
# but the first is without, is found much sooner than `^`; the first line is a game's header.
_FAULT = re.compile(rb'\n\{"event":"decided","player":(\d),.*,"fault":"(\w+)"\}(?=\n|\Z)')
_MOVE = re.compile(
    rb'\n\{"event":"moved","card":"(\w+)","from":"(?:tableau:(\d)|[^"]*)","to":"(?:tableau:(\d)|)'
)


class Outcome(NamedTuple):
    """How a finished game ended; everything is by seat."""

    header: Header
    scores: tuple[int, ...]
    cards: tuple[int, ...]
    winners: tuple[int, ...]
    faults: tuple[Counter[str], ...]

    def is_out(self, seat: int) -> bool:
        """Whether the referee put the seat out (SPEC §7), be it at its very last decision."""
        faults = self.faults[seat]
        return sum(faults[kind] for kind in COUNTED_FAULTS) >= 3 or any(
            faults[kind] for kind in FATAL_FAULTS
        )

    def places(self) -> tuple[tuple[int, ...], ...]:
        """The seats from first to last, those that are level together; seats that are out last.

        The order is that of the winners (SPEC §1): points, then cards.
        """
        ranked: dict[tuple[int, int], list[int]] = {}
        out = []
        for seat, rank in enumerate(zip(self.scores, self.cards, strict=True)):
            if self.is_out(seat):
                out.append(seat)
            else:
                ranked.setdefault(rank, []).append(seat)
        groups = [tuple(ranked[rank]) for rank in sorted(ranked, reverse=True)]
        return (*groups, tuple(out)) if out else tuple(groups)

    def shares(self) -> tuple[int, ...]:
        """Each seat's part of the win, in units of 1/SHARE_UNIT."""
        part = SHARE_UNIT // len(self.winners) if self.winners else 0
        return tuple(part if seat in self.winners else 0 for seat in range(len(self.scores)))


def read_outcome(data: bytes) -> Outcome:
    """The outcome of a whole game's log; raises LogError or UnreadableInput when it has none."""
    first, _, _ = data.partition(b"\n")
    header = parse_header(first)
    last = data[data.rfind(b"\n", 0, len(data) - 1) + 1 :]
    ending, _ = parse_ending(last, data.count(b"\n"))
    count = len(header.names)
    scores, cards, winners = _result(ending, count, header.game)
    faults: tuple[Counter[str], ...] = tuple(Counter() for _ in range(count))
    if b'"fault":"' in data:
        for player, fault in _FAULT.findall(data):
            if int(player) < count:
                faults[int(player)][fault.decode()] += 1
    return Outcome(header, tuple(scores), tuple(cards), tuple(winners), faults)


def _result(
    ending: Mapping[str, object], count: int, game: str | None
) -> tuple[list[int], list[int], list[int]]:
    """Scores, cards and winners of a `game_ended` line that can be; raises UnreadableInput."""
    scores, cards, winners = (ending.get(key) for key in ("scores", "cards", "winners"))
    if not (_integers(scores, count) and _integers(cards, count) and _integers(winners, None)):
        raise UnreadableInput(f"game {game}: `game_ended` does not hold a result")
    if winners != sorted(set(winners).intersection(range(count))):
        raise UnreadableInput(f"game {game}: {winners} are not seats of {count} players")
    if any(abs(points) > _MOST_POINTS for points in scores):
        raise UnreadableInput(f"game {game}: nobody can have {scores} points")
    return scores, cards, winners


def _integers(value: object, length: int | None) -> TypeGuard[list[int]]:
    return (
        isinstance(value, list)
        and all(type(item) is int for item in value)
        and (len(value) == length if length is not None else len(value) <= MAX_PLAYERS)
    )


def points_by_kind(data: bytes, header: Header) -> list[dict[str, int]]:
    """Each seat's points by kind of card, from the moves of a whole game's log."""
    tableaus: Sequence[Counter[str]] = [Counter() for _ in header.names]
    try:
        for (card, source, target), times in Counter(_MOVE.findall(data)).items():
            if source:
                tableaus[int(source)][card.decode()] -= times
            if target:
                tableaus[int(target)][card.decode()] += times
        return score(tableaus, header.rulings)
    except LookupError:
        words = "a card moves that there is not, or to a seat that there is not"
        raise UnreadableInput(f"game {header.game}: {words}") from None


def ending_of(data: bytes, count: int) -> tuple[list[int], list[int]]:
    """Scores and winners of a game of `count` players that this program has written.

    Nothing else of it is read. Raises UnreadableInput where somebody has changed the result.
    """
    ending = orjson.loads(data[data.rfind(b"\n", 0, len(data) - 1) + 1 :])
    scores, _, winners = _result(ending, count, game_id(data.partition(b"\n")[0]))
    return scores, winners
