"""A hook of the build: where there is a C compiler, what plays is compiled into the wheel.

mypyc makes C of the modules of `gonuts_cli` that play a game, as they stand. Without a compiler, or
whatever else stands in the way, the wheel holds plain Python, which plays the same games, slower.
An editable installation stays plain, so that what is edited is what runs, and so does every other
with `HATCH_BUILD_NO_HOOKS=true`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILED = (
    "gonuts_cli/rules/*.py",
    "gonuts_cli/game.py",
    "gonuts_cli/log/encode.py",
    "gonuts_cli/players/hub.py",
    "gonuts_cli/arena/referee.py",
)
"""What plays a game, writes its log, and asks and waits for its players."""
_SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


class CompileRules(BuildHookInterface):
    """Adds the compiled modules to a wheel, beside their sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the wheel is put together. Nothing is written where the sources are."""
        if version == "editable":
            return
        self._scratch = TemporaryDirectory()
        there = Path(self._scratch.name)
        try:
            built = _compile(Path(self.root), there)
        except (OSError, subprocess.CalledProcessError) as error:
            said = (getattr(error, "stdout", "") or str(error)).strip().splitlines()
            self.app.display_warning(f"The rules are not compiled: {said[-1]}")
            return
        build_data["force_include"].update({str(there / path): path for path in built})
        build_data.update(pure_python=False, infer_tag=True)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The wheel is there: drop what was made for it."""
        if version != "editable":
            self._scratch.cleanup()


def _compile(root: Path, there: Path) -> list[str]:
    """Compile in an empty folder; where the extensions are in it, as they are to be in the wheel.

    Raises CalledProcessError with what the compiler said, or OSError.
    """
    for source in root.glob("gonuts_cli/**/*.py"):
        copy = there / source.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
    modules = [path for pattern in COMPILED for path in there.glob(pattern)]
    # Libraries are not installed where a wheel is built; their types are not needed.
    flags = ["--config-file=", "--ignore-missing-imports"]
    # Nobody else takes the place of a function in it, so calls within it are direct.
    direct = "-fvisibility=hidden -fno-semantic-interposition"
    subprocess.run(
        [sys.executable, "-m", "mypyc", *flags, *_within(there, modules)],
        cwd=there,
        env={**os.environ, "CPPFLAGS": f"{os.environ.get('CPPFLAGS', '')} {direct}".strip()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return _within(there, [*there.glob(f"*{_SUFFIX}"), *there.glob(f"gonuts_cli/**/*{_SUFFIX}")])


def _within(folder: Path, paths: Iterable[Path]) -> list[str]:
    """The paths as they are called in the folder."""
    return sorted(str(path.relative_to(folder)) for path in paths)
