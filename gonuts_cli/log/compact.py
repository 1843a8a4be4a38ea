"""A game in three lines: what does not follow from the seed and the answers (docs/log-format.md).

    {"event":"game_started","format":"gonuts-log-compact/1","rules":…,"rulings":…,"game":…,"players":…}
    {"event":"answers","answers":[2,3,[["plain",1]],"timeout",…]}
    {"event":"game_ended","seed":"…","digest":"…"}

`answers` has what was chosen, in the order of the log: a number is a bid on that position, a list
is the `choose` of any other decision, a text is a fault (what the referee then chose follows). The
decisions of a seat that was put out are left out, since nobody made them. `digest` is the one of
the whole log, so damage shows when the log is restored.
"""

from __future__ import annotations

from typing import Any

import orjson

from gonuts_cli.errors import UsageError
from gonuts_cli.game import Game
from gonuts_cli.log.decode import (
    LogError,
    decisions,
    parse_ending,
    parse_header,
    parse_json,
)
from gonuts_cli.log.encode import FORMAT, RULES
from gonuts_cli.rules.texts import check_text

COMPACT_FORMAT = "gonuts-log-compact/1"
_STARTED = f'{{"event":"game_started","format":"{COMPACT_FORMAT}",'.encode()
_KEYS = {
    1: {"event", "format", "rules", "rulings", "game", "players", "tags"},
    2: {"event", "answers"},
    3: {"event", "seed", "digest"},
}


def is_compact(data: bytes) -> bool:
    """Whether a game's lines are in the compact form."""
    return data.startswith(_STARTED)


def compact_game(data: bytes) -> bytes:
    """The compact form of one whole game's log.

    Raises LogError when the log does not follow, byte for byte, from its seed and its answers (it
    is damaged, forged or has no end): such a game has no compact form, and nothing of it is lost.
    A game that is compact already is checked and returned as it is.
    """
    if is_compact(data):
        expand_game(data)
        return data
    compact = _compact(data)
    if expand_game(compact) != data:
        raise LogError(
            "not_derivable", 1, "the log does not follow from its seed and its decisions"
        )
    return compact


def check_form(data: bytes, restored: bytes) -> None:
    """Raise LogError unless `data` is the compact form of `restored` to the byte, not like it."""
    for number, (stands, should) in enumerate(
        zip(data.split(b"\n"), _compact(restored).split(b"\n"), strict=True), 1
    ):
        if stands != should:
            raise LogError("differs", number, "the line says what it should, but in other bytes")


def _compact(data: bytes) -> bytes:
    """The compact form of a log, if it has one; raises LogError for what shows that it has none."""
    first, last = data.find(b"\n") + 1, data.rfind(b"\n", 0, -1) + 1
    if not first or last < first or not data.endswith(b"\n"):
        raise LogError("incomplete", 1 + data.count(b"\n"), "the log ends before the game does")
    header = parse_header(data[:first])
    ending, seed = parse_ending(data[last:], data.count(b"\n"))
    answers: list[Any] = []
    for made in decisions(data):
        if made.fault == "disqualified":
            continue
        if made.fault is not None:
            answers.append(made.fault)
        elif made.decision == "bid" and len(made.choose) == 1:
            answers.append(made.choose[0])
        else:
            answers.append(made.choose)
    start: dict[str, Any] = {
        "event": "game_started",
        "format": COMPACT_FORMAT,
        "rules": RULES,
        "rulings": header.rulings.changed(),
        "game": header.game,
        "players": header.names,
    }
    if header.tags:
        start["tags"] = header.tags
    return _lines(
        start,
        {"event": "answers", "answers": answers},
        {"event": "game_ended", "seed": seed, "digest": ending.get("digest")},
    )


def expand_game(data: bytes) -> bytes:
    """The whole log of a game in compact form.

    Raises LogError, its line counted in the three lines of the compact form, when they are not as
    they should be or the restored log has another digest.
    """
    start, answers, ending = _parsed(data)
    try:
        game = Game(
            names=start["players"],
            seed=ending["seed"],
            rulings=start["rulings"],
            game=start["game"],
            tags=start["tags"],
        )
    except UsageError as error:
        raise LogError("bad_header", 1, str(error)) from None
    given = iter(answers)
    while game.pending:
        for decision in game.pending:
            try:
                answer = next(given)
            except StopIteration:
                raise _bad_answer(game, "the answers end before the game does") from None
            try:
                if isinstance(answer, str):
                    game.choose(decision.player, fault=answer)
                elif isinstance(answer, list):
                    game.choose(decision.player, answer)
                else:
                    game.choose(decision.player, [answer])
            except ValueError as error:
                raise _bad_answer(game, str(error)) from None
    for _ in given:
        raise _bad_answer(game, "there are answers after the end of the game")
    log = game.log()
    if not log.endswith(f'"digest":"{ending["digest"]}"}}\n'.encode()):
        raise LogError("digest", 3, "the digest is not that of the game that these answers make")
    return log


def _bad_answer(game: Game, what: str) -> LogError:
    return LogError("bad_answer", 2, f"round {game.round}: {what}")


def _parsed(data: bytes) -> tuple[dict[str, Any], list[Any], dict[str, Any]]:
    *lines, broken_off = data.split(b"\n")
    parsed = []
    for number, (line, event) in enumerate(
        zip(lines, ("game_started", "answers", "game_ended"), strict=False), 1
    ):
        value = parse_json(line, number)
        if number == 1:
            value.setdefault("tags", {})
        if value.get("event") != event or value.keys() != _KEYS[number]:
            raise LogError(
                "bad_compact", number, f"this should be the {event} line of a {COMPACT_FORMAT} game"
            )
        parsed.append(value)
    if len(lines) < 3:
        raise LogError("incomplete", len(lines) + 1, "the log ends before the game does")
    if len(lines) > 3 or broken_off:
        raise LogError("after_end", 4, "nothing may stand after the end of the game")
    start, middle, ending = parsed
    for key, known in (("format", COMPACT_FORMAT), ("rules", RULES)):
        if start[key] != known:
            raise LogError(
                f"unknown_{key}", 1, f"this version reads the {key} {known} (and {FORMAT})"
            )
    names, texts = start["players"], (start["rulings"], start["tags"])
    if not (
        isinstance(names, list)
        and isinstance(start["game"], str)
        and all(isinstance(name, str) for name in names)
        and all(isinstance(pairs, dict) for pairs in texts)
        and all(isinstance(text, str) for pairs in texts for text in pairs.values())
    ):
        raise LogError("bad_header", 1, "players are names, rulings and tags objects of texts")
    if not (isinstance(middle["answers"], list)):
        raise LogError("bad_compact", 2, "answers must be a list")
    if not (isinstance(ending["seed"], str) and isinstance(ending["digest"], str)):
        raise LogError("bad_ending", 3, "the seed and the digest are texts")
    try:
        check_text(ending["seed"], "a seed", 128)
    except UsageError as error:
        raise LogError("bad_ending", 3, str(error)) from None
    return start, middle["answers"], ending


def _lines(*objects: dict[str, Any]) -> bytes:
    return b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in objects)
