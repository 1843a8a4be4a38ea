"""The sandbox: what a confined bot can reach (nothing), and what the messages say (SPEC §8).

Every attack is bounded by itself too, so that a broken sandbox fails a test and no more.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from gonuts_cli.errors import UsageError
from gonuts_cli.players import cgroups, sandbox

PYTHON = shutil.which("python3", path="/usr/bin:/usr/local/bin")

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
    pytest.mark.skipif(PYTHON is None, reason="no Python in the system's folders"),
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder that a bot of root's may be shown from, too."""
    sandbox.require()
    folder = tmp_path / "bots"
    folder.mkdir()
    return folder


def bot(home: Path, name: str, program: str) -> list[str]:
    """The command of a bot that has a folder of its own."""
    folder = home / name
    folder.mkdir(mode=0o755)
    (folder / "bot.py").write_text(program)
    (folder / "bot.py").chmod(0o644)
    assert PYTHON is not None
    return [PYTHON, str(folder / "bot.py")]


def confined(
    command: list[str], *, reads: tuple[Path, ...] = (), memory_mib: int | None = None
) -> str:
    """What a confined program prints; "" when it was killed."""
    wrapped = sandbox.wrap(command, reads=reads, memory_mib=memory_mib, cpu_seconds=20)
    ran = subprocess.run(
        wrapped, input="", capture_output=True, text=True, timeout=120, start_new_session=True
    )
    return ran.stdout + ran.stderr


def test_it_is_nobody_without_any_right(home: Path) -> None:
    said = confined(
        bot(
            home,
            "who",
            """
import os
print(os.getuid(), os.getgid())
print(sorted(set(os.environ) - {"LC_CTYPE", "PWD"}))
for line in open("/proc/self/status"):
    if line.startswith(("CapEff", "NoNewPrivs")):
        print(line.split())
print([name for name in os.listdir("/proc") if name.isdigit() and int(name) > 50])
inherited = open("/proc/1/environ", "rb").read().split(b"\\0")
print([each for each in inherited if each and not each.startswith(b"PWD=")])
""",
        )
    )
    assert said.splitlines() == [
        "65534 65534",
        "['HOME', 'LANG', 'PATH']",
        "['CapEff:', '0000000000000000']",
        "['NoNewPrivs:', '1']",
        "[]",
        "[]",
    ]


def test_the_kernel_outside_does_not_take_it_for_root(home: Path) -> None:
    # In a user namespace that root makes with one number mapped, this file could be written.
    said = confined(
        bot(
            home,
            "sysctl",
            """
import glob, os
for path in ["/proc/sys/kernel/hostname", "/proc/sys/kernel/core_pattern", "/proc/self/comm"]:
    try:
        open(path, "r+").close()
        print("can write", path)
    except OSError as error:
        print(error.strerror)
print(open("/proc/self/mountinfo").read().count("uid=0"))
""",
        )
    )
    assert "can write" not in said
    assert said.splitlines()[-1] == "0"


def test_no_user_namespace_can_be_made_inside(home: Path) -> None:
    wrapped = sandbox.wrap(["/bin/sh", "-c", "unshare --user true; echo $?"])
    ran = subprocess.run(wrapped, capture_output=True, text=True, timeout=60)
    assert ran.stdout == "1\n"


def test_only_tmp_can_be_written_and_it_is_small(home: Path) -> None:
    said = confined(
        bot(
            home,
            "disk",
            """
import os
for folder in ["/", "/usr", "/etc", "/dev", "/proc", os.path.dirname(__file__)]:
    try:
        open(os.path.join(folder, "mine"), "w").close()
        print("can write", folder)
    except OSError:
        pass
written = 0
try:
    for name in range(10):
        with open(f"/tmp/{name}", "wb", buffering=0) as file:
            for _ in range(20):
                written += file.write(bytes(1 << 20))
except OSError as error:
    print(error.strerror)
print(written >> 20)
""",
        )
    )
    assert said.splitlines() == ["No space left on device", str(sandbox.TMP_MIB)]


