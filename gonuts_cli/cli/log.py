"""`gonuts log`: list, choose, pack, compare and count games (SPEC §8)."""

from __future__ import annotations

import typer

from gonuts_cli.cli.log_diff import diff
from gonuts_cli.cli.log_forms import compact, expand
from gonuts_cli.cli.log_list import extract, list_games
from gonuts_cli.cli.log_stats import stats

log = typer.Typer(
    help="List, choose, pack, compare and count games.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
log.command("list")(list_games)
log.command("extract")(extract)
log.command("compact")(compact)
log.command("expand")(expand)
log.command("diff")(diff)
log.command("stats")(stats)
