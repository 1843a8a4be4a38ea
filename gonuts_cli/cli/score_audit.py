"""`gonuts score-audit`: count again from the moves alone (SPEC §4, §8)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated

import orjson

from gonuts_cli.cli.archives import Checked, end, place, run_checks
from gonuts_cli.cli.validate import JSON, PATHS, WORKERS
from gonuts_cli.log.audit import Audit, audit_game
from gonuts_cli.log.decode import LogError, game_id
from gonuts_cli.log.reader import RawGame, whole
from gonuts_cli.show.lang import card_name, points_text
from gonuts_cli.show.safe import printable


def score_audit(
    paths: Annotated[list[str], PATHS],
    json: Annotated[bool, JSON] = False,
    workers: Annotated[int, WORKERS] = 1,
) -> None:
    """Count every game again, without the engine.

    From the moves alone, with other code. It shows what each kind in each hand brings.
    """
    check = partial(check_scores, json=json)
    end(run_checks(paths, check, workers, good=None if json else "scored right"))


def check_scores(raw: RawGame, *, json: bool) -> Checked:
    """The count of one game, with what the command writes about it.

    A game in compact form is restored first: its moves are what the engine says, its count is not.
    """
    try:
        counted = audit_game(whole(raw).data, raw.first_line)
    except LogError as fault:
        name = game_id(raw.data.partition(b"\n")[0])
        line = raw.first_line + fault.line - 1
        counted = Audit(name, line, False, fault.code, fault.message)
    report = _as_json(raw.file, counted) if json else _as_text(raw, counted)
    return Checked(
        raw.file,
        counted.game,
        counted.line,
        counted.ok,
        counted.error,
        counted.message,
        report,
    )


def _as_json(file: str, counted: Audit) -> bytes:
    said: dict[str, object] = {
        "file": file,
        "game": counted.game,
        "ok": counted.ok,
        "players": counted.players,
        "points": counted.points,
        "scores": counted.scores,
        "recorded": counted.recorded,
        "winners": counted.winners,
    }
    if not counted.ok:
        said |= {"error": counted.error, "message": f"line {counted.line}: {counted.message}"}
    return orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE)


def _as_text(raw: RawGame, counted: Audit) -> bytes:
    lines = [place(raw.file, raw.first_line, counted.game)]
    for seat, name in enumerate(counted.players[: len(counted.scores)]):
        cards = sum(counted.tableaus[seat].values())
        wins = ", wins" if seat in counted.winners else ""
        lines.append(
            f"  {printable(name)}: {_count(counted.scores[seat], 'point')},"
            f" {_count(cards, 'card')}{wins}"
        )
        lines += _kinds(counted.tableaus[seat], counted.points[seat])
    if not counted.ok:
        lines.append(f"  WRONG at line {counted.line}: {printable(counted.message or '')}")
    return "\n".join([*lines, "", ""]).encode()


def _kinds(tableau: dict[str, int], points: dict[str, int]) -> Iterator[str]:
    for kind, worth in points.items():
        rule = points_text(kind, "en")
        yield f"    {tableau[kind]} {card_name(kind, 'en'):<18} {worth:>3}  ({rule})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if abs(number) == 1 else 's'}"
