"""What several commands share: reading PATHs and options, writing JSON lines (SPEC §8)."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from gonuts_cli.errors import UsageError
from gonuts_cli.rules.rulings import Rulings

CONFINED_ONLY = "--sandbox-read, --memory and --cpu-seconds belong to --sandbox"


def pairs(given: Sequence[str], option: str, metavar: str = "NAME=VALUE") -> dict[str, str]:
    """`NAME=VALUE` texts as a mapping; raises UsageError that names the `option`.

    >>> pairs(["site=here"], "--tag")
    {'site': 'here'}
    """
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise UsageError(f"{option} {text!r}: write it as {option} {metavar}")
        if name in found:
            raise UsageError(f"{option} {name} is given twice")
        found[name] = value
    return found


def rulings(given: Sequence[str]) -> dict[str, str]:
    """The `--ruling` options, checked; raises UsageError."""
    chosen = pairs(given, "--ruling")
    Rulings.parse(chosen)
    return chosen


def require_different(files: Mapping[str, str | Path | None]) -> None:
    """Raise UsageError when two options name one file, which the one would take from the other."""
    named: dict[str, str] = {}
    for option, path in files.items():
        # A device or a pipe takes from many.
        if path is not None and (os.path.isfile(path) or not os.path.exists(path)):
            earlier = named.setdefault(os.path.realpath(path), option)
            if earlier != option:
                raise UsageError(
                    f"{earlier} and {option} both name {path}: give each a file of its own"
                )


_MANY_BOTS = 150


def before_ranking(bots: int) -> None:
    """Say so when a ranking takes seconds: its time grows with the cube of the bots."""
    if bots >= _MANY_BOTS:
        print(f"gonuts: ranking {bots} bots takes a while", file=sys.stderr, flush=True)


def one_thread() -> None:
    """Have numpy, not loaded yet, compute in one thread.

    More are slower for a few hundred bots, much slower where other programs run, and what they find
    might hang on their number.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def write_json(value: Mapping[str, Any]) -> None:
    """One JSON line on standard output, handed to the system at once."""
    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))
    sys.stdout.buffer.flush()
