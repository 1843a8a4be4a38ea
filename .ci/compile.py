"""A hook of the build: where there is a C compiler, the rules are compiled into the wheel.

mypyc makes C of the modules of `gonuts_cli` that play a game, as they stand. Without a compiler, or
whatever else stands in the way, the wheel holds plain Python, which plays the same games, slower.
An editable installation stays plain, so that what is edited is what runs, and so does every other
with `HATCH_BUILD_NO_HOOKS=true`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILED = ("gonuts_cli/rules/*.py", "gonuts_cli/game.py", "gonuts_cli/log/encode.py")
"""What takes part in playing a game and writing its log."""
_SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


class CompileRules(BuildHookInterface):
    """Adds the compiled modules to a wheel, beside their sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the wheel is put together. Nothing is written where the sources are."""
        if version == "editable":
            return
        self._built = TemporaryDirectory()
        there = Path(self._built.name)
        shutil.copytree(Path(self.root, "gonuts_cli"), there / "gonuts_cli")
        modules = [path for pattern in COMPILED for path in there.glob(pattern)]
        # Libraries are not installed where a wheel is built; their types are not needed.
        flags = ["--config-file=", "--ignore-missing-imports"]
        done = subprocess.run(
            [sys.executable, "-m", "mypyc", *flags, *_within(there, modules)],
            cwd=there,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            said = f"{done.stdout}{done.stderr}".strip().splitlines() or ["no reason given"]
            self.app.display_warning(f"The rules are not compiled: {said[-1]}")
            return
        built = _within(
            there, [*there.glob(f"*{_SUFFIX}"), *there.glob(f"gonuts_cli/**/*{_SUFFIX}")]
        )
        build_data["force_include"].update({str(there / path): path for path in built})
        build_data.update(pure_python=False, infer_tag=True)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The wheel is there: drop what was made for it."""
        if version != "editable":
            self._built.cleanup()


def _within(folder: Path, paths: Iterable[Path]) -> list[str]:
    """The paths as they are called in the folder, whose own name is left out of what is built."""
    return sorted(str(path.relative_to(folder)) for path in paths)
