"""Measure, and write the tables into docs/performance.md: `python -m benchmarks [SECTION...]`.

The sections are `ratios`, `exchange`, `profile`, `peers` and `growth`; without any, all of them
that can be measured. The profile is of plain Python, so of an editable installation; where the
rules are not compiled, `ratios` measures only what that changes, and has a table of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import exchanges, growth, peers, profiles
from benchmarks.measure import compiled, cores

_ROOT = Path(__file__).parents[1]
PAGE = _ROOT / "docs" / "performance.md"
_EQUAL = 1.1
"""How many times as much memory ten times the work may take, to count as equal."""
_CHANGED_BY_COMPILING = "test_validate or test_game or test_exchange"
_QUIET = 0.5
"""The load of a machine on which nothing else runs, at most."""


def main() -> None:
    """Measure the sections that the command line names."""
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument("section", nargs="*", help=f"{', '.join(_SECTIONS)}; all if none is named")
    names = parser.parse_args().section or [
        name for name in _SECTIONS if not (name == "profile" and compiled())
    ]
    for name in names:
        if name not in _SECTIONS:
            parser.error(f"there is no section {name!r}; there are {', '.join(_SECTIONS)}")
    if "profile" in names and compiled():
        parser.error("the profile is of plain Python: install with `pip install --editable`")
    load = os.getloadavg()[0]
    if load > _QUIET:
        print(f"other work runs, or did till now (load {load:.1f}): the figures may be off")
    for name in names:
        lines = [f"`python -m benchmarks {name}`, {_today()}, {_machine()}:", ""]
        for line in _SECTIONS[name]():
            print(line, flush=True)
            lines.append(line)
        page = PAGE.read_text("utf-8")
        place = "ratios of plain Python" if name == "ratios" and not compiled() else name
        PAGE.write_text(replaced(page, place, "\n".join(lines).rstrip()), "utf-8")
        print(f"\nwritten to {PAGE.relative_to(_ROOT)}", flush=True)


def replaced(page: str, name: str, text: str) -> str:
    """The page with `text` between the two comments of a section.

    >>> replaced("<!-- x --> old <!-- end of x -->", "x", "new")
    '<!-- x -->\\nnew\\n<!-- end of x -->'
    """
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"the page has no {begin} … {end}")
    return f"{before}{begin}\n{text}\n{end}{after}"


def _today() -> str:
    today = date.today()
    return f"{today.day} {today:%B %Y}"


def _machine() -> str:
    info = Path("/proc/cpuinfo").read_text("utf-8")
    models = {line.partition(":")[2].strip() for line in info.splitlines() if "model name" in line}
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    return (
        f"{len(cores())} of {os.cpu_count()} cores of {' and '.join(sorted(models))}, {system}, "
        f"Python {platform.python_version()}, rules {'' if compiled() else 'not '}compiled"
    )


def _ratios() -> Iterator[str]:
    with TemporaryDirectory() as folder:
        measured = Path(folder) / "ratios.json"
        command = [
            *(sys.executable, "-P", "-m", "pytest", "benchmarks", "-m", ""),
            *("--benchmark-enable", f"--benchmark-json={measured}"),
            *(() if compiled() else ("-k", _CHANGED_BY_COMPILING)),
        ]
        subprocess.run(command, cwd=_ROOT, check=True)
        rows = json.loads(measured.read_bytes())["benchmarks"]
    yield "| what | against | ratio | bar | aim | ours | theirs |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for row in rows:
        yield ratio_row(row["extra_info"], row["stats"]["median"])


def ratio_row(row: dict[str, Any], seconds: float) -> str:
    """A row of the table, from what a benchmark says of itself and our median time."""
    theirs = row["yardstick"]
    if row["kind"] == "memory":
        ratio = row["mib"] / theirs
        missed = ", missed" if ratio > _EQUAL else ""
        wanted = "equal | equal"
        taken = f"{row['mib']:.0f} MiB | {theirs:.0f} MiB"
    else:
        is_time = row["kind"] == "time"
        ratio = seconds / theirs if is_time else theirs / seconds
        missed = ", missed" if (ratio > row["bar"]) == is_time else ""
        wanted = f"{'≤' if is_time else '≥'} {row['bar']:g} | {row['aim']:g}"
        taken = f"{duration(seconds)} | {duration(theirs)}"
    return f"| {row['what']} | {row['against']} | **{ratio:.2f}**{missed} | {wanted} | {taken} |"


def duration(seconds: float) -> str:
    """Three digits of a time, in the unit that suits it.

    >>> duration(0.0123), duration(25.3e-6), duration(12)
    ('12.3 ms', '25.3 µs', '12 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


_SECTIONS: dict[str, Callable[[], Iterator[str]]] = {
    "ratios": _ratios,
    "exchange": exchanges.table,
    "profile": profiles.table,
    "peers": peers.tables,
    "growth": growth.tables,
}


if __name__ == "__main__":
    main()
