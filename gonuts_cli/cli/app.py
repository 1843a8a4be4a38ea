"""The Typer application: which commands there are, and how they end (SPEC §8).

A command's module is imported when the command is called; all of them only for `--help` and for a
name that no command has.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gonuts_cli._version import __version__
from gonuts_cli.errors import GonutsError
from gonuts_cli.show.safe import printable

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

UNREADABLE, INTERRUPTED = 2, 130


class _Gonuts(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        with _ending():
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()


@contextmanager
def _ending() -> Iterator[None]:
    """What a command may raise becomes a message for a person and an exit status."""
    try:
        yield
    except GonutsError as error:
        _say(str(error))
        raise typer.Exit(error.exit_status) from None
    except KeyboardInterrupt:
        _say("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # Whoever read the output has enough; the interpreter must not try to flush it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(UNREADABLE) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _say(f"{where}{error.strerror or error}{_remedy(error)}")
        if error.errno == errno.ENOSPC:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(UNREADABLE) from None


def _remedy(error: OSError) -> str:
    return " (free some space and run it again)" if error.errno == errno.ENOSPC else ""


def _say(message: str) -> None:
    lines = "\n".join(printable(line) for line in message.splitlines())
    print(f"gonuts: {lines}", file=sys.stderr)


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
            bool, typer.Option("--version", callback=_version, is_eager=True, help="Which this is.")
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
        command.main(arguments, prog_name="gonuts")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else UNREADABLE
    return 0