def test_the_network_is_not_there(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        abstract = b"\0gonuts-test-%d" % os.getpid()
        local.bind(abstract)
        local.listen()
        said = confined(
            bot(
                home,
                "net",
                f"""
import socket
for kind, address in [
    (socket.AF_INET, ("127.0.0.1", {server.getsockname()[1]})),
    (socket.AF_UNIX, {abstract!r}),
    (socket.AF_INET, ("192.0.2.1", 80)),
]:
    try:
        s = socket.socket(kind)
        s.settimeout(3)
        s.connect(address)
        print("connected", address)
    except OSError as error:
        print(type(error).__name__)
""",
            )
        )
    assert "connected" not in said
    assert len(said.splitlines()) == 3


def test_processes_are_bounded(home: Path) -> None:
    said = confined(
        bot(
            home,
            "fork",
            """
import os, time
made = 0
try:
    while made < 400:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError as error:
    print(error.strerror)
print(made)
""",
        )
    )
    assert said.startswith("Resource temporarily unavailable\n")
    assert int(said.splitlines()[1]) < sandbox.PROCESSES


def test_memory_is_bounded(home: Path) -> None:
    said = confined(
        bot(
            home,
            "eat",
            """
kept = []
try:
    for _ in range(20):
        kept.append(b"x" * (16 << 20))
except MemoryError:
    raise SystemExit
print("had", len(kept) * 16)
""",
        ),
        memory_mib=96,
    )
    assert "had" not in said


def test_bounds_without_cgroups_are_those_of_processes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroups, "usable", lambda: None)
    said = confined(
        bot(
            home,
            "limits",
            """
import os, resource, time
print(resource.getrlimit(resource.RLIMIT_DATA)[1] >> 20, resource.getrlimit(resource.RLIMIT_CPU)[1])
made = 0
try:
    while made < 400:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError as error:
    print(error.strerror)
try:
    b"x" * (200 << 20)
    print("had")
except MemoryError:
    print("no memory")
""",
        ),
        memory_mib=96,
    )
    assert said.splitlines() == ["96 20", "Resource temporarily unavailable", "no memory"]


