"""Why a line of a log is wrong, in words for a person who knows the game."""

from __future__ import annotations

import re
from collections.abc import Mapping

import orjson

from gonuts_cli.rules.events import Decided, Event, Moved

_DIGEST = re.compile(rb'"digest":"[0-9a-f]{64}"')
_SHOWN = 240
"""How much of a line that is at fault a message repeats, in characters."""


def difference(
    round_number: int, bids: Mapping[int, int], stands: bytes, should: bytes, event: Event | None
) -> str:
    """What stands on a line, what should, and why.

    `bids` are those of the round by seat, `event` is what `should` says; None for a game's first
    and last line.
    """
    where = f"round {round_number}: " if round_number else ""
    if stands.removesuffix(b"\r\n") == should.removesuffix(b"\n"):
        return (
            f"{where}the line ends with CR LF, as an editor or git may write it; a log's lines end "
            "with LF alone"
        )
    first = next(
        (at for at, (a, b) in enumerate(zip(stands, should, strict=False)) if a != b),
        min(len(stands), len(should)),
    )
    rules = orjson.loads(should)
    if _value(stands) == rules:
        return (
            f"{where}the line says what it should, but in other bytes, from byte {first + 1} on: "
            f"{quote(stands[first:])} where the rules give {quote(should[first:])}"
        )
    if "digest" in rules and _DIGEST.sub(b"", stands, 1) == _DIGEST.sub(b"", should, 1):
        return (
            "the digest is not that of the lines above: it was changed, or something in them was "
            "that the rules do not tell, such as names, the id or tags"
        )
    start = 0 if first < _SHOWN // 2 else first - _SHOWN // 2
    reason = "" if event is None else f"{_what_stands(stands)}, but {_why(event, bids)}. "
    return (
        f"{where}{reason}Here stands {quote(stands, start)} where the rules give "
        f"{quote(should, start)}"
    )


def quote(line: bytes, start: int = 0) -> str:
    """A line as a message shows it: a part of it from a byte on, without its end."""
    text = line[start:].rstrip(b"\n").decode(errors="backslashreplace")
    before = "…" if start else ""
    return f"{before}{text}" if len(text) <= _SHOWN else f"{before}{text[:_SHOWN]}…"


def _value(line: bytes) -> object:
    """What a line says as JSON; the line itself when it is none."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return line


def _what_stands(line: bytes) -> str:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return "the line is not JSON"
    event = value.get("event") if isinstance(value, dict) else None
    if event == "moved":
        source, target, card = (str(value.get(key)) for key in ("from", "to", "card"))
        if value.get("cause") == "award" and target.startswith("tableau:"):
            return f"seat {target.removeprefix('tableau:')} took {card} from {source}"
        return f"{card} went from {source} to {target}"
    if event == "decided":
        return f"seat {value.get('player')} decided {value.get('decision')}"
    if event == "round_started":
        return f"round {value.get('round')} started"
    if event == "game_ended":
        return "the game ended"
    if event == "game_started":
        return "another game started"
    return "the line is no event of a game"


def _why(event: Event, bids: Mapping[int, int]) -> str:
    if isinstance(event, Decided):
        by_whom = "" if event.fault is None else f" (the referee for it: {event.fault})"
        return f"the answer of seat {event.player} to {event.decision} stands here{by_whom}"
    if not isinstance(event, Moved):
        return f"round {event.round} starts here: all bids are resolved and the row can be refilled"
    if event.cause == "refill":
        return f"{event.card} is the deck's next card and {event.target} the next empty position"
    if event.cause in ("award", "collision"):
        position = int(event.source.removeprefix("row:"))
        bidders = [str(seat) for seat, bid in sorted(bids.items()) if bid == position]
        if len(bidders) == 1:
            return f"seat {bidders[0]} alone bid {position}"
        together = "both" if len(bidders) == 2 else "all"
        return f"seats {', '.join(bidders[:-1])} and {bidders[-1]} {together} bid {position}"
    return f"by {event.cause} {event.card} goes from {event.source} to {event.target}"
