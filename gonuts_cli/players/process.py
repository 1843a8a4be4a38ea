"""A bot that is a process: lines over socket pairs, read as SPEC §7 says, never waited for here."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import orjson

from gonuts_cli.errors import UsageError
from gonuts_cli.players import complaints, messages
from gonuts_cli.players.base import NEVER, Fault, Limits, Ready, Reply
from gonuts_cli.players.hub import READ, WRITE, Hub
from gonuts_cli.players.keeper import Child
from gonuts_cli.players.lines import LONGEST_LINE, LineBuffer, NoObject, excerpt, read_object
from gonuts_cli.players.messages import Seen
from gonuts_cli.players.notes import Notes
from gonuts_cli.rules.decisions import Decision
from gonuts_cli.show.safe import printable

MOST_OUTPUT = 1024 * 1024
"""Bytes between two requests (SPEC §7)."""
GRACE = 1.0
"""Seconds that a bot has to end after its input ended."""

_EXIT = 0.05
"""Seconds to wait for the exit status of a process that has closed its output."""
_PIECE = 64 * 1024
_LAST_LOOK = 256 * 1024
"""Bytes: more than a socket holds, so a last look ends however fast a bot writes."""
_LINE = orjson.OPT_APPEND_NEWLINE


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
        self._dropped = b""
        self._idle = 0
        self._last_idle = b""
        self._told_of = ""
        self.processes = 0
        """How many were started for the seat."""
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
        self._in = LineBuffer()
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
            remedy = ""
            if error.errno == errno.ENOEXEC:
                remedy = ": it is no program, or one for machines of another kind"
            elif error.errno == errno.ENOENT and error.filename == self.command[0]:
                remedy = ": it, or what it names to load or to run it, is not there"
            raise UsageError(f"cannot start {shown}: {error.strerror}{remedy}") from None

    def _start(self) -> None:
        child = self._keeper.start(self.command, self._folder)
        self.processes += 1
        self._child = child
        self._id = 0
        self._in.clear()
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

    def ask(self, decision: Decision, seen: Seen) -> None:
        """Send a `decide` message and what was told before it."""
        self.reply = None
        self._decision = decision
        self._id += 1
        line = orjson.dumps(messages.decide(self._id, decision, seen.json), option=_LINE)
        budget = self._limits.move_ms / 1000
        if self._limits.game_ms is not None:
            budget = min(budget, max(0.0, self._limits.game_ms / 1000 - self._game_used))
        self._clock_on(budget)
        if self._told:
            self._told.append(line)
            line = b"".join(self._told)
            self._told.clear()
        self._send(line)
        if self._in.held or self._ended:
            self._read_lines()

    def _clock_on(self, budget: float) -> None:
        self._asked = self._hub.tick()
        self._budget = budget
        self.deadline = self._hub.now + budget
        self._received = 0
        self._idle = 0
        if not self._listening:
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
        self._told_of = fault.message
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
        if self._receive() and self.reply is None:
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
        size = len(data)
        self._received += size
        # Most often it is one line, and the answer: to read it as it came saves 3 % of an exchange.
        whole = data.find(b"\n") == size - 1 <= LONGEST_LINE and not data.isspace()
        if whole and not self._in.held and self._received <= MOST_OUTPUT:
            self._read_line(data)
        else:
            self._in.feed(data)
        return size

    def _read_lines(self) -> None:
        """Read lines in order until one settles the pending request (SPEC §7)."""
        while self.reply is None:
            line = self._in.next()
            if line is None or self._received - len(self._in.held) > MOST_OUTPUT:
                break
            self._read_line(line)
        if self.reply is not None:
            return
        if self._in.is_too_long:
            words = f"a line of more than {LONGEST_LINE} bytes came: {excerpt(self._in.held)}"
            self._settle(self._fault("flooded", words))
        elif self._received > MOST_OUTPUT:
            words = f"more than {MOST_OUTPUT} bytes came where one line was asked for"
            self._settle(self._fault("flooded", words))
        elif self._ended:
            status = None if self._child is None else self._child.status(_EXIT)
            words = complaints.ended(status, self._decision is None, self._came())
            self._settle(self._fault("crashed", words))

    def _read_line(self, line: bytes) -> None:
        if self._noise and self._decision is None and line.lstrip()[:1] != b"{":
            self._noise += 1  # There may be very many, and they are of no interest.
            return
        try:
            message = read_object(line)
        except NoObject as error:
            if self._decision is not None:
                words = complaints.no_object(line, str(error), self._right())
                self._settle(self._fault("malformed", words))
                return
            # Before `ready` such lines are noted and dropped (SPEC §5); one remark is enough.
            self._noise += 1
            if self._noise == 1:
                self.remarks.append(complaints.noise(line, str(error)))
            return
        if self._decision is None:
            if message.get("type") == "ready":
                self._settle(_ready(message))
            elif "id" in message:
                self._drop(line)
            else:
                self._pass_over(line)
            return
        answered = message.get("id")
        if answered == self._id and type(answered) is int:
            choose = message.get("choose")
            if type(choose) is list:
                self._settle(choose)
                return
            words = complaints.no_choice(line, "choose" in message, self._right())
            self._settle(self._fault("malformed", words))
        elif "id" in message:
            self._drop(line)
        elif "choose" in message:
            self._settle(self._fault("malformed", complaints.no_id(line, self._right())))
        else:
            self._pass_over(line)

    def _drop(self, line: bytes) -> None:
        """Count an answer to another request."""
        self.stale += 1
        self._dropped = line

    def _pass_over(self, line: bytes) -> None:
        """Count an object that is no answer to anything."""
        self._idle += 1
        self._last_idle = line

    def _settle(self, reply: Reply) -> None:
        """The wait for the pending request is over; account for the time it took."""
        if isinstance(reply, Ready):
            self.ready = reply
            self._kept = False
        elif self._kept and isinstance(reply, Fault) and reply.word == "crashed":
            # A kept process that was ending when the game began: start anew, without fault.
            self._kept = False
            self.close()
            self._say_hello()
            return
        self.reply = reply
        hub = self._hub
        asked = self._asked + hub.late  # on the hub's clock
        self.used = used = max(0.0, min(hub.now - asked, self._budget))
        self.added = hub.clock() - asked - used
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
        words = complaints.too_late(
            round(self._budget * 1000), self._decision, self._limits, self._came()
        )
        word = "no_start" if self._decision is None else "timeout"
        self._settle(self._fault(word, f"{words}. {self._right()}"))

    def check(self) -> None:
        """Find out about a process that ended while a child of it holds its output open."""
        child = self._child
        if child is not None and not self._ended and child.status() is not None:
            while self.reply is None and self._receive():
                self._read_lines()
            # What it left may have led to a new process, of which nothing is known yet.
            if self.reply is None and self._child is child:
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
        self.dismiss()

    def dismiss(self) -> None:
        """End the bot's input; from now it has its GRACE."""
        if self._child is not None:
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
        # Many bots print what they are told: what they were told is no news.
        echoed = word != "crashed" and self._told_of and self._told_of[:60] in said
        if said and not echoed:
            message += f". Its last line on standard error: {excerpt(said.encode(), 200)}"
        return Fault(word, message)

    def _right(self) -> str:
        return complaints.right(self._id, self._decision)

    def _came(self) -> complaints.Came:
        return complaints.Came(
            bytes(self._in.held),
            self._noise,
            self.stale,
            self._dropped,
            None if self._decision is None else self._id,
            self._idle,
            self._last_idle,
        )


def _ready(message: Mapping[str, Any]) -> Ready:
    name = message.get("name")
    return Ready(
        name if isinstance(name, str) else "",
        message.get("events") is True,
        message.get("reuse") is True,
    )
