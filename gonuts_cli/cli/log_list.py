"""`gonuts log list` and `gonuts log extract`: which games there are, and some of them."""

from __future__ import annotations

import sys
from typing import Annotated

import orjson
import typer

from gonuts_cli.cli.archives import Outcome, Reading, end, place, say
from gonuts_cli.cli.validate import JSON, PATHS
from gonuts_cli.errors import UsageError
from gonuts_cli.log.decode import LogError
from gonuts_cli.log.output import GameStream, output
from gonuts_cli.log.reader import LONGEST_GAME, RawGame, whole
from gonuts_cli.log.summary import Summary, has_fault, summarize
from gonuts_cli.rules.engine import FAULTS
from gonuts_cli.show.safe import printable

OUT = typer.Option("--out", "-o", metavar="FILE", help="Where to; .gz and .zst are compressed.")
FORCE = typer.Option("--force", help="Replace the file if it exists.")


def list_games(paths: Annotated[list[str], PATHS], json: Annotated[bool, JSON] = False) -> None:
    """List games, one a line.

    Where it stands, its id, players and scores (* wins), rounds.

    With --json, `line` (from 1) and `offset` (bytes, of the uncompressed text) say where it starts.
    """
    reading = Reading(paths)
    bad = 0
    for raw in reading:
        try:
            summary = summarize(whole_game(raw).data)
        except LogError as fault:
            bad += 1
            reading.hide_progress()
            refuse(raw, fault)
            continue
        if summary.rounds is None:
            bad += 1
        line = _as_json(raw, summary) if json else _as_text(raw, summary)
        reading.hide_progress()
        sys.stdout.buffer.write(line)
    end(Outcome(bad, reading.unreadable))


def whole_game(raw: RawGame) -> RawGame:
    """`whole`, but refusing what is so long that the reader did not keep all of it."""
    if len(raw.data) >= LONGEST_GAME:
        raise LogError("too_long", 1, "this is longer than any game: it is no log")
    return whole(raw)


def refuse(raw: RawGame, fault: LogError, what: str = "") -> None:
    """Say on standard error what is wrong with a game, and `what` is done about it."""
    sys.stdout.buffer.flush()
    say(f"{raw.file}:{raw.first_line + fault.line - 1}: {what}{fault.message}")


def _as_text(raw: RawGame, summary: Summary) -> bytes:
    players = ", ".join(
        printable(name)
        if summary.scores is None
        else f"{printable(name)} {summary.scores[seat]}{'*' * (seat in (summary.winners or ()))}"
        for seat, name in enumerate(summary.players)
    )
    length = "unfinished" if summary.rounds is None else f"{summary.rounds} rounds"
    where = place(raw.file, raw.first_line, summary.game)
    return f"{where}: {players}, {length}\n".encode()


def _as_json(raw: RawGame, summary: Summary) -> bytes:
    said: dict[str, object] = {
        "file": raw.file,
        "game": summary.game,
        "line": raw.first_line,
        "offset": raw.offset,
        "players": summary.players,
        "rounds": summary.rounds,
        "scores": summary.scores,
        "winners": summary.winners,
    }
    if summary.tags:
        said["tags"] = summary.tags
    return orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE)


def extract(
    paths: Annotated[list[str], PATHS],
    game: Annotated[
        list[str] | None, typer.Option("--game", metavar="ID", help="Games with this id.")
    ] = None,
    player: Annotated[
        list[str] | None, typer.Option("--player", metavar="NAME", help="Games of this player.")
    ] = None,
    winner: Annotated[
        list[str] | None, typer.Option("--winner", metavar="NAME", help="Games that it won.")
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option("--fault", metavar="WORD", help="Games with this fault, or `any`."),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="KEY[=VALUE]", help="Games with this tag, or tag and value."),
    ] = None,
    out: Annotated[str | None, OUT] = None,
    force: Annotated[bool, FORCE] = False,
) -> None:
    """Write the games that match.

    As they stand in the logs.

    An option given several times means any of its values; different options must all match. The
    status is 1 when no game matches.
    """
    wanted = _Wanted(game or [], player or [], winner or [], fault or [], tag or [])
    reading = Reading(paths)
    found = bad = 0
    with output(out, force=force) as stream:
        games = GameStream(stream)
        for raw in reading:
            try:
                log = whole_game(raw).data
                matches = wanted.matches(log, summarize(log))
            except LogError as error:
                bad += 1
                reading.hide_progress()
                refuse(raw, error, "left out: ")
                continue
            if matches:
                found += 1
                games.write(raw.data)
    if not found:
        say("no game matches")
    end(Outcome(bad + (not found), reading.unreadable))


class _Wanted:
    """Which games `extract` wants; raises UsageError for what no game can have."""

    def __init__(
        self,
        games: list[str],
        players: list[str],
        winners: list[str],
        faults: list[str],
        tags: list[str],
    ) -> None:
        for word in faults:
            if word not in (*FAULTS, "any"):
                raise UsageError(
                    f"--fault {word}: no fault is called so; there are {', '.join(FAULTS)}, and any"
                )
        self._games = frozenset(games)
        self._players = frozenset(players)
        self._winners = frozenset(winners)
        self._faults = faults
        self._tags = [tag.partition("=") for tag in tags]

    def matches(self, log: bytes, summary: Summary) -> bool:
        winners = [summary.players[seat] for seat in summary.winners or ()]
        return (
            (not self._games or summary.game in self._games)
            and (not self._players or not self._players.isdisjoint(summary.players))
            and (not self._winners or not self._winners.isdisjoint(winners))
            and (
                not self._faults
                or any(has_fault(log, None if word == "any" else word) for word in self._faults)
            )
            and (not self._tags or any(_has_tag(summary.tags, *tag) for tag in self._tags))
        )


def _has_tag(tags: dict[str, str], key: str, equals: str, value: str) -> bool:
    return key in tags and (not equals or tags[key] == value)
