"""`--cluster`: a Dask scheduler and two workers on loopback, one of them killed; the same bytes."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

GONUTS = [sys.executable, "-m", "gonuts_cli", "tournament"]
BOTS = ["-b", "builtin:random", "-b", "builtin:greedy", "-b", "third=builtin:random"]
LONG = 180  # seconds: a bound for a machine under any load, never waited for

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None,
    reason="Dask is not installed (pip install '.[cluster]')",
)


def lives(pid: int) -> bool:
    """Whether a process runs; one that ended and waits to be reaped does not.

    Other tests may have made this process a reaper of orphans, for whom dead bots wait.
    """
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


class Cluster:
    def __init__(self, folder: Path) -> None:
        self.address_file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.folder = folder
        self._start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self.workers = [self.worker() for _ in range(2)]

    def _start(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        whole = [sys.executable, "-m", f"distributed.cli.{program}"]
        process = subprocess.Popen(
            [*whole, "--scheduler-file", str(self.address_file), *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
        )
        self.processes.append(process)
        return process

    def worker(self) -> subprocess.Popen[bytes]:
        one = ("--nthreads", "1", "--nworkers", "1", "--no-nanny", "--no-dashboard")
        return self._start("dask_worker", "--host", "127.0.0.1", *one)

    def address(self) -> str:
        """Once both workers are there."""
        from distributed import Client

        until = time.monotonic() + LONG
        while not self.address_file.exists() and time.monotonic() < until:
            time.sleep(0.05)
        with Client(scheduler_file=str(self.address_file), set_as_default=False) as client:
            client.wait_for_workers(2, timeout=LONG)
            return str(client.scheduler.address)

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    made = Cluster(folder)
    yield made
    made.close()


@needs_dask
def test_a_cluster_plays_the_same_bytes_though_a_worker_is_killed(
    cluster: Cluster, tmp_path: Path
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import json, os, sys\n"
        f"open({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'hello':\n"
        '        print(\'{"type":"ready","reuse":true}\', flush=True)\n'
        "    elif message['type'] == 'decide':\n"
        "        choose = message['options'][:message['counts'][0]]\n"
        "        print(json.dumps({'id': message['id'], 'choose': choose}), flush=True)\n"
    )
    same = ["-b", f"mine={sys.executable} -I -S {bot}", *BOTS, "--seed", "s" * 40, "--deals", "20"]
    address = cluster.address()
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    command = [*GONUTS, *same, "--move-ms", "60000", "--out"]
    subprocess.run([*command, str(alone), "--workers", "1"], check=True, timeout=LONG)
    running = subprocess.Popen([*command, str(shared), "--cluster", address])
    while running.poll() is None and not list((shared / "journal").glob("*.journal")):
        time.sleep(0.005)
    os.kill(cluster.workers[0].pid, signal.SIGKILL)
    assert running.wait(LONG) == 0
    for name in ("games.jsonl", "results.json"):
        assert (shared / name).read_bytes() == (alone / name).read_bytes()
    until = time.monotonic() + LONG
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    while any(map(lives, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(lives, pids)), "no bot is left on a worker"


@needs_dask
def test_an_address_where_nobody_is_ends_it(tmp_path: Path) -> None:
    command = [*GONUTS, *BOTS, "--out", str(tmp_path / "out"), "--cluster", "tcp://127.0.0.1:9"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
    assert done.returncode == 2
    assert "no Dask scheduler at tcp://127.0.0.1:9" in done.stderr


@needs_dask
@pytest.mark.parametrize("address", ["foo", "tcp://foo", "tcp://foo:"])
def test_what_is_no_address_is_refused_at_once(address: str, tmp_path: Path) -> None:
    command = [*GONUTS, *BOTS, "--out", str(tmp_path / "out"), "--cluster", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
    assert done.returncode == 2
    assert "tcp://HOST:PORT" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cluster_has_its_own_workers(tmp_path: Path) -> None:
    command = [*GONUTS, *BOTS, "--out", str(tmp_path), "--cluster", "tcp://x:1", "--workers", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
    assert done.returncode == 2
    assert "leave out --workers" in done.stderr
