"""A bot that is a process: lines over socket pairs, read as SPEC §7 says, never waited for here."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import orjson

from gonuts_cli.errors import UsageError
from gonuts_cli.players.base import NEVER, Fault, Limits, Ready, Reply
from gonuts_cli.players.hub import READ, WRITE, Hub
from gonuts_cli.players.keeper import Child
from gonuts_cli.players.lines import NoObject, excerpt, read_object
from gonuts_cli.players.notes import Notes
from gonuts_cli.rules.decisions import Decision
from gonuts_cli.rules.view import View
from gonuts_cli.show.safe import printable

LONGEST_LINE = 64 * 1024
"""Bytes, without the line end (SPEC §7)."""
MOST_OUTPUT = 1024 * 1024
"""Bytes between two requests (SPEC §7)."""
GRACE = 1.0
"""Seconds that a bot has to end after its input ended."""

_PIECE = 64 * 1024
_LAST_LOOK = 256 * 1024
"""Bytes: more than a socket holds, so a last look ends however fast a bot writes."""
_LINE = orjson.OPT_APPEND_NEWLINE
_EMPTY_LINES = re.compile(rb"[\r\n\t ]*\n")


class Starter(Protocol):
    """Who starts and ends processes: the Keeper, or a test."""

    def start(self, command: Sequence[str], folder: Path | None = None) -> Child: ...
    def end(self, child: Child) -> None: ...


class ProcessSeat:
    """A seat (see base.Seat) played by a process, which may live for several games."""

    def __init__(
        self, command: Sequence[str], hub: Hub, keeper: Starter, folder: Path | None = None
    ) -> None:
        """Nothing is started yet; `folder` is where the command runs."""
        self.command = tuple(command)
        self.reply: Reply | None = None
        self.deadline = NEVER
        self.used = 0.0
        self.added = 0.0
        self.stale = 0
        self.remarks: list[str] = []
        self.notes = Notes()
        self.ready: Ready | None = None
        self._hub = hub
        self._keeper = keeper
        self._folder = folder
        self._child: Child | None = None
        self._limits = Limits()
        self._hello = b""
        self._id = 0
        self._decision: Decision | None = None
        self._asked = 0.0
        self._budget = 0.0
        self._game_used = 0.0
        self._kept = False
        self._in = bytearray()
        self._scanned = 0
        self._received = 0
        self._ended = False
        self._listening = False
        self._out = b""
        self._told: list[bytes] = []
        self._noise = 0
        self._leaving_until = 0.0

    # The process

    def start(self) -> None:
        """Start the process now, ahead of its first game; raises UsageError when that fails."""
        try:
            self._start()
        except OSError as error:
            shown = printable(self.command[0])
            raise UsageError(f"cannot start {shown}: {error.strerror}") from None

    def _start(self) -> None:
        child = self._keeper.start(self.command, self._folder)
        self._child = child
        self._id = 0
        self._in.clear()
        self._scanned = 0
        self._ended = False
        self._out = b""
        self._hub.register(child.stderr.fileno(), READ, self._drain_notes)
        self._listen()

    def _listen(self) -> None:
        if not self._listening and not self._ended and self._child is not None:
            self._listening = True
            self._hub.register(self._child.stdout.fileno(), READ, self._readable)

    def _ignore(self) -> None:
        if self._listening and self._child is not None:
            self._listening = False
            self._hub.unregister(self._child.stdout.fileno())

    def close(self) -> None:
        """End the process and all that it started."""
        child = self._child
        if child is None:
            return
        self._drain_notes()
        self._ignore()
        self._hub.unregister(child.stderr.fileno())
        self._hub.unregister(child.stdin.fileno())
        self._child = None
        self._keeper.end(child)

    put_out = close

    # Requests

    def begin(self, hello: Mapping[str, Any], limits: Limits) -> None:
        """Say hello, to a new process unless a kept one is still there."""
        self._limits = limits
        self._hello = orjson.dumps(hello, option=_LINE)
        self._game_used = 0.0
        self.used = self.added = 0.0
        self.stale = 0
        self.remarks = []
        self._told.clear()
        self._noise = 0
        self._kept = self._child is not None and self.ready is not None
        self.ready = None
        if self._kept and self._child is not None and self._child.status() is not None:
            self.close()
            self._kept = False
        self._say_hello()

    def _say_hello(self) -> None:
        self.reply = None
        self._decision = None
        if self._child is None:
            try:
                self._start()
            except OSError as error:
                words = f"{printable(self.command[0])} cannot be started: {error.strerror}"
                self.reply = Fault("no_start", words)
                return
        self._clock_on(self._limits.start_ms / 1000)
        self._send(self._hello)
        self._read_lines()

    def ask(self, decision: Decision, view: View) -> None:
        """Send a `decide` message and what was told before it."""
        self.reply = None
        self._decision = decision
        self._id += 1
        player, kind, options, counts = decision
        line = orjson.dumps(
            {
                "type": "decide",
                "id": self._id,
                "player": player,
                "decision": kind,
                "options": options,
                "counts": counts,
                "view": view,
            },
            option=_LINE,
        )
        budget = self._limits.move_ms / 1000
        if self._limits.game_ms is not None:
            budget = min(budget, max(0.0, self._limits.game_ms / 1000 - self._game_used))
        self._clock_on(budget)
        if self._told:
            self._told.append(line)
            line = b"".join(self._told)
            self._told.clear()
        self._send(line)
        if self._in or self._ended:
            self._read_lines()

    def _clock_on(self, budget: float) -> None:
        self._asked = self._hub.tick()
        self._budget = budget
        self.deadline = self._hub.now + budget
        self._received = 0
        self._listen()

    def tell(self, line: bytes) -> None:
        """Keep a line until the next request or `flush`."""
        self._told.append(line)

    def flush(self) -> None:
        """Send what was told."""
        if self._told:
            lines = b"".join(self._told)
            self._told.clear()
            self._send(lines)

    def charged(self, fault: Fault, choose: tuple[Any, ...]) -> None:
        """Send a `fault` message."""
        message = {
            "type": "fault",
            "id": self._id,
            "fault": fault.word,
            "message": fault.message,
            "choose": choose,
        }
        self.tell(orjson.dumps(message, option=_LINE))
        self.flush()

    def _send(self, data: bytes) -> None:
        if self._child is None:
            return
        if self._out:
            self._out += data
            return
        try:
            sent = self._child.stdin.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            return  # It closed its input; what follows from that, its output will show.
        if sent < len(data):
            self._out = data[sent:]
            self._hub.register(self._child.stdin.fileno(), WRITE, self._writable)

    def _writable(self) -> None:
        if self._child is None:
            return
        data, self._out = self._out, b""
        self._hub.unregister(self._child.stdin.fileno())
        self._send(data)

    # Answers

    def _readable(self) -> None:
        if self.reply is not None:
            self._ignore()  # Lines that come while none is pending wait.
            return
        if self._receive():
            self._read_lines()

    def _receive(self) -> int:
        """Take one piece of what has come; the number of bytes, 0 for none or the end."""
        if self._child is None or self._ended:
            return 0
        try:
            data = self._child.stdout.recv(_PIECE)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if not data:
            self._ignore()
            self._ended = True
            self._read_lines()
            return 0
        self._in += data
        self._received += len(data)
        return len(data)

    def _read_lines(self) -> None:
        """Read lines in order until one settles the pending request (SPEC §7)."""
        lines = self._in
        while self.reply is None:
            end = lines.find(b"\n", self._scanned)
            if end < 0:
                self._scanned = len(lines)
                break
            if end > LONGEST_LINE:
                break
            line = bytes(lines[: end + 1])
            del lines[: end + 1]
            self._scanned = 0
            if line.isspace():
                empty = _EMPTY_LINES.match(lines)
                if empty is not None:
                    del lines[: empty.end()]
                continue
            self._read_line(line)
        if self.reply is not None:
            return
        if len(lines) > LONGEST_LINE:
            words = f"a line of more than {LONGEST_LINE} bytes came: {excerpt(lines)}"
            self._settle(self._fault("flooded", words))
        elif self._received > MOST_OUTPUT:
            words = f"more than {MOST_OUTPUT} bytes came where one line was asked for"
            self._settle(self._fault("flooded", words))
        elif self._ended:
            self._settle(self._fault("crashed", self._how_it_ended()))

    def _read_line(self, line: bytes) -> None:
        try:
            message = read_object(line)
        except NoObject as error:
            if self._decision is None:
                self._note_noise(line, str(error))
            else:
                self._settle(self._fault("malformed", self._no_object(line, str(error))))
            return
        if self._decision is None:
            if message.get("type") == "ready":
                self._settle(_ready(message))
            elif "id" in message:
                self.stale += 1
            return
        answered = message.get("id")
        if answered == self._id and type(answered) is int:
            choose = message.get("choose")
            if type(choose) is list:
                self._settle(choose)
            else:
                what = "has no list under `choose`" if "choose" in message else "has no `choose`"
                self._settle(
                    self._fault("malformed", f"the answer {what}: {excerpt(line)}. {self._right()}")
                )
        elif "id" in message:
            self.stale += 1
        elif "choose" in message:
            words = f"the answer has no `id`, so it answers no request: {excerpt(line)}. "
            self._settle(self._fault("malformed", words + self._right()))

    def _settle(self, reply: Reply) -> None:
        """The wait for the pending request is over; account for the time it took."""
        hub = self._hub
        if isinstance(reply, Ready):
            self.ready = reply
        elif self._kept and isinstance(reply, Fault) and reply.word == "crashed":
            # A kept process that was ending when the game began: start anew, without fault.
            self._kept = False
            self.close()
            self._say_hello()
            return
        self.reply = reply
        elapsed = hub.now - hub.late - self._asked
        self.used = used = max(0.0, min(elapsed, self._budget))
        self.added = hub.clock() - hub.late - self._asked - used
        if self._decision is not None:
            self._game_used += used

    def expire(self) -> None:
        """Look a last time: what is there counts as in time."""
        seen = 0
        while self.reply is None and seen < _LAST_LOOK:
            size = self._receive()
            if not size:
                break
            seen += size
            self._read_lines()
        if self.reply is not None or self._hub.now < self.deadline:
            return
        word = "no_start" if self._decision is None else "timeout"
        self._settle(self._fault(word, self._too_late()))

    def check(self) -> None:
        """Find out about a process that ended while a child of it holds its output open."""
        if self._child is not None and not self._ended and self._child.status() is not None:
            while self.reply is None and self._receive():
                self._read_lines()
            if self.reply is None:
                self._ignore()
                self._ended = True
                self._read_lines()

    # The end of a game

    def leave(self, game_over: bytes, keep: bool) -> None:
        """Say how the game ended, then end the bot's input unless it waits for another game."""
        if self._child is None:
            return
        self.tell(game_over)
        self.flush()
        if keep and self.ready is not None and self.ready.reuse and not self._ended:
            self._leaving_until = 0.0
            return
        self._ignore()
        self._leaving_until = self._hub.clock() + GRACE
        self._end_input()

    def gone(self) -> bool:
        """Whether the process is kept, has ended, or had its time to end; then it is closed."""
        if self._child is None or not self._leaving_until:
            return True
        if self._child.status() is None and self._hub.clock() < self._leaving_until:
            self._end_input()
            return False
        self._leaving_until = 0.0
        self.close()
        return True

    def _end_input(self) -> None:
        """Close the bot's input when all is sent."""
        if self._child is not None and not self._out:
            self._hub.unregister(self._child.stdin.fileno())
            self._child.stdin.close()

    # Words

    def _drain_notes(self) -> None:
        if self._child is None:
            return
        for _ in range(_LAST_LOOK // _PIECE):
            try:
                data = self._child.stderr.recv(_PIECE)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._hub.unregister(self._child.stderr.fileno())
                return
            self.notes.add(data)

    def last_words(self) -> str:
        """The end of what it wrote on standard error."""
        return self.notes.last()

    def illegal(self, reason: str) -> Fault:
        """The fault of an answer that the decision does not allow."""
        return self._fault("illegal", f"{reason}. {self._right()}")

    def _fault(self, word: str, message: str) -> Fault:
        self._drain_notes()
        said = self.last_words().rpartition("\n")[2]
        if said:
            message += f" Its last line on standard error: {excerpt(said.encode(), 200)}"
        return Fault(word, message)

    def _right(self) -> str:
        """What would have been right, as a sentence."""
        if self._decision is None:
            return 'Right would be: {"type":"ready"}'
        answer = {"id": self._id, "choose": self._decision.default}
        return f"Right would be, for example: {orjson.dumps(answer).decode()}"

    def _no_object(self, line: bytes, reason: str) -> str:
        return (
            f"this line is {reason}: {excerpt(line)}. Standard output is for answers only, one "
            f"JSON object a line; print notes to standard error. {self._right()}"
        )

    def _note_noise(self, line: bytes, reason: str) -> None:
        """A line before `ready` that is no JSON object is dropped without fault (SPEC §5)."""
        self._noise += 1
        if self._noise == 1:
            self.remarks.append(
                f"wrote a line before `ready` that is {reason}: {excerpt(line)}. It was dropped; "
                "standard output is for messages only: print notes to standard error"
            )

    def _too_late(self) -> str:
        limit = round(self._budget * 1000)
        if self._decision is None:
            words = f"no `ready` came within {limit} ms"
        elif self._limits.game_ms is not None and limit < self._limits.move_ms:
            words = f"no whole answer came within the {limit} ms left of {self._limits.game_ms} ms"
            words += " for the game"
        else:
            words = f"no whole answer came within {limit} ms"
        return f"{words}{self._what_came()}. {self._right()}"

    def _what_came(self) -> str:
        words = ""
        if self._in:
            words += f"; this came without a line end (is it flushed?): {excerpt(self._in)}"
        if self._noise:
            words += f"; lines that are no JSON objects: {self._noise}"
        if self.stale:
            words += f"; answers to other requests in this game: {self.stale}"
        return words

    def _how_it_ended(self) -> str:
        status = None if self._child is None else self._child.status(0.05)
        if status is None:
            words = "the bot closed its standard output"
        elif status < 0:
            words = f"the process was ended by {_signal_name(-status)}"
        else:
            words = f"the process ended with exit status {status}"
        before = "before it was `ready`" if self._decision is None else "before it answered"
        return (
            f"{words} {before}{self._what_came()}. A bot must live until its standard input ends."
        )


def _ready(message: Mapping[str, Any]) -> Ready:
    name = message.get("name")
    return Ready(
        name if isinstance(name, str) else "",
        message.get("events") is True,
        message.get("reuse") is True,
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
