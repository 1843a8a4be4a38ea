"""The watcher of a run: when the referee is gone, it ends all that the referee's bots are.

Run by path, as a program of its own: it imports nothing of the package. Standard input is a socket
whose other end only the referee has. On it come lines: `+PID` for a bot that was started, `-PID`
for one that is ended. When it closes the referee was killed. What is then alive of a bot is known
by the mark in its environment, its session, or its parent.
"""

from __future__ import annotations

import os
import signal
import sys
import time

ROUNDS = 200
PAUSE = 0.01
"""Seconds between two rounds of looking: who is just starting a process is found next time."""


def processes() -> dict[int, tuple[int, int, str]]:
    """pid -> (parent, session, state) of every process there is."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            found[int(name)] = (int(fields[1]), int(fields[3]), fields[0].decode())
    return found


def is_marked(pid: int, mark: bytes) -> bool:
    """Whether the process was started with the mark in its environment."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return mark in file.read()
    except OSError:
        return False


def to_end(mark: bytes, bots: set[int]) -> list[int]:
    """The live processes of the bots: parents before their children."""
    table = processes()
    found = {
        pid
        for pid, (_, session, _) in table.items()
        if pid in bots or session in bots or is_marked(pid, mark)
    }
    found.discard(os.getpid())
    grown = True
    while grown:
        more = {pid for pid, (parent, _, _) in table.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return sorted(pid for pid in found if pid in table and table[pid][2] not in "ZX")


def main() -> None:
    """Wait for the referee's end, then end the bots."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    mark = sys.argv[1].encode()
    bots: set[int] = set()
    for line in sys.stdin.buffer:
        pid = int(line[1:])
        if line.startswith(b"+"):
            bots.add(pid)
        else:
            bots.discard(pid)
    for _ in range(ROUNDS):
        alive = to_end(mark, bots)
        if not alive:
            break
        for pid in alive:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        time.sleep(PAUSE)


if __name__ == "__main__":
    main()
