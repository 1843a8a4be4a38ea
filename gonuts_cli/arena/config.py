"""`tournament.toml`: all options of a tournament in a file (docs/tournament.toml is an example).

Every complaint names the file, the line and what to do about it.
"""

from __future__ import annotations

import difflib
import re
import shlex
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from gonuts_cli.arena.settings import MOST_WORKERS, BotSettings
from gonuts_cli.errors import UnreadableInput, UsageError
from gonuts_cli.players.base import MOST
from gonuts_cli.players.run import parse_bot
from gonuts_cli.rules.rulings import Rulings
from gonuts_cli.rules.texts import check_text


class Config(NamedTuple):
    """What a file says; `options` has the keys that it gives, of those in OPTIONS."""

    bots: list[BotSettings]
    rulings: dict[str, str]
    options: dict[str, Any]


class _Kind(NamedTuple):
    type: type
    words: str
    most: int = MOST


_COUNT = _Kind(int, f"a whole number from 1 to {MOST}")
_TEXT = _Kind(str, 'a text in quotes: "…"')
_SWITCH = _Kind(bool, "true or false")

OPTIONS: dict[str, _Kind] = {
    "out": _TEXT,
    "deals": _COUNT,
    "table": _COUNT,
    "seed": _TEXT,
    "workers": _Kind(int, f"a whole number from 1 to {MOST_WORKERS}", MOST_WORKERS),
    "fresh_bots": _SWITCH,
    "pin": _SWITCH,
    "start_ms": _COUNT,
    "move_ms": _COUNT,
    "game_ms": _COUNT,
    "sandbox": _SWITCH,
    "memory": _COUNT,
    "cpu_seconds": _COUNT,
    "sandbox_read": _Kind(list, 'a list of texts: ["…"]'),
    "stop_when_decided": _Kind(float, "a number such as 0.95"),
    "cluster": _TEXT,
}
"""What may stand at the top of the file: the long options of `gonuts tournament`, `_` for `-`."""

_BOT_KEYS = ("name", "command", "folder", "team")
_TABLE = re.compile(r"\s*\[\[?\s*([\w\"'-]+)\s*\]\]?")


def load(path: Path) -> Config:
    """Read a configuration; raises UnreadableInput or UsageError with the line.

    Paths in it (`out`, `folder`, `sandbox_read`) are relative to the file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UnreadableInput(f"{path}, line {line}: the file is not UTF-8; save it so") from None
    return parse(text, path)


def parse(text: str, path: Path) -> Config:
    """`load` of a text that stands in `path`."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: this is not TOML: {_with_line(str(error), text)}") from None
    return _Reader(text, path).read(values)


def _with_line(message: str, text: str) -> str:
    """tomllib says where, except at the end of the file."""
    if "line" in message:
        return message
    return message.replace("at end of document", f"at line {len(text.splitlines())}, the last")


