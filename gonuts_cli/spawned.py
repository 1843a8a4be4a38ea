"""Processes that do a part of a command's work and end with it, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

Broken = BrokenProcessPool
"""What the result of a task raises when one of the processes was killed."""


class Spawned:
    """So many processes. Leaving the block drops the tasks that have not begun."""

    def __init__(self, processes: int) -> None:
        # Spawned, not forked: what the parent has open or runs besides stays its own.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(processes, context, _end_with_parent)

    def submit(self, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a function of a module called in one of the processes."""
        # A process starts here, and Ctrl-C goes to all of a terminal's processes: blocked in the
        # new ones from the beginning, it ends the parent, which ends them.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return self._pool.submit(task, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """A parent that is killed tells nobody: without this its processes would wait for ever."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
