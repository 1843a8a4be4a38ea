"""`gonuts log compact` and `gonuts log expand`: between the two forms of a log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from gonuts_cli.cli.archives import Outcome, Reading, end
from gonuts_cli.cli.log_list import FORCE, OUT, refuse
from gonuts_cli.cli.validate import PATHS
from gonuts_cli.log.compact import compact_game, expand_game, is_compact
from gonuts_cli.log.decode import LogError
from gonuts_cli.log.output import GameStream, output
from gonuts_cli.log.reader import LONGEST_GAME


def compact(
    paths: Annotated[list[str], PATHS],
    out: Annotated[str | None, OUT] = None,
    force: Annotated[bool, FORCE] = False,
) -> None:
    """Write games in three lines each.

    What is left is what does not follow from the seed and the answers.

    `gonuts log expand` gives back every byte. A game that cannot be given back so (it is damaged or
    unfinished) is named and written as it is, and the status is 1.
    """
    _rewrite(paths, out, force, compact_game)


def expand(
    paths: Annotated[list[str], PATHS],
    out: Annotated[str | None, OUT] = None,
    force: Annotated[bool, FORCE] = False,
) -> None:
    """Write compact games as whole logs.

    Games that are whole stay as they are.

    A compact game that is damaged is named and written as it is, and the status is 1.
    """
    _rewrite(paths, out, force, lambda data: expand_game(data) if is_compact(data) else data)


def _rewrite(
    paths: list[str], out: str | None, force: bool, form: Callable[[bytes], bytes]
) -> None:
    reading = Reading(paths)
    bad = 0
    with output(out, force=force) as stream:
        games = GameStream(stream)
        for raw in reading:
            data = raw.data
            too_long = len(data) >= LONGEST_GAME  # the reader did not keep all of it
            try:
                if too_long:
                    raise LogError("too_long", 1, "this is longer than any game: it is no log")
                data = form(data)
            except LogError as fault:
                bad += 1
                reading.hide_progress()
                refuse(raw, fault, "left out: " if too_long else "kept as it is: ")
            if not too_long:
                games.write(data)
    end(Outcome(bad, reading.unreadable))
