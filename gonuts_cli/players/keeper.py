"""Starts the bots' processes and ends all that comes of them (SPEC §7, "nothing is alive").

Each bot leads its own session and carries a mark in its environment. The referee is made the reaper
of orphans, so that whatever a bot leaves behind, also by forking twice, becomes the referee's child
and is found. When the referee itself is killed, a watcher process (watcher.py) does the same work.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

MARK = "GONUTS_BOT_"
PATIENCE = 2.0
"""Seconds to wait for a process that was killed; one that the kernel cannot end is then left."""

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36

_claimed = False
_known: set[int] = set()
"""The bots and watchers of this process that are not ended yet, of every run."""


def claim_process() -> None:
    """Say that this process does nothing but referee; the command line does so at its start.

    Its memory and descriptors then cannot be read by other programs of the same user, and every
    orphan that it inherits in another session is a bot's and is ended.
    """
    global _claimed
    _claimed = True
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class Child:
    """One process and the referee's ends of its three streams, all non-blocking."""

    def __init__(
        self, process: subprocess.Popen[bytes], streams: Sequence[socket.socket], mark: str
    ) -> None:
        self._process = process
        self.mark = mark
        self.pid = process.pid
        self.stdin, self.stdout, self.stderr = streams

    def status(self, patience: float = 0.0) -> int | None:
        """The exit status (negative: the signal), or None when it still runs after `patience` s."""
        if patience and self._process.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
        return self._process.poll()

    def kill(self) -> None:
        """End it and its process group at once."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.kill()

    def close_streams(self) -> None:
        """Close the referee's ends."""
        for stream in (self.stdin, self.stdout, self.stderr):
            stream.close()


class Keeper:
    """All processes of one run. Nothing is started, no watcher either, before the first bot."""

    def __init__(self) -> None:
        self._mark = MARK + os.urandom(8).hex()
        self._started = 0
        self._live: dict[int, Child] = {}
        self._watcher: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None

    def start(self, command: Sequence[str], folder: Path | None = None) -> Child:
        """Start a bot over socket pairs, in a session of its own; raises OSError."""
        if self._watcher is None:
            self._watch()
        self._started += 1
        number = str(self._started)
        pairs = [socket.socketpair() for _ in range(3)]
        try:
            process = subprocess.Popen(
                command,
                stdin=pairs[0][1].fileno(),
                stdout=pairs[1][1].fileno(),
                stderr=pairs[2][1].fileno(),
                cwd=folder,
                env={**os.environ, self._mark: number},
                start_new_session=True,
            )
        except BaseException:
            for pair in pairs:
                pair[0].close()
            raise
        finally:
            for pair in pairs:
                pair[1].close()
        for ours, _ in pairs:
            ours.setblocking(False)
        # Each stream has one direction only, as a pipe would.
        pairs[0][0].shutdown(socket.SHUT_RD)
        pairs[1][0].shutdown(socket.SHUT_WR)
        pairs[2][0].shutdown(socket.SHUT_WR)
        child = Child(process, [ours for ours, _ in pairs], f"{self._mark}={number}\0")
        self._live[child.pid] = child
        _known.add(child.pid)
        self._say(b"+%d\n" % child.pid)
        return child

    def end(self, child: Child) -> None:
        """Kill a bot and what it left behind, and reap it all. Safe to call again."""
        child.kill()
        child.close_streams()
        child.status(PATIENCE)
        if self._live.pop(child.pid, None) is not None:
            _known.discard(child.pid)
            self._say(b"-%d\n" % child.pid)
            self._end_strays(child.pid, child.mark)

    def close(self) -> None:
        """End everything of the run, the watcher last."""
        for child in list(self._live.values()):
            self.end(child)
        if self._watcher is not None:
            self._end_strays(0, f"{self._mark}=")
            self._watcher.kill()
            self._watcher.wait()
            _known.discard(self._watcher.pid)
            self._watcher = None
        if self._line is not None:
            self._line.close()
            self._line = None

    def _watch(self) -> None:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        self._line, far = socket.socketpair()
        program = Path(__file__).with_name("watcher.py")
        with far:
            self._watcher = subprocess.Popen(
                [sys.executable, "-I", "-S", str(program), self._mark],
                stdin=far.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
        _known.add(self._watcher.pid)

    def _say(self, line: bytes) -> None:
        if self._line is not None:
            with suppress(OSError):
                self._line.send(line, socket.MSG_NOSIGNAL)

    def _end_strays(self, session: int, mark: str) -> None:
        """End the orphans that became ours; their children become ours in turn, so look again."""
        until = time.monotonic() + PATIENCE
        killed: set[int] = set()
        while time.monotonic() < until:
            strays = list(_strays(session, mark, killed))
            for pid in strays:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            killed.update(strays)
            killed = {pid for pid in killed if not _reap(pid)}
            if not strays and not killed:
                return
            if killed:
                time.sleep(0.001)


def _strays(session: int, mark: str, seen: set[int]) -> Iterator[int]:
    """Children that nobody started here: the ended bot's, by its session or its mark.

    In a claimed process also those that show neither, when no bot is left whose they could be.
    """
    for pid in _own_children():
        if pid in _known or pid in seen:
            continue
        its_session = _session(pid)
        nobodys = _claimed and len(_known) <= 1 and its_session not in (None, os.getsid(0))
        if its_session == session or nobodys or _is_marked(pid, mark):
            yield pid


def _own_children() -> list[int]:
    """This process's children; none where the system does not tell."""
    found: list[int] = []
    with suppress(FileNotFoundError):
        for thread in os.listdir("/proc/self/task"):
            with suppress(OSError), open(f"/proc/self/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _is_marked(pid: int, mark: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return mark.encode() in file.read()
    except OSError:
        return False


def _reap(pid: int) -> bool:
    """Whether a killed child is gone now."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True
