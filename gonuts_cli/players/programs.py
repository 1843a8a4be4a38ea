"""Why a bot's command cannot be started, found out before the first game."""

from __future__ import annotations

import codecs
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from gonuts_cli.errors import UsageError
from gonuts_cli.show.safe import printable

_MOST_NESTED = 4
"""How deep a script may be run by scripts, as Linux has it."""
_FOR_EXAMPLE = "#!/usr/bin/env python3"
_LOOKED_AT = 256
"""Bytes: as far as Linux looks for what a script names to run it."""


def find_program(program: str, folder: str | Path = "") -> str:
    """Where a command's first word is; raises UsageError with the remedy when it cannot be run.

    Words with a slash are looked up in `folder`, as the system does when the bot is started there.
    """
    path = os.path.join(folder, program) if "/" in program else program
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    # There, too, the system looks from the folder on.
    found = shutil.which(path, path=os.pathsep.join(os.path.join(folder, p or ".") for p in places))
    if found is None:
        raise UsageError(_why_not(program, path))
    if not os.path.isfile(found):
        raise UsageError(
            f"{printable(program)} is no file that could be run, but a device or a pipe"
        )
    wrong = _what_is_wrong(found, folder)
    if wrong is not None:
        raise UsageError(f"{printable(program)} {wrong}")
    return found


def _what_is_wrong(path: str, folder: str | Path, nested: int = 0) -> str | None:
    """Why the system cannot run an executable file in a folder, if a look at it tells."""
    start = _start(path)
    if start is None:
        return None
    if start.startswith(codecs.BOM_UTF8 + b"#!"):
        return "begins with a byte order mark: save it as UTF-8 without one"
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "is a text in UTF-16: save it as UTF-8"
    if not start.startswith(b"#!"):
        if not start:
            return f"is empty: a script begins with {_FOR_EXAMPLE}"
        if b"\0" in start:
            return None
        return f"is a text whose first line is not one such as {_FOR_EXAMPLE}: write one"
    if nested > _MOST_NESTED:
        return "is one script too many: name a program instead"
    if _names_a_cr(_first_words(start), folder):
        return (
            "has a first line that ends with CR LF, so that what it names is not found: save it "
            "with line ends of LF alone"
        )
    interpreter = interpreter_of(path)
    if interpreter is None:
        return (
            f"names nothing in its first line, behind #!, that could run it: write {_FOR_EXAMPLE}"
        )
    its_path = os.path.join(folder, interpreter)
    if os.path.isfile(its_path) and os.access(its_path, os.X_OK):
        is_what = _what_is_wrong(its_path, folder, nested + 1)
        if is_what is None:
            return None
    elif os.path.isfile(its_path):
        is_what = "may not be run: chmod +x"
    else:
        is_what = "is no program" if os.path.exists(its_path) else "is not there"
        is_what += f": install it, or write {_FOR_EXAMPLE}"
    return f"names {printable(interpreter)} in its first line, behind #!, and that {is_what}"


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
            "or write what runs it before it (as in python3 bot.py)"
        )
    hint = ""
    if program.startswith("~"):
        hint = "; no shell reads it, so write the folder's name instead of ~"
    if "=" in program:
        hint = "; a name before = has letters, digits and . _ - only"
    return f"no such command: {shown}{hint}"


def interpreter_of(path: str | Path) -> str | None:
    """What the first line of a script names to run it; None for a program that is no script."""
    start = _start(path) or b""
    return os.fsdecode(_first_words(start)[0]) or None if start.startswith(b"#!") else None


def _first_words(start: bytes) -> list[bytes]:
    """What the system makes of a script's first line: a name, and perhaps one argument."""
    line = start.partition(b"\n")[0].partition(b"\0")[0][2:]
    return line.replace(b"\t", b" ").strip(b" ").split(b" ", 1)


def _names_a_cr(words: Sequence[bytes], folder: str | Path) -> bool:
    """Whether a name in a first line ends with CR, and nothing that is there is called so.

    Behind an option most programs take a CR for a blank.
    """
    last = os.fsdecode(words[-1]).strip(" ")
    if not last.endswith("\r") or last.startswith("-"):
        return False
    if len(words) == 1:
        return not os.path.isfile(os.path.join(folder, last))
    return words[0].endswith(b"/env") and shutil.which(last) is None


def _start(path: str | Path) -> bytes | None:
    """The first bytes of a program; None of one that may be run, but not read."""
    try:
        with open(path, "rb") as file:
            return file.read(_LOOKED_AT)
    except OSError:
        return None