def test_it_dies_with_its_parent(home: Path) -> None:
    # The sandbox's parent is a shell that is killed; the bot's end of the pipe closes with the bot.
    command = bot(home, "orphan", "import time\nprint('up', flush=True)\ntime.sleep(100)\n")
    parent = subprocess.Popen(
        ["/bin/sh", "-c", '"$@" & wait', "parent", *sandbox.wrap(command)], stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    with parent.stdout as output:
        assert output.readline() == b"up\n"
        parent.kill()
        parent.wait()
        assert output.read() == b""  # returns only when nobody holds the other end


def test_groups_are_removed(home: Path) -> None:
    wrapped = sandbox.wrap(["/bin/sh", "-c", "echo up; read word"])
    with subprocess.Popen(wrapped, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        own = [group.folder / f"gonuts.{process.pid}" for group in cgroups.usable() or ()]
        assert all(folder.is_dir() for folder in own)
    # The kernel lets a group go only when the last of its processes is wholly gone.
    until = time.monotonic() + 120
    while any(folder.exists() for folder in own) and time.monotonic() < until:
        cgroups.sweep(cgroups.usable() or ())
    assert not any(folder.exists() for folder in own)


# What the command line means inside.


def test_a_relative_command_means_the_same(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = bot(home, "rel", "import os\nprint(os.getcwd())\n")
    monkeypatch.chdir(home)
    assert confined([command[0], "rel/bot.py"]) == f"{home}\n"
    (home / "elsewhere").mkdir()
    monkeypatch.chdir(home / "elsewhere")
    assert confined([command[0], "../rel/bot.py"]) == f"{home / 'elsewhere'}\n"


def test_a_given_folder_is_where_the_bot_runs(home: Path) -> None:
    command = bot(home, "given", "import os\nprint(os.listdir())\n")
    wrapped = sandbox.wrap([command[0], "bot.py"], folder=home / "given")
    ran = subprocess.run(wrapped, capture_output=True, text=True, timeout=60)
    assert ran.stdout == "['bot.py']\n"


def test_another_bots_folder_is_not_there(home: Path) -> None:
    bot(home, "victim", "")
    said = confined(bot(home, "thief", f"import os\nprint(os.listdir({str(home)!r}))\n"))
    assert said == "['thief']\n"
    said = confined(
        bot(home, "reader", f"import os\nprint(os.listdir({str(home)!r}))\n"), reads=(home,)
    )
    assert "victim" in said


def test_a_folder_with_secrets_is_refused(home: Path) -> None:
    command = bot(home, "near", "")
    for secret in (home / "near" / "seed", home / "near" / "out" / "deep"):
        with pytest.raises(UsageError, match="folder of its own"):
            sandbox.wrap(command, forbid=[secret])
    with pytest.raises(UsageError, match=r"could read .*seed"):
        sandbox.wrap(command, reads=[home], forbid=[home / "seed"])
    link = home / "link"
    link.symlink_to(home / "near")
    with pytest.raises(UsageError, match="could read"):
        sandbox.wrap(command, forbid=[link / "seed"])
    sandbox.wrap(command, forbid=[home / "seed", home / "out"])


def test_where_a_bot_runs_is_not_shown_unless_it_is_its_own(home: Path) -> None:
    (home / "secret").write_text("")
    interpreter, _ = bot(home, "low", "import os\nprint(os.getcwd(), os.listdir())\n")
    command = [interpreter, "low/bot.py"]
    sandbox.require()
    for wrapped, seen in (
        (sandbox.wrap(command, here=home), "['low']"),
        (sandbox.wrap(command, folder=home), "'secret'"),
    ):
        done = subprocess.run(wrapped, cwd=home, capture_output=True, text=True, check=True)
        assert done.stdout.startswith(f"{home} [")
        assert seen in done.stdout


@pytest.mark.parametrize("own", ["/tmp", "/", "/proc"])
def test_a_folder_that_holds_too_much_is_refused(own: str) -> None:
    with pytest.raises(UsageError, match="folder of its own"):
        sandbox.wrap(["/bin/sh"], folder=Path(own))


def test_a_bot_in_the_home_folder_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = bot(home, "me", "")
    monkeypatch.setenv("HOME", str(home / "me"))
    with pytest.raises(UsageError, match="whole home folder"):
        sandbox.wrap(command)


def test_an_interpreter_that_is_not_shown_is_named_with_the_remedy(home: Path) -> None:
    installed = home / "python" / "bin"
    installed.mkdir(parents=True)
    shutil.copy("/bin/sh", installed / "python3")
    venv = home / "venv" / "bin"
    venv.mkdir(parents=True)
    (venv / "python3").symlink_to(installed / "python3")
    script = bot(home, "mine", "echo here")[1]
    command = [str(venv / "python3"), script]
    with pytest.raises(UsageError) as caught:
        sandbox.wrap(command)
    remedy = f"add --sandbox-read {home}/venv --sandbox-read {home}/python, or say {PYTHON}"
    assert remedy in str(caught.value)
    assert confined(command, reads=(home / "venv", home / "python")) == "here\n"


def test_a_scripts_interpreter_is_looked_at(home: Path) -> None:
    (home / "python").mkdir()
    shutil.copy("/bin/sh", home / "python" / "special")
    command = bot(home, "script", f"#!{home}/python/special\n")
    Path(command[1]).chmod(0o755)
    with pytest.raises(UsageError, match=r"does not show .*special"):
        sandbox.wrap(command[1:])


def test_a_command_that_is_not_there(home: Path) -> None:
    for command in ([], ["no-such-program-anywhere"], [str(home / "none")], [str(home)]):
        with pytest.raises(UsageError, match=r"no such command|is a folder"):
            sandbox.wrap(command)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's bots change their user")
def test_what_nobody_may_not_read_is_told(home: Path) -> None:
    command = bot(home, "closed", "")
    (home / "closed").chmod(0o700)
    with pytest.raises(UsageError, match="chmod -R o"):
        sandbox.wrap(command)


def test_without_bubblewrap_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    sandbox.require.cache_clear()
    with pytest.raises(UsageError, match="install the package 'bubblewrap'"):
        sandbox.require()


# Where groups may be made: read from texts as the kernel writes them.


def test_groups_of_version_2_are_looked_for_upwards() -> None:
    mounts = "30 1 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
    found = list(cgroups.candidates(mounts, "0::/user.slice/app.slice/a.scope\n"))
    assert [str(groups[0].folder) for groups in found] == [
        "/sys/fs/cgroup/user.slice/app.slice/a.scope",
        "/sys/fs/cgroup/user.slice/app.slice",
        "/sys/fs/cgroup/user.slice",
        "/sys/fs/cgroup",
    ]
    arguments = cgroups.arguments(found[0], 1000, 7)
    assert arguments[1:] == [
        *("memory.max=1000", "?memory.swap.max=0", "?memory.oom.group=1", "pids.max=7", "/")
    ]


def test_groups_of_version_1_are_one_for_each_controller() -> None:
    mounts = (
        "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "35 31 0:32 /box /cg/memory rw - cgroup cgroup rw,memory\n"
        "39 31 0:36 / /cg/pids rw - cgroup cgroup rw,pids\n"
        "22 1 0:20 / /proc rw - proc proc rw\n"
    )
    own = "8:pids:/\n4:memory:/box/mine\n1:cpu,cpuacct:/x\n0::/\n"
    (groups,) = cgroups.candidates(mounts, own)
    assert [str(group.folder) for group in groups] == ["/cg/memory/mine", "/cg/pids", "/cg/cpu/x"]


def test_a_group_is_made_bounded_and_entered(tmp_path: Path) -> None:
    # Plain folders stand for the hierarchy: what is written where is what is looked at.
    group = cgroups.Group(tmp_path, 2, frozenset({"memory", "pids"}))
    ran = subprocess.run(
        [
            *("/bin/sh", "-c", cgroups.JOIN + 'echo $$ "$@"', "x"),
            *cgroups.arguments((group,), 1000, 7),
            *("--", "a", "b c"),
        ],
        capture_output=True,
        text=True,
    )
    pid, rest = ran.stdout.split(" ", 1)
    assert rest == "a b c\n"
    made = {path.name: path.read_text() for path in (tmp_path / f"gonuts.{pid}").iterdir()}
    assert made == {"memory.max": "1000\n", "pids.max": "7\n", "cgroup.procs": f"{pid}\n"}
