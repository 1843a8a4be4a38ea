"""gonuts: the referee for Go Nuts for Donuts played by programs.

`from gonuts_cli import Game` is the library (SPEC §9); nothing is imported before it is used.
"""

from __future__ import annotations

from gonuts_cli._version import __version__

TYPE_CHECKING = False  # as type checkers know it: `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from gonuts_cli.errors import UsageError
    from gonuts_cli.game import Game
    from gonuts_cli.log.decode import LogError
    from gonuts_cli.rules.decisions import Decision, IllegalChoice, NotAsked
    from gonuts_cli.rules.engine import Result

__all__ = [
    "Decision",
    "Game",
    "IllegalChoice",
    "LogError",
    "NotAsked",
    "Result",
    "UsageError",
    "__version__",
]

_HOMES = {
    "Game": "gonuts_cli.game",
    "Decision": "gonuts_cli.rules.decisions",
    "IllegalChoice": "gonuts_cli.rules.decisions",
    "LogError": "gonuts_cli.log.decode",
    "NotAsked": "gonuts_cli.rules.decisions",
    "Result": "gonuts_cli.rules.engine",
    "UsageError": "gonuts_cli.errors",
}


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
