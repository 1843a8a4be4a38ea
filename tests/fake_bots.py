"""Bots without processes and a clock without time, for tests of the seat and of the referee.

A fake bot holds the far ends of real socket pairs. It acts when the hub polls: then it reads what
the referee wrote, and writes what its script says. Time passes only while the hub sleeps.
"""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Callable
from typing import Any

from gonuts_cli.players.hub import Hub

Script = Callable[["FakeBot", dict[str, Any]], None]


class World:
    """The clock, the bots, and a hub that lives among them."""

    def __init__(self) -> None:
        self.now = 100.0
        self.bots: list[FakeBot] = []
        self.hub = Hub(clock=lambda: self.now, poller=lambda: Poller(self))  # type: ignore[arg-type, return-value]
        self.scripts: list[Script] = []

    def start(self, command: tuple[str, ...], folder: object = None) -> FakeChild:
        """As a Keeper does; the command's one word is the number of a script."""
        bot = FakeBot(self, self.scripts[int(command[0])])
        self.bots.append(bot)
        return bot.child

    def end(self, child: FakeChild) -> None:
        """As a Keeper does."""
        child.returncode = -9 if child.returncode is None else child.returncode
        for stream in (child.stdin, child.stdout, child.stderr):
            stream.close()


class Poller:
    """`select.poll` in the world's time."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._real = select.poll()
        self.register = self._real.register
        self.unregister = self._real.unregister

    def poll(self, milliseconds: float | None) -> list[tuple[int, int]]:
        for bot in self._world.bots:
            bot.act()
        found = self._real.poll(0)
        if not found and milliseconds:
            self._world.now += milliseconds / 1000
        return found


class FakeChild:
    """The referee's side of a fake bot."""

    def __init__(self) -> None:
        pairs = [socket.socketpair() for _ in range(3)]
        (self.stdin, self.stdout, self.stderr) = (near for near, _ in pairs)
        self.far = [far for _, far in pairs]
        for stream in (self.stdin, self.stdout, self.stderr, *self.far):
            stream.setblocking(False)
        self.returncode: int | None = None
        self.pid = 0

    def status(self, patience: float = 0.0) -> int | None:
        return self.returncode


class FakeBot:
    """Calls its script with every message; `received` has all that it was sent.

    `at_each_look` is called as well, whenever the referee looks.
    """

    def __init__(self, world: World, script: Script) -> None:
        self.world = world
        self.child = FakeChild()
        self.received = b""
        self.at_each_look: Callable[[FakeBot], None] | None = None
        self._rest = b""
        self._script = script

    def act(self) -> None:
        """Read what has come and let the script answer."""
        try:
            data = self.child.far[0].recv(1 << 20)
        except OSError:
            data = b""
        self.received += data
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._script(self, json.loads(line))
        if self.at_each_look is not None and self.child.stdout.fileno() >= 0:
            self.at_each_look(self)

    def write(self, data: bytes) -> None:
        """Write on standard output as it is."""
        self.child.far[1].sendall(data)

    def say(self, message: dict[str, Any]) -> None:
        """Write one message."""
        self.write(json.dumps(message).encode() + b"\n")

    def note(self, text: str) -> None:
        """Write on standard error."""
        self.child.far[2].sendall(text.encode())

    def exit(self, status: int) -> None:
        """End as a process does."""
        for stream in self.child.far:
            stream.close()
        self.child.returncode = status

    def lines(self) -> list[dict[str, Any]]:
        """All messages that came."""
        return [json.loads(line) for line in self.received.splitlines()]


def honest(bot: FakeBot, message: dict[str, Any]) -> None:
    """Ready at once, and always the first allowed answer."""
    if message["type"] == "hello":
        bot.say({"type": "ready"})
    elif message["type"] == "decide":
        count = message["counts"][0]
        bot.say({"id": message["id"], "choose": message["options"][:count]})


def honest_listener(bot: FakeBot, message: dict[str, Any]) -> None:
    """The same, and wants events."""
    if message["type"] == "hello":
        bot.say({"type": "ready", "events": True, "reuse": True, "name": "listener"})
    else:
        honest(bot, message)


def at_move(act: Script) -> Script:
    """A script that is ready, and then does something else at every decision."""

    def script(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["type"] == "decide":
            act(bot, message)
        else:
            honest(bot, message)

    return script
