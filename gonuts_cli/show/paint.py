"""Colour for terminals, and none anywhere else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from gonuts_cli.show.safe import printable

# One colour a seat, told apart on dark and on light backgrounds; the 16 old colours follow the
# reader's own palette.
_SEATS = ("36", "33", "35", "32", "34", "31")


@dataclass(frozen=True, slots=True)
class Paint:
    """Puts colour around texts, or leaves them as they are."""

    colour: bool

    @classmethod
    def of(cls, stream: TextIO) -> Paint:
        """Colour if `stream` is a terminal that has it and `NO_COLOR` is not set."""
        return cls(
            stream.isatty()
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM", "dumb") != "dumb"
        )

    def _put(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text

    def strong(self, text: str) -> str:
        return self._put("1", text)

    def faint(self, text: str) -> str:
        return self._put("2", text)

    def fault(self, text: str) -> str:
        return self._put("1;31", text)

    def card(self, text: str) -> str:
        return self._put("1", text)

    def player(self, seat: int, names: Sequence[str]) -> str:
        """A player's name, made printable."""
        return self._put(_SEATS[seat % len(_SEATS)], printable(names[seat]))


PLAIN = Paint(colour=False)
