"""Processes that share a command's work: they end with it, and Ctrl-C is the command's alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from gonuts_cli.cli.ending import ending
from gonuts_cli.spawned import Broken, Spawned

PARENT = """\
import os, sys
from gonuts_cli.spawned import Spawned
if __name__ == "__main__":
    with Spawned(2) as processes:
        first, second = processes.submit(os.getpid), processes.submit(os.getpid)
        print(first.result(), second.result(), flush=True)
        sys.stdin.read()
"""


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_processes_end_with_a_parent_that_is_killed(by: signal.Signals, tmp_path: object) -> None:
    script = os.path.join(str(tmp_path), "parent.py")
    with open(script, "w") as file:
        file.write(PARENT)
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        assert len(parent.stdout.readline().split()) == 2
        parent.send_signal(by)
        assert parent.stdout.read() == b""  # returns only when no process holds the other end


def test_ctrl_c_is_blocked_in_the_processes_and_not_here() -> None:
    with Spawned(1) as processes:
        there = processes.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result()
    assert signal.SIGINT in there
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_a_process_that_is_killed_is_noticed() -> None:
    with Spawned(1) as processes, pytest.raises(Broken):
        processes.submit(os._exit, 1).result()


def _interrupted_library(kind: type[Exception]) -> None:
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        raise kind("it failed")  # noqa: B904 (as those libraries do)


@pytest.mark.parametrize("kind", [ImportError, ValueError])
def test_ctrl_c_that_a_library_calls_something_else_is_ctrl_c(
    kind: type[Exception], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended, ending():
        _interrupted_library(kind)
    assert ended.value.code == 130
    assert capfd.readouterr().err == "gonuts: interrupted\n"


def test_a_mistake_of_ours_is_no_ctrl_c() -> None:
    with pytest.raises(ValueError, match="ours"), ending():
        raise ValueError("ours")
