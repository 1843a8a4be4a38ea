"""Games with hostile bots in the sandbox: each comes to its end, and the others play on unharmed.

Every attack is bounded by itself too, so that a broken sandbox fails a test and no more.
"""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

from gonuts_cli.arena.referee import SeatReport, play
from gonuts_cli.cli.new_bot import write_template
from gonuts_cli.game import Game, draw_seed
from gonuts_cli.log.encode import LogWriter
from gonuts_cli.log.reader import RawGame
from gonuts_cli.log.validate import validate_game
from gonuts_cli.players import sandbox
from gonuts_cli.players.base import Limits
from gonuts_cli.players.run import BotSpec, Run

PYTHON = shutil.which("python3", path="/usr/bin:/usr/local/bin")

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
    pytest.mark.skipif(PYTHON is None, reason="no Python in the system's folders"),
]

# Says on standard error what it reached, attacks at its first decision, then plays on if it can.
HOSTILE = """
import json, os, signal, socket, sys, time

def say(*words):
    print(*words, file=sys.stderr, flush=True)

def attack():
    {attack}

attacked = False
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print('{{"type":"ready"}}', flush=True)
    elif m["type"] == "decide":
        if not attacked:
            attacked = True
            attack()
            say("attacked")
        print(json.dumps({{"id": m["id"], "choose": m["options"][: m["counts"][0]]}}), flush=True)
"""


class Table:
    """A game of one hostile and two honest processes, all confined, with a seed file and a record.

    Nobody runs out of time, however slow the machine is: an attack that never ends would.
    """

    def __init__(self, home: Path) -> None:
        sandbox.require()
        self.home = home
        self.seed = draw_seed()
        self.secrets = home / "secrets"
        self.secrets.mkdir()
        (self.secrets / "seed").write_text(self.seed)
        self.record = self.secrets / "record.jsonl"
        assert PYTHON is not None
        self.python = PYTHON
        for name in ("ann", "bea", "eve"):
            (home / name).mkdir(mode=0o755)
        for name in ("ann", "bea"):
            write_template("python", home / name)

    def play(self, attack: str, memory_mib: int | None = None) -> tuple[Game, SeatReport]:
        """What became of the game and of the hostile seat; the honest ones are looked after."""
        script = "\n    ".join(attack.strip().splitlines())
        (self.home / "eve" / "bot.py").write_text(HOSTILE.format(attack=script))
        game = Game(seed=self.seed, names=["ann", "eve", "bea"])
        with Run() as run, self.record.open("wb") as record:
            seats = []
            for name in game.names:
                words = [self.python, str(self.home / name / "bot.py")]
                wrapped = sandbox.wrap(
                    words, forbid=[self.secrets, self.record], memory_mib=memory_mib
                )
                seats.append(run.seat(BotSpec("process", tuple(words)), command=wrapped))
            report = play(
                game,
                seats,
                sink=LogWriter(game, record.write),
                limits=Limits(start_ms=120_000, move_ms=120_000),
                hub=run.hub,
            )
        assert game.over
        assert game.faults[0] == game.faults[2] == []
        assert report.seats[0].ready is not None
        log = self.record.read_bytes()
        assert log == game.log()
        assert validate_game(RawGame("record", 0, 1, 0, log)).ok
        return game, report.seats[1]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    home = tmp_path / "home"
    home.mkdir()
    return Table(home)


def test_a_fork_bomb(table: Table) -> None:
    game, eve = table.play(
        """
made = 0
try:
    while made < 400:
        if os.fork() == 0:
            signal.pause()
        made += 1
except OSError:
    pass
say("made", made)
"""
    )
    assert game.faults[1] == []
    made = int(eve.last_words.split()[1])
    assert made < sandbox.PROCESSES


def test_one_that_takes_all_memory(table: Table) -> None:
    game, eve = table.play(
        """
kept = []
for _ in range(30):
    kept.append(b"x" * (16 << 20))
say("had all")
""",
        memory_mib=128,
    )
    assert game.faults[1] == ["crashed"]
    assert "had all" not in eve.last_words


