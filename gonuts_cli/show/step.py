"""Going through a story key by key on a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from gonuts_cli.errors import UsageError
from gonuts_cli.show.human import held_text
from gonuts_cli.show.lang import Lang, texts
from gonuts_cli.show.paint import Paint
from gonuts_cli.show.text import Beat

_KEYS = {
    " ": "next", "\r": "next", "\n": "next", "\x1b[C": "next", "\x1bOC": "next",
    "\x1b[D": "back", "\x1bOD": "back", "\x7f": "back", "\x08": "back",
    "n": "next round", "\x1b[B": "next round", "\x1bOB": "next round",
    "p": "round before", "\x1b[A": "round before", "\x1bOA": "round before",
    "q": "quit", "\x04": "quit", "\x1b": "quit",
}  # fmt: skip
_KEY = re.compile(r"\x1b[\[O][A-Za-z]|.", re.S)
_CLEAR = "\x1b[H\x1b[2J"


@contextmanager
def terminal_keys() -> Iterator[Iterator[str]]:
    """What the keys pressed on standard input mean, as they are pressed; "quit" at its end.

    Raises UsageError when standard input or output is no terminal. The terminal is left as it was.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "--step shows the game key by key, which takes a terminal for standard input and "
            "output; leave --step out to see it all at once"
        )
    # Not on every system; where there is no terminal to set there was none above either.
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield _read_keys(descriptor)
    finally:
        # At once, not when all output is gone: nobody may be reading that any more.
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


def _read_keys(descriptor: int) -> Iterator[str]:
    while pressed := os.read(descriptor, 64):
        for key in _KEY.findall(pressed.decode("ascii", "replace")):
            meaning = _KEYS.get(key)
            if meaning is not None:
                yield meaning
    yield "quit"


def step_through(
    beats: Sequence[Beat],
    names: Sequence[str],
    keys: Iterator[str],
    out: TextIO,
    lang: Lang,
    paint: Paint,
) -> bool:
    """Show a game's beats as `keys` want, from the first; False when the reader quits."""
    at = 0
    while True:
        out.write(_CLEAR + _screen(beats, at, names, lang, paint))
        out.flush()
        key = next(keys)
        if key == "quit":
            return False
        if key == "next":
            at += 1
            if at == len(beats):
                return True
        elif key == "back":
            at = max(0, at - 1)
        elif key == "next round":
            at = _first_of_round(beats, beats[at].round + 1, len(beats) - 1)
        else:
            this = _first_of_round(beats, beats[at].round, 0)
            at = this if this < at else _first_of_round(beats, beats[at].round - 1, 0)


def _first_of_round(beats: Sequence[Beat], wanted: int, otherwise: int) -> int:
    return next((at for at, beat in enumerate(beats) if beat.round == wanted), otherwise)


def _screen(beats: Sequence[Beat], at: int, names: Sequence[str], lang: Lang, paint: Paint) -> str:
    """The round so far, and what everybody holds."""
    say = texts(lang)
    now = beats[at]
    lines = [line for beat in beats[: at + 1] if beat.round == now.round for line in beat.lines]
    lines.append("")
    for seat, held in enumerate(now.tableaus):
        cards = held_text(held, lang) or say.holds_nothing
        lines.append(say.labelled(paint.player(seat, names), cards))
    lines += ["", paint.faint(f"{at + 1}/{len(beats)}  {say.step_keys}"), ""]
    return "\n".join(lines)
