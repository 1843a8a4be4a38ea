"""`--sandbox`: a bot's command inside bubblewrap, bounded in memory, processes, disk and time.

`wrap` turns a command into the command that runs it confined; whoever starts it needs nothing else:
no hook between fork and exec, no file descriptor, no cleaning up. What the confined bot sees is
described in docs/sandbox.md.
"""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from gonuts_cli.errors import UsageError
from gonuts_cli.players import cgroups
from gonuts_cli.players.base import MEMORY_MIB
from gonuts_cli.players.programs import find_program, interpreter_of

PROCESSES = 128  # and threads; a JVM on many cores starts some 80
TMP_MIB = 64
SHM_MIB = 16
FILE_MIB = 64
NOBODY = 65534
PATH = "/usr/local/bin:/usr/bin:/bin"

# Folders of programs and libraries. /etc as a whole tells about the machine and its users: only
# what programs need to start is shown.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime")
_ETC_GLOBS = ("java-*",)
_OWN = ("/tmp", "/dev", "/proc")  # private in the sandbox: nothing may be laid over them

# The first process: enters the cgroups, forgets the environment (the second one's could be read in
# the sandbox, as /proc/1/environ) and becomes bubblewrap. The bot's output goes on as number 3,
# which bubblewrap's own processes close: with it open in them, nobody would see the bot close it.
_LAUNCH = cgroups.JOIN + 'exec /usr/bin/env -i "$@" 3>&1 >/dev/null\n'
_INSIDE = 'exec "$@" >&3 3>&-'


def wrap(
    command: list[str],
    *,
    folder: Path | None = None,
    here: Path | None = None,
    reads: Sequence[Path] = (),
    forbid: Sequence[Path] = (),
    memory_mib: int | None = None,
    cpu_seconds: int | None = None,
) -> list[str]:
    """The command line that runs `command` confined.

    `folder` is the bot's own, where it runs and its words are looked up; without it the bot runs in
    `here`, or where we do, which it is not shown, and its folder is that of the first existing file
    among the command's words that cannot be read anyway. `reads` can be read, too. No such folder
    may hold one of `forbid` (where results, record and seed are). `memory_mib` bounds all processes
    of the bot together where cgroups can be used, else each; `cpu_seconds` bounds each process.

    Raises UsageError with the remedy when a folder is not fit for it or a file that the command
    names could not be read inside.
    """
    here = Path(os.path.abspath(folder or here or Path.cwd()))
    words = _files_among(command, here)
    visible = [Path(name) for name in _SYSTEM if os.path.exists(name)] + _etc_entries()
    for extra in reads:
        if not extra.exists():
            raise UsageError(f"--sandbox-read {extra}: there is no such file or folder")
        visible.append(_fit(extra, "what --sandbox-read names"))
    if folder is not None:
        if not folder.is_dir():
            raise UsageError(f"the bot's folder {folder} is not a folder")
        visible.append(_fit(folder, "the bot's folder"))
    else:
        hidden = [path for path in _bots_own(command, words) if not _is_visible(path, visible)]
        visible += [_fit(path.parent, "the bot's folder", home=True) for path in hidden[:1]]
    _check_forbidden(visible, forbid)
    _check_readable(command, [*words, *_interpreter(words[0])], visible)
    if os.geteuid() == 0:
        _check_permissions([*visible, *words])

    groups = cgroups.usable()
    memory = memory_mib or MEMORY_MIB
    inside = [
        *("/bin/sh", "-c", _INSIDE, "bot"),
        *("/usr/bin/env", "prlimit", "--core=0", f"--fsize={FILE_MIB << 20}"),
        *([f"--cpu={cpu_seconds}"] if cpu_seconds else []),
        *([] if groups else [f"--data={memory << 20}", f"--nproc={PROCESSES}"]),
        *("--", command[0] if "/" in command[0] else str(words[0]), *command[1:]),
    ]
    return [
        *("/bin/sh", "-c", _LAUNCH, "gonuts-sandbox"),
        *(cgroups.arguments(groups, memory << 20, PROCESSES) if groups else []),
        *("--", *(_as_nobody(visible) if os.geteuid() == 0 else [])),
        *(_bubblewrap(), *_namespaces(), *_mounts(visible, here), "--", *inside),
    ]


