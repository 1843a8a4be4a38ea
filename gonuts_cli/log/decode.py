"""The lines of a log back to what they say (SPEC §4).

Everything here is strict: a line is what the writer would have written, or it is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeGuard

import orjson

from gonuts_cli.errors import UnreadableInput, UsageError
from gonuts_cli.log.encode import FORMAT, RULES
from gonuts_cli.rules.cards import MAX_PLAYERS, MIN_PLAYERS
from gonuts_cli.rules.rulings import Rulings
from gonuts_cli.rules.texts import check_tags, check_text

_COMMITMENT = re.compile("[0-9a-f]{64}")
STARTED = b'{"event":"game_started"'
ENDED = b'{"event":"game_ended"'
DECIDED = b'{"event":"decided",'


class LogError(UnreadableInput):
    """A line of a log that is not as it should be.

    `code` is stable, for programs; `line` counts from 1 within the game; the text is for people.
    """

    def __init__(self, code: str, line: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.line = line
        self.message = message


class Header(NamedTuple):
    """What `game_started` says."""

    names: list[str]
    rulings: Rulings
    game: str
    commitment: str
    tags: dict[str, str]


class RecordedDecision(NamedTuple):
    """What a `decided` line says, its values as JSON gives them."""

    player: int
    decision: str
    choose: list[Any]
    fault: str | None


def parse_json(line: bytes, number: int) -> dict[str, Any]:
    """The JSON object that stands on a line; raises LogError."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        words = f"the line is not JSON: {error.msg}, column {error.colno}"
        raise LogError("not_json", number, words) from None
    if not isinstance(value, dict):
        raise LogError("not_object", number, "the line is JSON, but not an object")
    return value


def game_id(line: bytes) -> str | None:
    """The id on a game's first line, or None; also of a line that is not as it should be."""
    try:
        found = parse_json(line, 1).get("game")
    except LogError:
        return None
    return found if isinstance(found, str) else None


def parse_header(line: bytes) -> Header:
    """Read the first line of a game; raises LogError with line 1.

    The reader dispatches on `format` and `rules`: what this version cannot read it refuses by name.
    """
    value = parse_json(line, 1)
    if value.get("event") != "game_started":
        raise LogError("no_header", 1, "a game starts with a `game_started` line; this is none")
    for key, known in (("format", FORMAT), ("rules", RULES)):
        if value.get(key) != known:
            found = orjson.dumps(value.get(key))[:60].decode(errors="replace")
            raise LogError(
                f"unknown_{key}", 1, f"its `{key}` is {found}; this version reads {known} only"
            )
    try:
        return _header(value)
    except UsageError as error:
        raise LogError("bad_header", 1, f"game_started: {error}") from None


def _is_texts(value: object) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _header(value: dict[str, Any]) -> Header:
    names, rulings = value.get("players"), value.get("rulings")
    game, seed_commitment = value.get("game"), value.get("seed_commitment")
    tags = value.get("tags", {})
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise UsageError("`players` must be a list of names")
    if not MIN_PLAYERS <= len(names) <= MAX_PLAYERS:
        raise UsageError(f"there are {len(names)} players; the game is for 2 to 6")
    for name in names:
        check_text(name, "a player's name", 64)
    if len(set(names)) < len(names):
        raise UsageError("two players have the same name")
    if not (_is_texts(rulings) and _is_texts(tags)):
        raise UsageError("`rulings` and `tags` must be objects of texts")
    if not (isinstance(game, str) and isinstance(seed_commitment, str)):
        raise UsageError("`game` and `seed_commitment` must be texts")
    if _COMMITMENT.fullmatch(seed_commitment) is None:
        raise UsageError("`seed_commitment` must be 64 digits of hex")
    check_text(game, "a game's id", 128)
    if tags and list(tags) != list(check_tags(tags)):
        raise UsageError("`tags` must be sorted by name")
    return Header(names, Rulings.parse(rulings), game, seed_commitment, tags)


def _bid_line(player: int, position: int) -> bytes:
    return b'"player":%d,"decision":"bid","choose":[%d]}' % (player, position)


_BIDS = {
    _bid_line(player, position): RecordedDecision(player, "bid", [position], None)
    for player in range(MAX_PLAYERS)
    for position in range(1, MAX_PLAYERS + 2)
}
_BID_LENGTH = len(_bid_line(0, 1))


def decisions(data: bytes) -> Iterator[RecordedDecision]:
    """The decisions that a game's lines record, in order.

    Raises LogError (its line is 0: the caller finds it) where a `decided` line makes no
    sense. Lines of other events are passed over.
    """
    pieces = iter(data.split(DECIDED))
    next(pieces)
    for piece in pieces:
        bid = _BIDS.get(piece[:_BID_LENGTH])
        # What follows a bid on its line (a fault, damage) must not be passed over.
        if bid is not None and piece[_BID_LENGTH : _BID_LENGTH + 1] == b"\n":
            yield bid
        else:
            yield parse_decision(DECIDED + piece.partition(b"\n")[0], 0)


def parse_decision(line: bytes, number: int) -> RecordedDecision:
    """Read a `decided` line; raises LogError with the line's `number`."""
    value = parse_json(line, number)
    player, decision = value.get("player"), value.get("decision")
    choose, fault = value.get("choose"), value.get("fault")
    if (
        value.get("event") == "decided"
        and type(player) is int
        and isinstance(decision, str)
        and isinstance(choose, list)
        and (fault is None or isinstance(fault, str))
    ):
        return RecordedDecision(player, decision, choose, fault)
    raise LogError(
        "bad_decision", number, "a `decided` line needs a player, a decision and a list `choose`"
    )


def parse_ending(line: bytes, number: int) -> tuple[dict[str, Any], str]:
    """Read a `game_ended` line: the whole of it, and its seed; raises LogError."""
    value = parse_json(line, number)
    seed = value.get("seed")
    if value.get("event") != "game_ended" or not isinstance(seed, str):
        raise LogError("bad_ending", number, "a game ends with a `game_ended` line with a seed")
    try:
        return value, check_text(seed, "a seed", 128)
    except UsageError as error:
        raise LogError("bad_ending", number, str(error)) from None
