"""What a tournament is: its bots and conditions, checked, and what of it must not change.

`Settings` is all that decides which games are played, and how. How many workers play them, and on
what, is no part of it. It goes as JSON to the workers and, without the seed, into the folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gonuts_cli.arena.schedule import Schedule
from gonuts_cli.errors import UsageError
from gonuts_cli.players.base import Limits
from gonuts_cli.players.programs import find_program
from gonuts_cli.players.run import BotSpec
from gonuts_cli.rules.cards import MAX_PLAYERS, MIN_PLAYERS
from gonuts_cli.rules.deck import commitment
from gonuts_cli.rules.rulings import Rulings
from gonuts_cli.rules.texts import check_text

FORMAT = "gonuts-tournament/1"
USUAL_TABLE = 4
"""Seats of a table when there are more bots than fit at one and nobody says otherwise."""

MOST_WORKERS = 1024
"""Workers of a tournament at most; each is a process, with bots of its own."""


@dataclass(frozen=True, slots=True)
class BotSettings:
    """One bot of the tournament.

    `folder` is where its command runs, absolute; None is the folder that gonuts runs in. The
    sandbox shows it to the bot only if it is the bot's `own`, else the folder of its program.
    """

    name: str
    kind: str
    command: tuple[str, ...]
    folder: str | None = None
    team: str | None = None
    own: bool = True

    @property
    def spec(self) -> BotSpec:
        """The bot as seats are made from it."""
        return BotSpec(self.kind, self.command, self.name)


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """How bots are confined; None are the sandbox's own defaults."""

    memory_mib: int | None = None
    cpu_seconds: int | None = None
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """A whole tournament but for the number of deals; raises UsageError for what cannot be."""

    bots: tuple[BotSettings, ...]
    table: int
    seed: str
    rulings: dict[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    fresh_bots: bool = False
    sandbox: SandboxSettings | None = None
    stop_when_decided: float | None = None

    def __post_init__(self) -> None:
        names = [check_text(bot.name, "a bot's name", 64) for bot in self.bots]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(
                    f"two bots are called {name!r}; give one another name (NAME=BOT, or `name`)"
                )
        if len(self.bots) < MIN_PLAYERS:
            raise UsageError("a tournament needs at least two bots: --bot BOT --bot BOT")
        if not MIN_PLAYERS <= self.table <= MAX_PLAYERS:
            raise UsageError(f"a table has 2 to 6 seats, not {self.table} (--table)")
        check_text(self.seed, "a seed", 128)
        Rulings.parse(self.rulings)
        limits = (self.limits.start_ms, self.limits.move_ms, self.limits.game_ms)
        if any(limit is not None and limit < 1 for limit in limits):
            raise UsageError("a time limit is at least 1 ms")
        if self.stop_when_decided is not None and not 0.5 <= self.stop_when_decided < 1:
            raise UsageError(
                f"--stop-when-decided is a confidence from 0.5 to below 1, such as 0.95; "
                f"not {self.stop_when_decided}"
            )
        self.schedule()

    def schedule(self) -> Schedule:
        """Who meets whom."""
        return Schedule([bot.team for bot in self.bots], self.table)

    @property
    def tournament(self) -> str:
        """What names the tournament without telling its seed: the tag `tournament` (SPEC §8)."""
        return commitment(self.seed)

    def processes_at_a_table(self) -> int:
        """How many bots of a table, at most, are processes that may want a core of their own."""
        return min(self.table, sum(bot.kind == "process" for bot in self.bots))

    def names(self, deal_seating: Sequence[int]) -> list[str]:
        """The names of the bots in a game's seats."""
        return [self.bots[bot].name for bot in deal_seating]

    def to_json(self) -> dict[str, Any]:
        """For a worker; holds the seed."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Settings:
        """The settings that `to_json` gave, before or after they were JSON."""
        sandbox = value["sandbox"]
        return cls(
            **{
                **value,
                "bots": tuple(
                    BotSettings(**{**bot, "command": tuple(bot["command"])})
                    for bot in value["bots"]
                ),
                "limits": Limits(**value["limits"]),
                "sandbox": sandbox
                and SandboxSettings(**{**sandbox, "reads": tuple(sandbox["reads"])}),
            }
        )

    def fingerprint(self) -> dict[str, Any]:
        """What must stay the same while a folder is played on; one entry a thing to change."""
        whole = self.to_json()
        return {
            "format": FORMAT,
            "tournament": self.tournament,
            "table": self.table,
            "bots": [
                {
                    "name": bot.name,
                    "kind": bot.kind,
                    "command": list(bot.command),
                    "folder": bot.folder,
                    "team": bot.team,
                }
                for bot in self.bots
            ],
            "rulings": Rulings.parse(self.rulings).changed(),
            "limits": whole["limits"],
            "fresh_bots": self.fresh_bots,
            "sandbox": None
            if self.sandbox is None
            else {**whole["sandbox"], "reads": list(self.sandbox.reads)},
            "stop_when_decided": self.stop_when_decided,
        }

    def require_commands(self) -> None:
        """Raise UsageError for a bot that cannot be started, before the first game is."""
        for bot in self.bots:
            if bot.kind == "builtin":
                from gonuts_cli.players.builtin import BUILTINS

                if bot.command[0] not in BUILTINS:
                    known = ", ".join(f"builtin:{name}" for name in BUILTINS)
                    raise UsageError(
                        f"no bot is called builtin:{bot.command[0]}; there are {known}"
                    )
                continue
            if bot.folder is not None and not os.path.isdir(bot.folder):
                is_what = "is no folder" if os.path.exists(bot.folder) else "is not there"
                raise UsageError(f"bot {bot.name!r}: its folder {bot.folder} {is_what}")
            try:
                find_program(bot.command[0], bot.folder or "")
            except UsageError as error:
                raise UsageError(f"bot {bot.name!r}: {error}") from None

    def command(self, bot: BotSettings, forbid: Sequence[Path]) -> list[str]:
        """The words that start a process bot, a sandbox around them if there is to be one.

        In the sandbox the bot sees nothing of `forbid`. Raises UsageError when that cannot be.
        """
        if self.sandbox is None:
            return list(bot.command)
        from gonuts_cli.players import sandbox

        folder = None if bot.folder is None else Path(bot.folder)
        return sandbox.wrap(
            list(bot.command),
            folder=folder if bot.own else None,
            here=folder,
            reads=[Path(path) for path in self.sandbox.reads],
            forbid=forbid,
            memory_mib=self.sandbox.memory_mib,
            cpu_seconds=self.sandbox.cpu_seconds,
        )


def usual_table(bots: int) -> int:
    """The seats of a table when nobody says: one for all if they fit, else USUAL_TABLE."""
    return bots if bots <= MAX_PLAYERS else USUAL_TABLE


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between two fingerprints, in words."""
    found = []
    for key in [*before, *(key for key in now if key not in before)]:
        old, new = before.get(key), now.get(key)
        if old == new:
            continue
        if key == "tournament":
            found.append("the seed")
        elif key == "bots":
            found += _bot_differences(old or [], new or [])
        elif isinstance(old, dict) and isinstance(new, dict):
            found += [
                f"{key}.{part}: {_shown(old.get(part))} before, {_shown(new.get(part))} now"
                for part in [*old, *(part for part in new if part not in old)]
                if old.get(part) != new.get(part)
            ]
        else:
            found.append(f"{key}: {_shown(old)} before, {_shown(new)} now")
    return found


def _shown(setting: object) -> object:
    return "the default" if setting is None else setting


def _bot_differences(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[str]:
    before = {bot["name"]: bot for bot in old}
    now = {bot["name"]: bot for bot in new}
    found = [f"bot {name!r} is gone" for name in before if name not in now]
    found += [f"bot {name!r} is new" for name in now if name not in before]
    for name, bot in now.items():
        for key, value in bot.items():
            if name in before and before[name].get(key) != value:
                found.append(f"bot {name!r}, {key}: {before[name].get(key)} before, {value} now")
    return found or ["the order of the bots"]