def test_one_that_fills_the_disk(table: Table) -> None:
    _, eve = table.play(
        """
written = 0
for folder in ["/tmp", "/dev/shm", "/", os.path.dirname(__file__), os.getcwd(), "/var/tmp"]:
    try:
        for name in range(4):
            with open(f"{folder}/fill-{name}", "wb", buffering=0) as file:
                for _ in range(40):
                    written += file.write(bytes(1 << 20))
    except OSError:
        pass
say("wrote", written >> 20)
"""
    )
    assert int(eve.last_words.split()[1]) <= sandbox.TMP_MIB + sandbox.SHM_MIB
    assert list(table.home.rglob("fill-*")) == []


def test_one_that_opens_the_network(table: Table) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        abstract = b"\0gonuts-test-%d" % os.getpid()
        local.bind(abstract)
        local.listen()
        game, eve = table.play(
            f"""
for kind, address in [
    (socket.AF_INET, ("127.0.0.1", {server.getsockname()[1]})),
    (socket.AF_UNIX, {abstract!r}),
]:
    try:
        socket.socket(kind).connect(address)
        say("connected", address)
    except OSError as error:
        say(type(error).__name__)
"""
        )
    assert game.faults[1] == []
    assert eve.last_words.splitlines() == ["ConnectionRefusedError"] * 2 + ["attacked"]


def test_one_that_looks_for_the_seed(table: Table) -> None:
    # It is given what the seed looks like: 64 digits in hex that are not its own.
    game, eve = table.play(
        """
import re
seen = 0
for top, folders, files in os.walk("/"):
    if top == "/":
        folders[:] = [name for name in folders if name not in ("usr", "sys")]
    for name in files:
        path = os.path.join(top, name)
        if os.path.islink(path) or not (top.startswith("/proc/") or os.path.isfile(path)):
            continue
        if top.startswith("/proc") and name not in ("cmdline", "environ", "comm", "mountinfo"):
            continue
        try:
            with open(path, "rb") as file:
                text = file.read(1 << 20)
        except OSError:
            continue
        seen += 1
        for found in re.findall(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])", text):
            say("found", found.decode())
say("files", seen > 5)
"""
    )
    assert game.faults[1] == []
    assert eve.last_words.splitlines()[-2:] == ["files True", "attacked"]
    assert table.seed not in eve.last_words


def test_one_that_kills_all_it_can(table: Table) -> None:
    # Outside it would be the machine's end, so it makes sure first that it is inside.
    game, eve = table.play(
        f"""
if os.readlink("/proc/self/ns/pid") == {os.readlink("/proc/self/ns/pid")!r}:
    say("not confined")
    sys.exit()
for victim in [1, os.getppid(), -1, *range(2, 5000)]:
    if victim != os.getpid():
        for number in (signal.SIGSTOP, signal.SIGKILL):
            try:
                os.kill(victim, number)
            except OSError:
                pass
"""
    )
    assert game.faults[1] == []
    assert eve.last_words == "attacked"


def test_one_that_ends_its_own_group(table: Table) -> None:
    game, _ = table.play("os.killpg(0, signal.SIGKILL)")
    assert game.faults[1] == ["crashed"]


def test_one_that_writes_into_anothers_folder(table: Table) -> None:
    game, eve = table.play(
        f"""
for path in [{str(table.home / "ann" / "bot.py")!r}, {str(table.record)!r}, __file__]:
    try:
        with open(path, "r+") as file:
            file.write("import sys; sys.exit()")
        say("wrote", path)
    except OSError as error:
        say(type(error).__name__)
"""
    )
    assert game.faults[1] == []
    assert eve.last_words.splitlines()[-1] == "attacked"
    assert "wrote" not in eve.last_words
    assert "def answer" in (table.home / "ann" / "bot.py").read_text()


def test_one_that_closes_its_output_and_lives_on(table: Table) -> None:
    game, _ = table.play("os.close(1)\nsignal.pause()")
    assert game.faults[1] == ["crashed"]


def test_what_a_bot_leaves_behind_is_ended(table: Table) -> None:
    # It forks twice out of its session and says its number in the sandbox; the file that its child
    # holds is locked as long as the child lives, and the lock can be seen from outside.
    lock = table.home / "eve" / "lock"
    lock.write_text("")
    game, _ = table.play(
        f"""
import fcntl
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        file = open({str(lock)!r})
        fcntl.flock(file, fcntl.LOCK_SH)
        os.write(writer, b"x")
        signal.pause()
    os._exit(0)
os.read(reader, 1)
"""
    )
    assert game.faults[1] == []
    import fcntl

    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while anybody holds it
