"""A line that a bot wrote, read strictly against the request that is pending (SPEC §7).

The fast way is one `orjson.loads`. It refuses a few things that are JSON all the same (a number
beyond a double, half a surrogate pair), so what it refuses is read again, slowly, before a bot is
charged for it.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import orjson

from gonuts_cli.show.safe import printable

LONGEST_LINE = 64 * 1024
"""Bytes, without the line end (SPEC §7)."""
DEEPEST = 200
"""Nested deeper than this, a line that `orjson` refuses counts as no JSON."""

_TEXTS = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_EMPTY_LINES = re.compile(rb"[\r\n\t ]*\n")
_BRACKETS = re.compile(r"[\[\]{}]")


class NoObject(ValueError):
    """The line is not a JSON object; the text continues the sentence "this line is …"."""


def excerpt(line: bytes | bytearray, longest: int = 80) -> str:
    """The beginning of foreign bytes, safe to show."""
    text = printable(bytes(line[: longest + 1]).decode("utf-8", "backslashreplace").strip("\r\n"))
    return text if len(text) <= longest else f"{text[:longest]}…"


def read_object(line: bytes | bytearray) -> dict[str, Any]:
    """The JSON object on a line (line end allowed); raises NoObject."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = _read_slowly(bytes(line))
    if type(value) is dict:
        return value
    raise NoObject(f"JSON, but {_kind(value)} and not an object")


def _read_slowly(line: bytes) -> Any:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NoObject(f"not UTF-8 (byte {error.start + 1} is 0x{line[error.start]:02x})") from None
    if text.startswith("\ufeff"):
        raise NoObject("preceded by a byte order mark (U+FEFF), which JSON lines do not have")
    depth = 0
    for bracket in _BRACKETS.findall(_TEXTS.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > DEEPEST:
            raise NoObject(f"nested more than {DEEPEST} levels deep")
    try:
        return json.loads(text, parse_int=_whole_number, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise NoObject(f"no JSON ({error.msg}, column {error.colno})") from None


def _whole_number(digits: str) -> int | float:
    """Numbers of hundreds of digits are JSON, but none of ours: which one it is does not matter."""
    return int(digits) if len(digits) <= 20 else float(digits)


def _no_constant(word: str) -> NoReturn:
    raise NoObject(f"no JSON: {word} is not a JSON value")


def _kind(value: object) -> str:
    names = {list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


class LineBuffer:
    """Bytes as they come, and the whole lines in them in order."""

    def __init__(self) -> None:
        self.held = bytearray()
        """What is there and not read. Read it; only the buffer changes it."""
        self._searched = 0

    def feed(self, data: bytes) -> None:
        """Take in a piece."""
        self.held += data

    def next(self) -> bytes | None:
        """The next line that is not empty, its end included; None until there is one."""
        while True:
            end = self.held.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self.held)
                return None
            if end > LONGEST_LINE:
                return None
            line = bytes(self.held[: end + 1])
            self._take(end + 1)
            if not line.isspace():
                return line
            # Many empty lines in one step: there may be a million.
            empty = _EMPTY_LINES.match(self.held)
            if empty is not None:
                self._take(empty.end())

    def _take(self, size: int) -> None:
        del self.held[:size]
        self._searched = 0

    @property
    def is_too_long(self) -> bool:
        """Whether, after `next` gave None, a line is there that is longer than LONGEST_LINE."""
        return len(self.held) > LONGEST_LINE

    def clear(self) -> None:
        """Forget all."""
        self._take(len(self.held))
