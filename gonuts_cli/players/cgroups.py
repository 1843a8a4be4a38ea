"""Where this process may make cgroups, to bound a bot's memory and processes; versions 1 and 2.

A bot's group is made by its own first process, a shell that runs JOIN, and named after its pid;
groups whose process is gone are removed by whoever comes next, since one that was killed cannot
remove its own.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_PREFIX = "gonuts."

# For each "FOLDER NAME=VALUE … /" before "--": makes FOLDER/gonuts.PID, writes the values ("?NAME"
# only where there is such a file) and enters it; then drops the "--".
JOIN = """
while [ "$1" != -- ]; do
  for old in "$1"/gonuts.*; do
    [ -d "/proc/${old##*.}" ] || rmdir "$old" 2>/dev/null
  done
  group=$1/gonuts.$$
  mkdir -p "$group" || exit 125
  shift
  while [ "$1" != / ]; do
    name=${1%%=*}
    if [ "$name" = "${name#\\?}" ] || [ -e "$group/${name#\\?}" ]; then
      echo "${1#*=}" >"$group/${name#\\?}" || exit 125
    fi
    shift
  done
  echo $$ >"$group/cgroup.procs" || exit 125
  shift
done
shift
"""


class Group(NamedTuple):
    """A folder of a cgroup hierarchy in which groups can be made, and what is bounded there."""

    folder: Path
    version: int
    controllers: frozenset[str]


def arguments(groups: tuple[Group, ...], memory: int, processes: int) -> list[str]:
    """The arguments of JOIN that bound `memory` (bytes, swap included) and `processes`."""
    found: list[str] = []
    for group in groups:
        found.append(str(group.folder))
        if "memory" in group.controllers and group.version == 2:
            found += [f"memory.max={memory}", "?memory.swap.max=0", "?memory.oom.group=1"]
        elif "memory" in group.controllers:
            found += [f"memory.limit_in_bytes={memory}", f"?memory.memsw.limit_in_bytes={memory}"]
        if "pids" in group.controllers:
            found.append(f"pids.max={processes}")
        found.append("/")
    return found


@functools.cache
def usable() -> tuple[Group, ...] | None:
    """The groups that bound memory and processes here, or None; found by trying.

    A group of its own for the processor is added where it can be: it keeps a bot with a hundred
    processes to the share of one.
    """
    mounts = Path("/proc/self/mountinfo").read_text("utf-8", "replace")
    own = Path("/proc/self/cgroup").read_text("utf-8", "replace")
    for candidate in candidates(mounts, own):
        for groups in (candidate, tuple(g for g in candidate if g.controllers != {"cpu"})):
            if _works(groups):
                atexit.register(sweep, groups)
                return groups
    return None


def candidates(mountinfo: str, own: str) -> Iterator[tuple[Group, ...]]:
    """What is worth trying, the best first, from the texts of /proc/self/mountinfo and cgroup.

    Version 2: this process's group and those above it, since one that holds processes cannot bound
    its children but its parent, when it belongs to the same user, can. Version 1: one hierarchy
    for each controller, and this process's group in it.
    """
    places = dict(_places(mountinfo, own))
    unified = places.get("")
    if unified is not None:
        mount, folder = unified
        for above in (folder, *folder.parents):
            if not above.is_relative_to(mount):
                break
            yield (Group(above, 2, frozenset({"memory", "pids"})),)
    if "memory" in places and "pids" in places:
        yield tuple(
            Group(places[name][1], 1, frozenset({name}))
            for name in ("memory", "pids", "cpu")
            if name in places
        )


def _places(mountinfo: str, own: str) -> Iterator[tuple[str, tuple[Path, Path]]]:
    """For each controller ("" for version 2): where its hierarchy is mounted, and our group."""
    groups = {}
    for line in own.splitlines():
        _, controllers, group = line.split(":", 2)
        groups.update(dict.fromkeys(controllers.split(","), group))
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        root, mount = before.split(" ")[3:5]
        kind, _, options = after.split(" ")
        names = {"cgroup2": [""], "cgroup": options.split(",")}.get(kind, [])
        for name in names:
            path = Path(groups.get(name, "/nowhere"))
            if path.is_relative_to(root):
                yield name, (Path(mount), Path(mount, path.relative_to(root)))


def _works(groups: tuple[Group, ...]) -> bool:
    for group in groups:
        if group.version == 2:  # it may be on already, or not ours to switch on
            with contextlib.suppress(OSError):
                (group.folder / "cgroup.subtree_control").write_text("+memory +pids")
    tried = subprocess.run(
        [
            "/bin/sh",
            "-c",
            JOIN + 'exec "$@"',
            "try",
            *arguments(groups, 64 << 20, 16),
            "--",
            "true",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    sweep(groups)
    return tried.returncode == 0


def sweep(groups: tuple[Group, ...]) -> None:
    """Remove the groups of processes that are gone."""
    for group in groups:
        for old in group.folder.glob(_PREFIX + "*"):
            if not Path("/proc", old.name.removeprefix(_PREFIX)).exists():
                with contextlib.suppress(OSError):  # another run was quicker
                    old.rmdir()
