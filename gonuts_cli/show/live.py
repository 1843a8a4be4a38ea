"""What a person sees while a tournament is played: a table on a terminal, plain lines in a pipe."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from gonuts_cli.show.safe import printable

if TYPE_CHECKING:
    from rich.table import Table

    from gonuts_cli.arena.tournament import Progress

_TERMINAL_EVERY = 0.25  # seconds
_LINES_EVERY = 10.0
_MOST_ROWS = 30


class Display(Protocol):
    """Shows how far a tournament is; to be left (`with`) before anything else is written."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def show(self, progress: Progress) -> None:
        """Called often; what is shown is up to the display."""


def display() -> Display:
    """The display that suits standard error."""
    return _Terminal() if sys.stderr.isatty() else _Lines()


class _Pace:
    """Games a second and the time left, from the games of this run."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def text(self, progress: Progress) -> str:
        seconds = time.monotonic() - self._began
        played = progress.finished - progress.before
        text = f"{progress.finished} of {progress.games} games"
        if played and seconds:
            rate = played / seconds
            left = round((progress.games - progress.finished) / rate)
            minutes, rest = divmod(max(0, left), 60)
            text += f", {rate:.{0 if rate >= 10 else 1}f} a second, {minutes}:{rest:02} left"
        if progress.faults:
            text += f", {progress.faults} faults"
        if progress.evidence is not None:
            text += f", first two settled to {min(1.0, progress.evidence):.0%}"
        return text


class _Lines:
    def __init__(self) -> None:
        self._pace = _Pace()
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last >= _LINES_EVERY:
            self._last = now
            first = progress.standings()[0]
            print(
                f"gonuts: {self._pace.text(progress)}; "
                f"first {printable(first.name)} with {first.win_share:.3f}",
                file=sys.stderr,
                flush=True,
            )


class _Terminal:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self._pace = _Pace()
        self._last = 0.0
        self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last >= _TERMINAL_EVERY:
            self._last = now
            self._live.update(self._table(progress), refresh=True)

    def _table(self, progress: Progress) -> Table:
        from rich.table import Table
        from rich.text import Text

        table = Table(caption=Text(self._pace.text(progress)), caption_justify="left")
        table.add_column("bot", overflow="ellipsis", max_width=30)
        for column in ("games", "win share", "points", "faults"):
            table.add_column(column, justify="right")
        standings = progress.standings()
        for one in standings[:_MOST_ROWS]:
            table.add_row(
                Text(printable(one.name)),
                str(one.games),
                f"{one.win_share:.3f}",
                f"{one.points:.2f}",
                str(one.faults or ""),
            )
        if len(standings) > _MOST_ROWS:
            table.add_row(f"and {len(standings) - _MOST_ROWS} more")
        return table
