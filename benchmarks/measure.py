"""How it is measured: on one core, in turn, in seconds of the clock or of the processor."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from time import perf_counter

from gonuts_cli.rules import engine

_LAUNCHER = """\
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def compiled() -> bool:
    """Whether the rules that are measured were compiled when they were installed."""
    return not engine.__file__.endswith(".py")


def cores() -> list[int]:
    """The processor cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process, and those that it starts meanwhile, on one core."""
    allowed = os.sched_getaffinity(0)
    # The last: the first is where systems tend to do their own work.
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def children_seconds() -> float:
    """Processor time, user and system, of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command: Sequence[str]) -> None:
    """Run a command that must succeed, without input; what it says is dropped."""
    subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )


def peak_memory(command: Sequence[str]) -> float:
    """MiB that the largest process of a command took at its peak."""
    # A new process counts its parent's size until it runs its own program: so its parent is small.
    launched = subprocess.run(
        [sys.executable, "-S", "-E", "-c", _LAUNCHER, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return int(launched.stdout) / 1024


def in_turn(
    works: Sequence[Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = perf_counter,
) -> list[float]:
    """The median time of each of the works, which are done one after the other in every round."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, taken in zip(works, times, strict=True):
            started = clock()
            work()
            taken.append(clock() - started)
    return [median(taken) for taken in times]
