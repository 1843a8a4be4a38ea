"""Faults in words, for a bot's author: what came, and what would have been right."""

from __future__ import annotations

import signal
from typing import NamedTuple

import orjson

from gonuts_cli.players.base import Limits
from gonuts_cli.players.lines import excerpt
from gonuts_cli.rules.decisions import Decision

_NOTES = (
    "standard output is for messages only, one JSON object a line: print notes to standard error"
)


_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL, -signal.SIGXCPU, 128 + signal.SIGXCPU)
"""How a process ends that is killed; with 128 if another one, such as a sandbox's, tells of it."""


class Came(NamedTuple):
    """What came in place of an answer: bytes without a line end, and how many lines of no use.

    `stale` lines had another `id` than the request, which is `number` (None before `ready`); the
    last of them is `other`.
    `idle` ones are objects that answer nothing; the last of them is `last_idle`.
    """

    rest: bytes
    noise: int
    stale: int
    other: bytes
    number: int | None
    idle: int
    last_idle: bytes

    def words(self) -> str:
        """As the end of a sentence, "" for nothing."""
        words = ""
        if self.rest:
            words += f"; this came without a line end (is it flushed?): {excerpt(self.rest)}"
        if self.noise:
            words += f"; lines that came and are no JSON objects: {self.noise}"
        if self.stale:
            which = "" if self.number is None else f" that is not the number {self.number}"
            words += f"; lines that came with an `id`{which}: {self.stale}, the last was "
            words += excerpt(self.other)
        if self.idle:
            words += f"; objects that came and answer nothing: {self.idle}, the last was "
            words += excerpt(self.last_idle)
        return words

    def nothing(self) -> bool:
        """Whether nothing at all came."""
        return not (self.rest or self.noise or self.stale or self.idle)


def right(number: int, decision: Decision | None) -> str:
    """What would have been right, as a sentence."""
    if decision is None:
        return 'Right would be: {"type":"ready"}'
    answer = {"id": number, "choose": decision.default}
    return f"Right would be, for example: {orjson.dumps(answer).decode()}"


def no_object(line: bytes, reason: str, right: str) -> str:
    """A line that is no JSON object, where an answer is asked for."""
    return f"this line is {reason}: {excerpt(line)} — {_NOTES}. {right}"


def noise(line: bytes, reason: str) -> str:
    """The same before `ready`, where it is no fault."""
    return f"wrote a line before `ready` that is {reason}: {excerpt(line)} — {_NOTES}"


def no_choice(line: bytes, is_there: bool, right: str) -> str:
    """An answer to the request that chooses nothing."""
    what = "`choose` is not a list" if is_there else "there is no `choose`"
    return f"{what} in this answer: {excerpt(line)}. {right}"


def no_id(line: bytes, right: str) -> str:
    """An answer to no request."""
    return f"there is no `id` in this answer, so it answers nothing: {excerpt(line)}. {right}"


def too_late(budget: int, decision: Decision | None, limits: Limits, came: Came) -> str:
    """No answer within the `budget`, in milliseconds; no end of a sentence."""
    if decision is None:
        words = f"no `ready` came within {budget} ms"
    elif limits.game_ms is not None and budget < limits.move_ms:
        words = f"no whole answer came within the last {budget} of {limits.game_ms} ms for the game"
    else:
        words = f"no whole answer came within {budget} ms"
    if came.nothing():
        words += ", and nothing else (what a program prints it must flush, too)"
    return words + came.words()


def ended(status: int | None, at_start: bool, came: Came) -> str:
    """The process ended, or closed its output when `status` is None."""
    if status is None:
        words = "the bot closed its standard output"
    elif status < 0:
        words = f"the process was ended by {_signal_name(-status)}"
    else:
        words = f"the process ended with exit status {status}"
    if status in _KILLED:
        words += " (killed, which is also what a bound on memory or processor time does)"
    when = "before it was `ready`" if at_start else "before it answered"
    return f"{words} {when}{came.words()}. A bot lives until its standard input ends"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
