"""Options that several commands have: what they are called, what they take, and their help."""

from __future__ import annotations

from typing import Annotated

import typer

from gonuts_cli.players.base import MOST
from gonuts_cli.rules.rulings import RULINGS

_UNUSUAL = ", ".join(f"{name}={other}" for name, (_, other) in RULINGS.items())

GameMs = Annotated[int | None, typer.Option(min=1, max=MOST, help="For all answers of a bot.")]
Memory = Annotated[
    int | None,
    typer.Option(min=1, max=MOST, metavar="MIB", help="Of a bot in the sandbox; 1024."),
]
CpuSeconds = Annotated[
    int | None,
    typer.Option(min=1, max=MOST, metavar="N", help="Seconds, of each process in the sandbox."),
]
Ruling = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help=f"Not as usual: {_UNUSUAL}.")
]
