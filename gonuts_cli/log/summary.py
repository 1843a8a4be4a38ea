"""What a game's first and last line tell: enough to list games and to choose among them."""

from __future__ import annotations

from typing import Any, NamedTuple

from gonuts_cli.log.decode import ENDED, LogError, parse_header, parse_json
from gonuts_cli.rules.engine import FAULTS


class Summary(NamedTuple):
    """One game; `rounds`, `scores` and `winners` are None while it is unfinished.

    The lines between are not looked at: nothing here says that the game is valid.
    """

    game: str
    players: list[str]
    tags: dict[str, str]
    rounds: int | None
    scores: list[int] | None
    winners: list[int] | None


def summarize(data: bytes) -> Summary:
    """The summary of a game's whole log; raises LogError for lines that are not as they should be.

    An unfinished game has no last line, which is no error here.
    """
    header = parse_header(data.partition(b"\n")[0])
    last = data[data.rfind(b"\n", 0, -1) + 1 :]
    if not (last.startswith(ENDED) and last.endswith(b"\n")):
        return Summary(header.game, header.names, header.tags, None, None, None)
    number = data.count(b"\n")
    end = parse_json(last, number)
    rounds, scores, winners = end.get("rounds"), _numbers(end, "scores"), _numbers(end, "winners")
    seats = range(len(header.names))
    if (
        type(rounds) is not int
        or scores is None
        or winners is None
        or len(scores) != len(seats)
        or not all(seat in seats for seat in winners)
    ):
        raise LogError("bad_ending", number, "the last line does not tell how the game ended")
    return Summary(header.game, header.names, header.tags, rounds, scores, winners)


def has_fault(data: bytes, word: str | None = None) -> bool:
    """Whether the referee chose for a player, for the reason `word` or any, in a game's log."""
    # Only a `decided` line ends like this: in texts the quotation mark is escaped.
    words = FAULTS if word is None else (word,)
    return any(f'"fault":"{word}"}}\n'.encode() in data for word in words)


def _numbers(line: dict[str, Any], key: str) -> list[int] | None:
    value = line.get(key)
    if isinstance(value, list) and all(type(number) is int for number in value):
        return value
    return None
