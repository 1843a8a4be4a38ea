"""The three rulings that a game may choose (SPEC §1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from gonuts_cli.errors import UsageError
from gonuts_cli.rules.texts import exact, shown


class Rulings(NamedTuple):
    """What was decided where the printed rules are silent; the defaults are the first values."""

    sprinkled_gift: str = "other"
    twist_empty: str = "cancel"
    maple_frosted_tie: str = "shared"

    @classmethod
    def parse(cls, given: Any) -> Rulings:
        """Rulings from names and values; raises UsageError that names the remedy.

        >>> Rulings.parse({"twist_empty": "others_pass"}).changed()
        {'twist_empty': 'others_pass'}
        """
        if not isinstance(given, Mapping):
            raise UsageError(f"rulings are a mapping of names to values, not {shown(given)}")
        chosen: dict[str, str] = {}
        for asked, wanted in given.items():
            name = exact(asked) if isinstance(asked, str) else ""
            if name not in RULINGS:
                raise UsageError(
                    f"no ruling is called {shown(asked)}; there are {', '.join(RULINGS)}"
                )
            chosen[name] = exact(wanted) if isinstance(wanted, str) else ""
            if chosen[name] not in RULINGS[name]:
                raise UsageError(
                    f"the ruling {name} is {' or '.join(RULINGS[name])}, not {shown(wanted)}"
                )
        return cls(**chosen)

    def changed(self) -> dict[str, str]:
        """Those that are not the default, in the order of SPEC §1: what a log records."""
        if self == DEFAULT_RULINGS:
            return {}
        return {
            name: value
            for name, value, default in zip(self._fields, self, DEFAULT_RULINGS, strict=True)
            if value != default
        }


RULINGS: Final[dict[str, tuple[str, str]]] = {
    "sprinkled_gift": ("other", "any"),
    "twist_empty": ("cancel", "others_pass"),
    "maple_frosted_tie": ("shared", "none"),
}
"""Every ruling with its two values, the default first."""

DEFAULT_RULINGS: Final = Rulings()
