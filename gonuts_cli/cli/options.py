"""Options that several commands have: what they are called, what they take, and their help."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gonuts_cli.players.base import MEMORY_MIB, MOST, Limits
from gonuts_cli.rules.rulings import RULINGS

USUAL_LIMITS = Limits()
_UNUSUAL = ", ".join(f"{name}={other}" for name, (_, other) in RULINGS.items())


def whole_number(metavar: str, help: str, usual: int | str) -> Any:
    """An option that takes a whole number from 1; `usual` is what holds without it."""
    return typer.Option(min=1, max=MOST, metavar=metavar, help=help, show_default=str(usual))


START_MS = whole_number("MS", "Time for a bot to be ready.", USUAL_LIMITS.start_ms)
MOVE_MS = whole_number("MS", "Time for one answer.", USUAL_LIMITS.move_ms)
SANDBOX_READ = typer.Option(metavar="PATH", help="What bots in the sandbox may read, too.")

SeedText = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="All chance follows from it. Programs of this machine can read it here.",
        show_default="drawn",
    ),
]
GameMs = Annotated[
    int | None, whole_number("MS", "Time for all answers of a bot in a game.", "no limit")
]
Memory = Annotated[int | None, whole_number("MIB", "Memory of a bot in the sandbox.", MEMORY_MIB)]
CpuSeconds = Annotated[
    int | None, whole_number("SECONDS", "Processor time of a process in the sandbox.", "no limit")
]
Ruling = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help=f"A rule that is not as usual: {_UNUSUAL}."),
]
