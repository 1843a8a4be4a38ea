"""`gonuts validate`: re-run every game and compare (SPEC §4, §8)."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import orjson
import typer

from gonuts_cli.cli.archives import Checked, end, place, run_checks
from gonuts_cli.log.output import output
from gonuts_cli.log.reader import RawGame
from gonuts_cli.log.validate import validate_game
from gonuts_cli.show.safe import printable

PATHS = typer.Argument(metavar="PATH...", help="Logs: files, folders or - for standard input.")
JSON = typer.Option("--json", help="Write one JSON line a game and nothing else.")
WORKERS = typer.Option(
    "--workers", min=1, max=64, metavar="N", help="How many processes check games."
)


def validate(
    paths: Annotated[list[str], PATHS],
    json: Annotated[bool, JSON] = False,
    junit: Annotated[
        str | None,
        typer.Option("--junit", metavar="FILE", help="Write a JUnit report for CI, too."),
    ] = None,
    workers: Annotated[int, WORKERS] = 1,
) -> None:
    """Play every game of the logs again.

    Of each game that is not as it should be, say which is its first wrong line, and why.
    """
    check = partial(check_validity, json=json)
    good = None if json else "valid"
    if junit is None:
        end(run_checks(paths, check, workers, good=good))
        return
    from gonuts_cli.cli.common import require_different
    from gonuts_cli.cli.junit import JUnitReport

    for path in paths:
        require_different({path: path, "--junit": junit})
    # CI runs again and again, so a report that exists is replaced.
    with output(junit, force=True) as stream:
        report = JUnitReport()
        outcome = run_checks(paths, check, workers, also=report.add, good=good)
        for message in outcome.unreadable:
            report.add_unreadable(message)
        report.write(stream)
    end(outcome)


def check_validity(raw: RawGame, *, json: bool) -> Checked:
    """The verdict on one game, with the line that the command writes about it (none if good)."""
    file, game, line, ok, error, message = validate_game(raw)
    if json:
        said: dict[str, object] = {"file": file, "game": game, "line": line, "ok": ok}
        if not ok:
            said |= {"error": error, "message": message}
        report = orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE)
    elif ok:
        report = b""
    else:
        report = f"{place(file, line, game)}: {printable(message or '')}\n".encode()
    return Checked(file, game, line, ok, error, message, report)