class _Reader:
    def __init__(self, text: str, path: Path) -> None:
        self._lines = text.splitlines()
        self._path = path
        self._here = path.absolute().parent

    def read(self, values: Mapping[str, Any]) -> Config:
        bots: list[BotSettings] = []
        rulings: dict[str, str] = {}
        options: dict[str, Any] = {}
        for key, value in values.items():
            if key == "bot":
                bots = self._bots(value)
            elif key == "rulings":
                rulings = self._rulings(value)
            elif key in OPTIONS:
                options[key] = self._option(key, value)
            else:
                self._unknown(key, [*OPTIONS, "rulings", "bot"], None, 0)
        return Config(bots, rulings, options)

    def _option(self, key: str, value: Any) -> Any:
        kind = OPTIONS[key]
        if kind.type is float and type(value) is int:
            value = float(value)
        fits = isinstance(value, kind.type) and (kind.type is bool or not isinstance(value, bool))
        if not fits or (kind.type is int and not 1 <= value <= kind.most):
            self._wrong(f"{key} must be {kind.words}", key)
        if key == "sandbox_read":
            if not all(isinstance(item, str) for item in value):
                self._wrong(f"{key} must be {kind.words}", key)
            return [str(self._here / item) for item in value]
        return str(self._here / value) if key == "out" else value

    def _rulings(self, value: Any) -> dict[str, str]:
        if not isinstance(value, dict):
            self._wrong(
                'rulings must be a table: [rulings], then twist_empty = "cancel"', "rulings"
            )
        for name, ruling in value.items():
            try:
                Rulings.parse({name: ruling})
            except UsageError as error:
                self._wrong(str(error), name, "rulings")
        return dict(value)

    def _bots(self, value: Any) -> list[BotSettings]:
        if not (isinstance(value, list) and all(isinstance(bot, dict) for bot in value)):
            self._wrong("each bot is a table of its own: [[bot]], with two brackets", "bot")
        return [self._bot(bot, number) for number, bot in enumerate(value)]

    def _bot(self, bot: Mapping[str, Any], number: int) -> BotSettings:
        for key, value in bot.items():
            if key not in _BOT_KEYS:
                self._unknown(key, _BOT_KEYS, "bot", number)
            if not isinstance(value, str) and key != "command":
                self._wrong(f'{key} must be a text in quotes: "…"', key, "bot", number)
        if "name" not in bot or "command" not in bot:
            missing = "name" if "name" not in bot else "command"
            self._wrong(f'this bot has no {missing}; add {missing} = "…"', None, "bot", number)
        key = "name"
        try:
            check_text(bot["name"], "a bot's name", 64)
            key = "command"
            kind, command = _command(bot["command"])
        except UsageError as error:
            self._wrong(str(error), key, "bot", number)
        folder = bot.get("folder")
        if kind == "process":
            folder = str(self._here / (folder or ""))
        own = kind != "process" or "folder" in bot
        return BotSettings(bot["name"], kind, command, folder, bot.get("team"), own)

    def _unknown(self, key: str, known: Any, table: str | None, number: int) -> NoReturn:
        near = difflib.get_close_matches(key.replace("-", "_"), known, 1)
        remedy = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        if table == "bot" and key in OPTIONS:
            remedy = "options of the tournament stand above the first [[bot]]"
        self._wrong(f"nothing is called {key!r} here; {remedy}", key, table, number)

    def _wrong(
        self, message: str, key: str | None, table: str | None = None, number: int = 0
    ) -> NoReturn:
        line = self._line(key, table, number)
        raise UsageError(f"{self._path}, line {line}: {message}")

    def _line(self, key: str | None, table: str | None, number: int) -> int:
        """The line of a key in the table's `number`th appearance; of the table itself else."""
        inside: str | None = None
        seen = -1
        found = 1
        for line, text in enumerate(self._lines, start=1):
            header = _TABLE.fullmatch(text.partition("#")[0].rstrip())
            if header is not None:
                inside = header[1].strip("\"'")
                seen += inside == table
                if inside == (table or key) and (table is None or seen == number):
                    found = line
            elif inside == table and (table is None or seen == number):
                name = text.partition("=")[0].strip().strip("\"'")
                if key is not None and (name == key or name.startswith(f"{key}.")):
                    return line
        return found


def _command(value: object) -> tuple[str, tuple[str, ...]]:
    """A bot's kind and words from a command line or a list of words; raises UsageError."""
    if isinstance(value, list) and value and all(isinstance(word, str) and word for word in value):
        value = shlex.join(value)
    if not isinstance(value, str):
        raise UsageError('command must be a text in quotes or a list of them: ["python3", "a.py"]')
    spec = parse_bot(value)
    if spec.name is not None and spec.kind == "process":
        # In a file a bot's name has its own key: what looks like one is part of the command.
        return "process", tuple(shlex.split(value))
    if spec.kind not in ("builtin", "process"):
        raise UsageError(f"the command cannot be {spec.kind}: a tournament is played by programs")
    return spec.kind, spec.command
