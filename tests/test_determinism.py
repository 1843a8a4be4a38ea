"""The same games give the same bytes everywhere (SPEC §4): other hash seeds, locales, Pythons."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIBRARIES = "mypy_extensions, orjson"
"""What playing a game needs."""
PROGRAM = """
import sys
from hashlib import sha256
sys.path.insert(0, {root!r})
from tests.golden import random_game
print(sha256(b"".join(random_game(number).log() for number in range(60))).hexdigest())
"""


def digest(python: str, **environment: str) -> str:
    done = subprocess.run(
        [python, "-c", PROGRAM.format(root=str(ROOT))],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_hash_seed_locale_and_time_zone() -> None:
    plain = digest(sys.executable, PYTHONHASHSEED="0")
    assert plain == digest(
        sys.executable, PYTHONHASHSEED="123", LC_ALL="C", TZ="Asia/Kathmandu", PYTHONUTF8="0"
    )


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_other_pythons(version: str) -> None:
    python = other_python(version)
    if python is None:
        pytest.skip(f"there is no Python {version} with gonuts' dependencies here")
    assert digest(python) == digest(sys.executable)


def other_python(version: str) -> str | None:
    """A Python of that version that can import what gonuts needs; `GONUTS_PYTHONS` adds folders."""
    folders = os.environ.get("GONUTS_PYTHONS", "").split(os.pathsep)
    for folder in [*filter(None, folders), *os.environ["PATH"].split(os.pathsep)]:
        python = shutil.which(f"python{version}", path=folder)
        if python is None:
            continue
        check = f"import sys, {LIBRARIES}; assert sys.version.startswith('{version}.')"
        able = subprocess.run([python, "-c", check], capture_output=True)
        if able.returncode == 0:
            return python
    return None