@functools.cache
def require() -> None:
    """Raise UsageError, with what to do, unless bots can be confined on this machine.

    It is found out by confining a program that does nothing.
    """
    _bubblewrap()
    tried = subprocess.run(
        wrap(["/bin/sh", "-c", ":"]), stdin=subprocess.DEVNULL, capture_output=True, timeout=30
    )
    if tried.returncode == 0:
        return
    said = tried.stderr.decode(errors="replace").strip() or f"it ended with {tried.returncode}"
    remedy = "see docs/sandbox.md"
    if "disable-userns" in said:
        remedy = "bubblewrap 0.8 or newer is needed"
    elif "prlimit" in said:
        remedy = "prlimit, of util-linux, is needed"
    elif "amespace" in said or "uid map" in said or "ermi" in said:
        remedy = (
            "user namespaces seem to be forbidden; allow them with "
            "'sysctl kernel.unprivileged_userns_clone=1' (Debian) or "
            "'sysctl kernel.apparmor_restrict_unprivileged_userns=0' (Ubuntu), or in a container's "
            "options"
        )
    raise UsageError(f"--sandbox does not work here: {said}: {remedy}")


def _bubblewrap() -> str:
    found = shutil.which("bwrap")
    if found is None:
        raise UsageError(
            "--sandbox needs bubblewrap, and there is no 'bwrap' here: install the package "
            "'bubblewrap' (apt-get, dnf, pacman, zypper or apk have it)"
        )
    return found


def _namespaces() -> list[str]:
    return [
        *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
        *("--unshare-cgroup", "--disable-userns", "--die-with-parent", "--new-session"),
        *("--uid", str(NOBODY), "--gid", str(NOBODY), "--cap-drop", "ALL", "--hostname", "gonuts"),
        *("--clearenv", "--setenv", "PATH", PATH, "--setenv", "HOME", "/tmp"),
        *("--setenv", "LANG", "C.UTF-8"),
    ]


