"""`gonuts rank`: the standings that any logs make (SPEC §8)."""

from __future__ import annotations

from typing import Annotated

import typer

from gonuts_cli.errors import UnreadableInput


def rank(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Files or folders of logs, or -.")
    ],
    json: Annotated[bool, typer.Option("--json", help="As in results.json, on one line.")] = False,
) -> None:
    """Rank the players of all games.

    Win share, points and rating, with intervals; and who was ahead of whom.
    """
    from gonuts_cli.cli.archives import Reading
    from gonuts_cli.cli.common import before_ranking, one_thread, write_json

    one_thread()
    from gonuts_cli.arena.results import Count, results
    from gonuts_cli.show.standings import pairs_text, standings_text

    reading = Reading(paths)
    count = Count()
    bad: UnreadableInput | None = None
    for game in reading:
        try:
            count.add(game)
        except UnreadableInput as error:
            bad = error
            break
    reading.hide_progress()
    if bad is not None:
        raise UnreadableInput(f"{bad}. A ranking of the other games would not be that of the logs")
    if reading.unreadable:
        raise typer.Exit(2)
    before_ranking(len(count.tally.names))
    ranking = count.ranking()
    if json:
        write_json(results(ranking, None))
    else:
        print(standings_text(ranking))
        print()
        print(pairs_text(ranking))
