"""Why a bot's command cannot be started, found out before the first game."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from gonuts_cli.errors import UsageError
from gonuts_cli.show.safe import printable


def find_program(program: str, folder: str | Path = "") -> str:
    """Where a command's first word is; raises UsageError with the remedy when it cannot be run.

    Words with a slash are looked up in `folder`, as the system does when the bot is started there.
    """
    path = os.path.join(folder, program) if "/" in program else program
    found = shutil.which(path)
    if found is None:
        raise UsageError(_why_not(program, path))
    if _first_line(found).endswith(b"\r\n"):
        raise UsageError(
            f"{printable(program)}: its first line ends with CR LF, so that what it names is not "
            "found: save it with line ends of LF alone"
        )
    interpreter = interpreter_of(found)
    if interpreter is not None and not os.path.exists(interpreter):
        raise UsageError(
            f"{printable(program)} names {printable(interpreter)} in its first line, behind #!, "
            "and that is not there"
        )
    return found


def _why_not(program: str, path: str) -> str:
    from gonuts_cli.players.builtin import BUILTINS

    shown = printable(program)
    if program in BUILTINS:
        return f"no such command: {shown}; the bot that comes with gonuts is builtin:{program}"
    if "/" not in program and os.path.isfile(program):
        return f"no such command: {shown}; a program in this folder is called ./{shown}"
    if os.path.isdir(path):
        return f"{shown} is a folder, and no command"
    if os.path.exists(path):
        return (
            f"{shown} cannot be run: make it executable (chmod +x), "
            f"or write its interpreter before it (python3 {shown})"
        )
    hint = ""
    if "=" in program:
        hint = "; a name before = has letters, digits and . _ - only"
    return f"no such command: {shown}{hint}"


def interpreter_of(path: str | Path) -> str | None:
    """What the first line of a script names to run it; None for a program that is no script."""
    words = _first_line(path)[2:].split(maxsplit=1)
    return os.fsdecode(words[0]) if words else None


def _first_line(path: str | Path) -> bytes:
    """The first line of a script, with its end; nothing of any other program."""
    try:
        with open(path, "rb") as file:
            first = file.readline(256)
    except OSError:
        return b""
    return first if first.startswith(b"#!") else b""