def _as_nobody(visible: Sequence[Path]) -> list[str]:
    """For root: shows what is visible, gives up root for good, and goes on to the real sandbox.

    In a user namespace that root makes, "nobody" would be root outside: a bot could write to
    /proc/sys, whose files ask for the user's number and not for capabilities, and no bound on
    processes would hold for it. An ordinary user cannot reach folders that lie in root's, so root
    lays them out first.
    """
    made: list[str] = []
    for path in _ordered(visible):
        for parent in reversed(path.parents[:-1]):
            made += ["--perms", "0755", "--dir", str(parent)]
        made += _shown(path)
    return [
        *(_bubblewrap(), "--unshare-pid", "--die-with-parent", "--cap-drop", "ALL"),
        *("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"),
        *("--bind", "/proc", "/proc", "--dev-bind", "/dev", "/dev", "--dir", "/tmp", *made, "--"),
        *("/usr/bin/env", "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
        *("--inh-caps=-all", "--bounding-set=-all", "--pdeathsig=KILL", "--"),
    ]


def _ordered(visible: Sequence[Path]) -> list[Path]:
    """Without those that lie in another, in an order that is the same every time."""
    kept: list[Path] = []
    for path in sorted(set(visible), key=lambda path: (len(path.parts), path)):
        if not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return kept


def _shown(path: Path) -> list[str]:
    if path.is_symlink() and str(path) in _SYSTEM:  # /bin is usr/bin on most systems
        return ["--symlink", os.readlink(path), str(path)]
    return ["--ro-bind", str(path), str(path)]


def _mounts(visible: Sequence[Path], here: Path) -> list[str]:
    """The whole file system of the sandbox, in the order in which it is laid."""
    mounts = [*("--proc", "/proc", "--remount-ro", "/proc"), *("--dev", "/dev")]
    mounts += ["--size", str(SHM_MIB << 20), "--perms", "1777", "--tmpfs", "/dev/shm"]
    mounts += ["--remount-ro", "/dev"]
    mounts += ["--size", str(TMP_MIB << 20), "--perms", "1777", "--tmpfs", "/tmp"]
    for path in _ordered(visible):
        mounts += _shown(path)
    if not any(here.is_relative_to(path) for path in visible):
        mounts += ["--dir", str(here)]  # so that relative words of the command mean the same
    return [*mounts, "--remount-ro", "/", "--chdir", str(here)]


def _etc_entries() -> list[Path]:
    etc = Path("/etc")
    found = [etc / name for name in _ETC] + [p for g in _ETC_GLOBS for p in sorted(etc.glob(g))]
    return [path for path in found if path.exists()]


def _fit(path: Path, what: str, home: bool = False) -> Path:
    """The folder as an absolute path, unless it holds so much that it must not be shown."""
    path = Path(os.path.abspath(path))
    real = path.resolve()
    if any(Path(own).is_relative_to(place) for own in _OWN for place in (path, real)):
        raise UsageError(f"{what} cannot be {path}: put the bot into a folder of its own")
    if home and Path.home().resolve().is_relative_to(real):
        raise UsageError(
            f"{what} would be {path}, which shows the bot your whole home folder: "
            "put the bot into a folder of its own"
        )
    return path


def _files_among(command: Sequence[str], here: Path) -> list[Path]:
    """The program and the files that the command names, as absolute paths, in order."""
    program = command[0] if command else ""
    words = [Path(find_program(program, here)), *(here / word for word in command[1:] if word)]
    return [Path(os.path.abspath(word)) for word in words if os.path.isfile(word)]


def _bots_own(command: Sequence[str], words: Sequence[Path]) -> Sequence[Path]:
    """The files that may tell the bot's folder: not an interpreter before its program."""
    interpreter = "/" not in command[0] or (words[0].parent.name == "bin" and len(words) > 1)
    return words[1:] if interpreter else words


def _interpreter(program: Path) -> list[Path]:
    """What runs the program when that is a script."""
    named = interpreter_of(program)
    return [] if named is None else [Path(named)]


def _hops(path: Path) -> list[Path]:
    """The path, every link that it leads over, and where it ends."""
    hops = [path]
    while hops[-1].is_symlink() and len(hops) < 40:
        hops.append(Path(os.path.abspath(hops[-1].parent / os.readlink(hops[-1]))))
    return hops


def _is_visible(path: Path, visible: Sequence[Path]) -> bool:
    return all(any(hop.is_relative_to(root) for root in visible) for hop in _hops(path)) and any(
        path.resolve().is_relative_to(root.resolve()) for root in visible
    )


def _check_permissions(paths: Sequence[Path]) -> None:
    """For root: raise UsageError for what "nobody" could not read."""
    for path in paths:
        wanted = 0o005 if path.is_dir() else 0o004
        if path.stat().st_mode & wanted != wanted:
            raise UsageError(
                f"bots of root run as 'nobody' in the sandbox, who may not read {path}: "
                f"chmod -R o+rX {path}, or run gonuts as an ordinary user"
            )


def _check_forbidden(visible: Sequence[Path], forbid: Sequence[Path]) -> None:
    for secret in forbid:
        for root in visible:
            if secret.resolve().is_relative_to(root.resolve()):
                raise UsageError(
                    f"the bot could read {secret}, since it may read {root}: put the bot into a "
                    "folder of its own, or the results, the record and the seed file elsewhere"
                )


def _check_readable(command: Sequence[str], words: Sequence[Path], visible: Sequence[Path]) -> None:
    """Raise UsageError with the remedy when files of the command would not be there."""
    hidden = [path for path in words if not _is_visible(path, visible)]
    if not hidden:
        return
    hops = [hop for path in hidden for hop in [*_hops(path), path.resolve()]]
    folders = [_prefix(hop) for hop in hops if not any(hop.is_relative_to(r) for r in visible)]
    instead = shutil.which(words[0].name, path=PATH) if hidden[0] == words[0] else None
    raise UsageError(
        f"the sandbox does not show {hidden[0]}, which {' '.join(command)!r} needs: add "
        + " ".join(dict.fromkeys(f"--sandbox-read {shlex.quote(str(f))}" for f in folders))
        + (f", or say {instead}, which is part of the system" if instead else "")
    )


def _prefix(path: Path) -> Path:
    """The folder to show for a program: all of an installation, not only its bin."""
    folder = path.parent
    if folder.name == "bin" and not Path.home().is_relative_to(folder.parent):
        return folder.parent
    return folder
