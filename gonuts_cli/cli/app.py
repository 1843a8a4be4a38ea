"""The Typer application: which commands there are, and how they end (SPEC §8).

A command's module is imported when the command is called; all of them only for `--help` and for a
name that no command has.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gonuts_cli._version import __version__
from gonuts_cli.cli.ending import UNREADABLE, ending

COMMANDS = {
    "play": "play",
    "validate": "validate",
    "replay": "replay",
    "score-audit": "score_audit",
    "score": "score",
    "rules": "rules",
    "tournament": "tournament",
    "rank": "rank",
    "log": "log",
    "check-bot": "check_bot",
    "new-bot": "new_bot",
}
"""Every command and the module in `gonuts_cli.cli` that holds the function of that name."""


class _Gonuts(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        with ending():
            return super().invoke(ctx)


def _version(asked: bool) -> None:
    if asked:
        print(f"gonuts {__version__}")
        raise typer.Exit


def _application(names: Sequence[str]) -> typer.Typer:
    app = typer.Typer(
        name="gonuts",
        cls=_Gonuts,
        help="The referee for Go Nuts for Donuts played by programs.",
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )

    @app.callback()
    def gonuts(
        version: Annotated[
            bool,
            typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
        ] = False,
    ) -> None:
        pass

    for name in names:
        module = import_module(f"gonuts_cli.cli.{COMMANDS[name]}")
        command = getattr(module, COMMANDS[name])
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def run(arguments: list[str]) -> int:
    """Run one command line; returns its exit status."""
    known = arguments[:1] if arguments and arguments[0] in COMMANDS else list(COMMANDS)
    command = typer.main.get_command(_application(known))
    try:
        with ending():  # also of what options do at once, as --help does
            command.main(arguments, prog_name="gonuts")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else UNREADABLE
    return 0
