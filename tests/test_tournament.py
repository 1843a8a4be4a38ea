"""Tournaments from end to end: real processes, real kills, and the same bytes after all."""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from gonuts_cli.arena.folder import Folder, Place, Record, write_whole
from gonuts_cli.arena.games import Player
from gonuts_cli.arena.names import file_names
from gonuts_cli.arena.settings import BotSettings, Settings
from gonuts_cli.arena.workers import LocalPool
from gonuts_cli.cli import app, common
from gonuts_cli.errors import GonutsError, UnfinishedGame, UnreadableInput, UsageError
from gonuts_cli.log.audit import audit_game
from gonuts_cli.log.compact import compact_game
from gonuts_cli.log.reader import RawGame, expand_paths, read_path
from gonuts_cli.log.validate import validate_game
from gonuts_cli.players.base import Limits
from gonuts_cli.players.run import Run, parse_bot

BOT = """\
import json, sys
mode = sys.argv[1] if len(sys.argv) > 1 else ""
print("bot is here", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "reuse": mode != "once"}), flush=True)
    elif message["type"] == "decide":
        if mode == "crash":
            print("I cannot go on", file=sys.stderr, flush=True)
            sys.exit(3)
        options, count = message["options"], message["counts"][0]
        choose = options[len(options) - count :]
        print(json.dumps({"id": message["id"], "choose": choose}), flush=True)
"""
# Says which files it finds below a folder, then plays.
SPY = BOT.replace(
    'print("bot is here", file=sys.stderr, flush=True)',
    "import os\n"
    "for at, _, names in os.walk(mode):\n"
    "    for name in names:\n"
    "        print(os.path.relpath(os.path.join(at, name), mode), file=sys.stderr, flush=True)",
)
SYSTEM_PYTHON = shutil.which("python3", path="/usr/bin:/usr/local/bin")
GONUTS = [sys.executable, "-m", "gonuts_cli"]
LONG = 120  # seconds: a bound for a machine under any load, never waited for


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("bot") / "bot.py"
    file.write_text(BOT)
    return f"{sys.executable} -I -S {file}"


def command(out: Path, bot: str, *more: str) -> list[str]:
    bots = ["-b", f"mine={bot}", "-b", "builtin:random", "-b", "third=builtin:greedy"]
    return [*GONUTS, "tournament", *bots, "--out", str(out), "--seed", "s" * 40, *more]


def run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, timeout=LONG, check=False)


def play(out: Path, bot: str, *more: str) -> tuple[bytes, bytes]:
    """Play; what games.jsonl and results.json hold then."""
    done = run(command(out, bot, *more))
    assert done.returncode == 0, done.stderr
    return (out / "games.jsonl").read_bytes(), (out / "results.json").read_bytes()


def bytes_played(out: Path) -> int:
    total = 0
    for file in [out / "games.jsonl", *(out / "journal").glob("*.journal")]:
        try:
            total += file.stat().st_size
        except FileNotFoundError:
            continue
    return total


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, bot: str) -> Path:
    out = tmp_path_factory.mktemp("whole") / "out"
    play(out, bot, "--deals", "12", "--workers", "1")
    return out


@pytest.mark.parametrize("workers", [1, 2])
def test_twelve_kills_change_nothing(workers: int, whole: Path, bot: str, tmp_path: Path) -> None:
    rng = random.Random(workers)
    out = tmp_path / "out"
    arguments = command(out, bot, "--deals", "12", "--workers", str(workers))
    size = (whole / "games.jsonl").stat().st_size
    for kill in range(12):
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # At a random number of bytes, so in the middle of anything; the first before any game.
        until = bytes_played(out) + rng.randrange(size // 14) if kill else -1
        while process.poll() is None and bytes_played(out) <= until:
            time.sleep(0.001)
        kind = rng.choice([signal.SIGKILL, signal.SIGINT]) if kill else signal.SIGKILL
        process.send_signal(kind)
        status = process.wait(LONG)
        assert status in (0, 130, -kind), "interrupted, killed, or just finished"
    games, results = play(out, bot, "--deals", "12", "--workers", str(workers))
    assert games == (whole / "games.jsonl").read_bytes()
    assert results == (whole / "results.json").read_bytes()
    assert not list((out / "journal").iterdir())


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_a_folder_that_was_stopped_holds_each_game_once(
    kind: signal.Signals, bot: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    arguments = command(out, bot, "--deals", "2000", "--workers", "2")
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = out / "games.jsonl"
    while process.poll() is None and (bytes_played(out) < 200_000 or not log.stat().st_size):
        time.sleep(0.001)
    process.send_signal(kind)
    process.wait(LONG)
    assert list(expand_paths([str(out)])) == [str(log)]
    if kind is signal.SIGINT:
        merged = {raw.data for raw in read_path(str(log))}
        for journal in (out / "journal").iterdir():
            games = {raw.data for raw in read_path(str(journal))}
            assert games - merged, "a journal stays only for games that wait"


def test_what_the_folder_holds(whole: Path) -> None:
    seed = (whole / "seed").read_text()
    assert seed == "s" * 40 + "\n"
    assert (whole / "seed").stat().st_mode & 0o777 == 0o600
    tag = hashlib.sha256(b"gonuts-commit/1:" + b"s" * 40).hexdigest()
    seats: Counter[tuple[str, int]] = Counter()
    games = list(read_path(str(whole / "games.jsonl")))
    for number, raw in enumerate(games):
        verdict = validate_game(raw)
        assert verdict.ok, verdict
        lines = raw.data.splitlines()
        first, last = json.loads(lines[0]), json.loads(lines[-1])
        deal, rotation = divmod(number, 3)
        assert first["game"] == f"{deal}.{rotation}"
        assert first["tags"] == {"deal": str(deal), "rotation": str(rotation), "tournament": tag}
        words = f"gonuts-deal/1:{'s' * 40}:{deal}:{rotation}".encode()
        assert last["seed"] == hashlib.sha256(words).hexdigest()
        seats.update(enumerate(first["players"]))  # type: ignore[arg-type]
    assert len(games) == 36
    assert set(seats.values()) == {12}
    timings = [json.loads(line) for line in (whole / "timings.jsonl").read_text().splitlines()]
    assert sorted(t["game"] for t in timings) == sorted(
        f"{d}.{r}" for d in range(12) for r in range(3)
    )
    assert (whole / "stderr" / "mine.0.txt").read_text() == "bot is here\n"
    assert "<html" in (whole / "report.html").read_text()


def test_results_are_an_independent_count_of_the_games(whole: Path) -> None:
    results = json.loads((whole / "results.json").read_bytes())
    assert list(results) == ["format", "tournament", "sandbox", "deals", "games", "bots"]
    assert (results["format"], results["sandbox"]) == ("gonuts-results/1", False)
    assert (results["deals"], results["games"]) == (12, 36)
    shares: Counter[str] = Counter()
    points: Counter[str] = Counter()
    for raw in read_path(str(whole / "games.jsonl")):
        audit = audit_game(raw.data)
        for seat, name in enumerate(audit.players):
            points[name] += audit.scores[seat]
            if seat in audit.winners:
                shares[name] += 1 / len(audit.winners)
    names = [bot["name"] for bot in results["bots"]]
    assert names == sorted(names, key=lambda name: -shares[name])
    for bot in results["bots"]:
        figures = [
            f"{f}{end}" for f in ("win_share", "points", "rating") for end in ("", "_low", "_high")
        ]
        assert list(bot) == ["name", "games", "seats", *figures, "faults"]
        assert (bot["games"], bot["seats"]) == (36, [12, 12, 12])
        assert bot["win_share"] == pytest.approx(shares[bot["name"]] / 36, abs=1e-6)
        assert bot["points"] == pytest.approx(points[bot["name"]] / 36, abs=1e-4)
        for figure in ("win_share", "points", "rating"):
            assert bot[f"{figure}_low"] <= bot[figure] <= bot[f"{figure}_high"]
        assert set(bot["faults"].values()) == {0}
    assert sum(bot["rating"] for bot in results["bots"]) == pytest.approx(4500, abs=0.1)


def test_rank_finds_the_same_in_the_logs_alone(whole: Path, tmp_path: Path) -> None:
    expected = json.loads((whole / "results.json").read_bytes())
    compact = tmp_path / "compact.jsonl"
    assert run([*GONUTS, "log", "compact", str(whole / "games.jsonl"), "-o", str(compact)])
    for games in whole / "games.jsonl", compact:
        done = run([*GONUTS, "rank", str(games), "--json"])
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {**expected, "sandbox": None}
    text = run([*GONUTS, "rank", str(whole / "games.jsonl")]).stdout
    assert "ahead of" in text
    assert "builtin:random" in text


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_a_ranking_keeps_to_one_core(whole: Path) -> None:
    """What it finds does not hang on how many there are."""
    program = (
        "import os, sys; from gonuts_cli.cli.app import run; run(sys.argv[1:]);"
        "print(len(os.listdir('/proc/self/task')), file=sys.stderr)"
    )
    env = {key: value for key, value in os.environ.items() if "NUM_THREADS" not in key}
    command = [sys.executable, "-c", program, "rank", str(whole / "games.jsonl"), "--json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stderr == "1\n"


def test_a_ranking_that_takes_a_while_says_so(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    games = str(whole / "games.jsonl")
    assert app.run(["rank", games]) == 0
    assert capfd.readouterr().err == ""
    monkeypatch.setattr(common, "_MANY_BOTS", 3)
    assert app.run(["rank", games]) == 0
    assert capfd.readouterr().err == "gonuts: ranking 3 bots takes a while\n"


def test_fresh_bots_pinned_workers_and_json_change_no_byte(
    whole: Path, bot: str, tmp_path: Path
) -> None:
    games = (whole / "games.jsonl").read_bytes()
    done = run(command(tmp_path / "a", bot, "--deals", "3", "--fresh-bots", "--pin", "--json"))
    assert games.startswith((tmp_path / "a" / "games.jsonl").read_bytes())
    assert json.loads(done.stdout) == json.loads((tmp_path / "a" / "results.json").read_bytes())


def test_more_deals_go_on_and_fewer_are_refused(whole: Path, bot: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    play(out, bot, "--deals", "2")
    games, results = play(out, bot, "--deals", "12")
    assert games == (whole / "games.jsonl").read_bytes()
    assert results == (whole / "results.json").read_bytes()
    fewer = run(command(out, bot, "--deals", "2"))
    assert fewer.returncode == 2
    assert "12 deals" in fewer.stderr


def test_another_configuration_is_refused_with_what_differs(whole: Path, bot: str) -> None:
    before = (whole / "games.jsonl").read_bytes()
    changed = run(command(whole, bot, "--deals", "12", "--move-ms", "77", "--table", "2"))
    assert changed.returncode == 2
    assert "limits.move_ms: 1000 before, 77 now" in changed.stderr
    assert "table: 3 before, 2 now" in changed.stderr
    seed = run([*command(whole, bot, "--deals", "12"), "--seed", "another"])
    assert seed.returncode == 2
    assert "the seed" in seed.stderr
    assert (whole / "games.jsonl").read_bytes() == before


def test_a_second_run_on_a_folder_is_refused(whole: Path, bot: str) -> None:
    lock = os.open(whole, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        second = run(command(whole, bot, "--deals", "12"))
    finally:
        os.close(lock)
    assert second.returncode == 2
    assert "another `gonuts tournament` is running" in second.stderr


def test_a_program_that_is_not_there_ends_it_before_the_first_game(tmp_path: Path) -> None:
    out = tmp_path / "out"
    bots = ["-b", "builtin:random", "-b", "gone=no-such-program-anywhere"]
    done = run([*GONUTS, "tournament", *bots, "--out", str(out)])
    assert done.returncode == 2
    assert "no-such-program-anywhere" in done.stderr
    assert not out.exists()


def test_bots_that_crash_or_cannot_start_lose_and_the_tournament_ends(
    bot: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    bots = ["-b", f"crashes={bot} crash", "-b", "mute=true", "-b", "builtin:random"]
    done = run([*GONUTS, "tournament", *bots, "--out", str(out), "--deals", "2", "--workers", "1"])
    assert done.returncode == 0, done.stderr
    results = json.loads((out / "results.json").read_bytes())
    by_name = {bot["name"]: bot for bot in results["bots"]}
    assert by_name["crashes"]["faults"]["crashed"] == 6
    assert by_name["mute"]["faults"]["crashed"] + by_name["mute"]["faults"]["no_start"] == 6
    assert by_name["builtin:random"]["win_share"] == 1
    assert "I cannot go on" in (out / "stderr" / "crashes.0.txt").read_text()
    assert "I cannot go on" in (out / "report.html").read_text()
    assert "your rights" in done.stderr


def test_stopping_drops_what_was_played_beyond(bot: str, tmp_path: Path) -> None:
    """A bot that crashes against one that does not: settled long before the end."""
    bots = ["-b", f"crashes={bot} crash", "-b", "builtin:random"]
    seen = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        more = ["--deals", "500", "--stop-when-decided", "0.95", "--workers", str(workers)]
        done = run([*GONUTS, "tournament", *bots, "--out", str(out), "--seed", "x", *more])
        assert done.returncode == 0, done.stderr
        assert "settled" in done.stdout
        seen.append(((out / "games.jsonl").read_bytes(), (out / "results.json").read_bytes()))
    assert seen[0] == seen[1]
    deals = json.loads(seen[0][1])["deals"]
    assert deals < 30
    again = run([*GONUTS, "tournament", *bots, "--out", str(out), "--seed", "x", *more])
    assert again.returncode == 0, again.stderr
    assert (out / "games.jsonl").read_bytes() == seen[0][0]


def test_a_seed_is_drawn_and_kept(tmp_path: Path) -> None:
    bots = ["-b", "builtin:random", "-b", "builtin:random"]
    arguments = [*GONUTS, "tournament", *bots, "--out", str(tmp_path / "out")]
    assert run([*arguments, "--deals", "1"]).returncode == 0
    first = (tmp_path / "out" / "games.jsonl").read_bytes()
    assert len((tmp_path / "out" / "seed").read_text().strip()) == 64
    assert run([*arguments, "--deals", "2"]).returncode == 0
    assert (tmp_path / "out" / "games.jsonl").read_bytes().startswith(first)


def test_a_kept_bot_is_told_that_no_game_will_come_and_its_last_words_are_kept(
    tmp_path: Path,
) -> None:
    file = tmp_path / "bot.py"
    file.write_text(BOT + 'print("bye", file=sys.stderr, flush=True)\n')
    out = tmp_path / "out"
    bots = ["-b", f"mine={sys.executable} -I -S {file}", "-b", "builtin:random"]
    patience = ["--start-ms", "60000", "--move-ms", "60000"]
    done = run([*GONUTS, "tournament", *bots, "--deals", "2", "--out", str(out), *patience])
    assert done.returncode == 0, done.stderr
    for words in (out / "stderr").iterdir():
        assert words.read_text() == "bot is here\nbye\n"


def test_words_that_cannot_be_kept_stop_the_tournament_and_leave_those_that_are(
    bot: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    play(out, bot, "--deals", "2", "--workers", "1")
    words = out / "stderr" / "mine.0.txt"
    before = words.read_text()
    in_the_way = out / "stderr" / ".mine.0.txt.new"
    in_the_way.mkdir()
    done = run(command(out, bot, "--deals", "4", "--workers", "1"))
    assert done.returncode == 2
    assert f"{words}: Is a directory: what bot 'mine' says cannot be kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert words.read_text() == before
    in_the_way.rmdir()
    assert run(command(out, bot, "--deals", "4", "--workers", "1")).returncode == 0


def test_words_of_one_bot_that_cannot_be_kept_take_no_others_with_them(
    bot: str, tmp_path: Path
) -> None:
    spec = parse_bot(bot)
    bots = tuple(BotSettings(name, spec.kind, spec.command) for name in "abc")
    limits = Limits(start_ms=LONG * 1000, move_ms=LONG * 1000)
    (tmp_path / ".b.new").mkdir()
    player = Player(Settings(bots, 3, "1", limits=limits), [tmp_path / name for name in "abc"])
    with pytest.raises(GonutsError, match="what bot 'b' says cannot be kept"):
        player.play((0, 0))
    with pytest.raises(GonutsError, match="what bot 'b' says cannot be kept"):
        player.close()
    assert [(tmp_path / name).exists() for name in "abc"] == [True, False, True]


@pytest.mark.parametrize("there", ["pipe", "device", "folder"])
def test_what_is_no_usual_file_in_place_of_words_is_not_read(
    there: str, bot: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    words = out / "stderr" / "mine.0.txt"
    words.parent.mkdir(parents=True)
    if there == "pipe":
        os.mkfifo(words)
    elif there == "device":
        words.symlink_to("/dev/zero")
    else:
        words.mkdir()
    done = run(command(out, bot, "--deals", "1", "--workers", "1"))
    assert done.returncode == 2
    assert f"{words}: it is no usual file: what bot 'mine' says" in done.stderr
    assert "Errno" not in done.stderr


def test_ctrl_c_while_the_workers_start_shows_no_traceback(bot: str, tmp_path: Path) -> None:
    """It goes to all processes of a terminal; a worker is deaf to it from its very beginning."""
    process = subprocess.Popen(
        command(tmp_path / "out", bot, "--deals", "99", "--workers", "4"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not (tmp_path / "out" / "games.jsonl").exists():  # The workers are started next.
        assert process.poll() is None
        os.sched_yield()
    for _ in range(60):
        os.killpg(process.pid, 0)
        os.sched_yield()
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == 130
    assert b"Traceback" not in said


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_while_the_bots_end_leaves_nothing_alive_and_no_words_out(
    kind: signal.Signals, tmp_path: Path
) -> None:
    file = tmp_path / "bot.py"
    begin = "import os, signal\nprint(os.getpid(), file=sys.stderr, flush=True)\n"
    end = 'print("waits for ever", file=sys.stderr, flush=True)\nsignal.pause()\n'
    file.write_text(BOT.replace("mode =", f"{begin}mode =", 1) + end)
    out = tmp_path / "out"
    bots = ["-b", f"mine={sys.executable} -I -S {file}", "-b", "builtin:random"]
    patience = ["--start-ms", "60000", "--move-ms", "60000"]
    options = ["--deals", "1", "--out", str(out), "--workers", "1", *patience]
    process = subprocess.Popen(
        [*GONUTS, "tournament", *bots, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    words = out / "stderr" / "mine.0.txt"
    log = out / "games.jsonl"
    while not log.exists() or log.read_bytes().count(b"game_ended") < 2:
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(kind)
    assert process.wait(LONG) == 130
    pid, *others = words.read_text().splitlines()
    assert others == ["bot is here", "waits for ever"]
    assert list((out / "journal").iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_what_bots_said_is_saved_before_they_are_ended(
    bot: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A worker that cannot end them in time is killed, and their words must not go with it."""
    spec = parse_bot(f"mine={bot} once")
    bots = (BotSettings("mine", spec.kind, spec.command), BotSettings("b", "builtin", ("random",)))
    limits = Limits(start_ms=LONG * 1000, move_ms=LONG * 1000)
    notes = [tmp_path / "mine", tmp_path / "b"]
    player = Player(Settings(bots, 2, "1", limits=limits), notes)
    saved: list[str] = []
    close = Run.close

    def closing(run: Run) -> None:
        saved.append(notes[0].read_text())
        close(run)

    monkeypatch.setattr(Run, "close", closing)
    for rotation in range(2):
        player.play((0, rotation))
    player.close()
    assert saved == ["bot is here\n" * 2]


# The record, without processes


@pytest.fixture
def settings() -> Settings:
    bots = tuple(BotSettings(name, "builtin", ("random",)) for name in "ab")
    return Settings(bots, 2, "1")


def played(settings: Settings, games: list[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    player = Player(settings)
    logs = {number: player.play(number).log for number in games}
    player.close()
    return logs


@pytest.fixture
def opened(tmp_path: Path, settings: Settings) -> Callable[[], Record]:
    def opened() -> Record:
        folder = Folder(tmp_path)
        try:
            folder.claim(settings)
            return Record(folder, settings, lambda number, log: True)
        finally:
            folder.close()

    return opened


def test_games_enter_in_schedule_order_whatever_order_they_finish_in(
    opened: Callable[[], Record], settings: Settings, tmp_path: Path
) -> None:
    numbers = [(0, 0), (0, 1), (1, 0)]
    logs = played(settings, numbers)
    record = opened()
    offset = 0
    with open(tmp_path / "journal" / "w.journal", "ab") as journal:
        record.journal_opened("w.journal")
        for number in numbers[::-1]:
            journal.write(logs[number])
            journal.flush()
            record.finished(number, Place("w.journal", offset, len(logs[number])))
            offset += len(logs[number])
            record.merge()
            assert record.next == ((0, 0) if number != (0, 0) else (1, 1))
    assert (tmp_path / "games.jsonl").read_bytes() == b"".join(logs[n] for n in numbers)
    assert (tmp_path / "journal" / "w.journal").exists(), "its worker may write to it"
    record.journal_closed("w.journal")
    assert not (tmp_path / "journal" / "w.journal").exists()


def test_any_break_or_damage_is_dropped_and_nothing_else(
    opened: Callable[[], Record], settings: Settings, tmp_path: Path
) -> None:
    logs = played(settings, [(0, 0), (0, 1), (1, 0), (1, 1)])
    first, second, third, fourth = logs.values()
    games, journal = tmp_path / "games.jsonl", tmp_path / "journal" / "w.journal"
    opened().close()
    for broken in (
        second[:5],
        second[:100],
        second[:-1],
        second[:-1] + b"\0" * 9,
        b"\0" * 99,
    ):
        games.write_bytes(first + broken)
        journal.write_bytes(fourth + third[: len(third) // 2])
        record = opened()
        assert record.next == (0, 1)
        assert record.is_known((1, 1))
        assert not record.is_known((1, 0))
        record.close()
        assert games.read_bytes() == first
    journal.write_bytes(fourth + second)
    (tmp_path / "journal" / "v.journal").write_bytes(third)
    record = opened()
    assert record.next == (2, 0)
    record.close()
    assert games.read_bytes() == first + second + third + fourth
    assert not list((tmp_path / "journal").iterdir())


def test_more_than_a_kill_can_break_is_not_played_again_but_refused(
    opened: Callable[[], Record], settings: Settings, tmp_path: Path
) -> None:
    """Nobody wants the games behind a damaged one dropped, or those of a packed file."""
    logs = played(settings, [(0, 0), (0, 1), (1, 0)])
    first, second, third = logs.values()
    opened().close()
    games = tmp_path / "games.jsonl"
    for kept, spoilt in (
        (first, second.replace(b"plain", b"eclai", 1) + third),
        (first, third + second),
        (first, second.replace(b"plain", b"eclai", 1)),
        (first, third),
        (first, third[:300]),
        (first, second[:30] + b"something else"),
        (b"", played(Settings(settings.bots, 2, "another"), [(0, 0)])[0, 0]),
        (first + second, b"{}\n"),
        (b"", gzip.compress(first)),
        (b"", compact_game(first)),
        (b"", compact_game(first) + compact_game(second)),
    ):
        games.write_bytes(kept + spoilt)
        line = kept.count(b"\n") + 1
        with pytest.raises(UnreadableInput, match=f"games.jsonl, line {line}: .* is not game"):
            opened()
        assert games.read_bytes() == kept + spoilt


def test_games_that_results_were_made_from_are_not_played_again(
    opened: Callable[[], Record], tmp_path: Path
) -> None:
    opened().close()
    (tmp_path / "results.json").write_text("{}")
    for games in b"", None:
        (tmp_path / "games.jsonl").unlink()
        if games is not None:
            (tmp_path / "games.jsonl").write_bytes(games)
        with pytest.raises(UnreadableInput, match="put it back"):
            opened()
        (tmp_path / "games.jsonl").touch()


def test_workers_that_cannot_stay_alive_end_the_tournament_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    folder = Folder(tmp_path)
    folder.claim(settings)
    record = Record(folder, settings, lambda number, log: True)
    monkeypatch.setattr("sys.executable", shutil.which("false"))
    pool = LocalPool(settings, folder, record, 1, False)
    try:
        with pytest.raises(UnfinishedGame, match="end before they finish a game"):
            [pool.wait(LONG) for _ in range(100)]
    finally:
        assert pool.stop() == []
        record.close()
        folder.close()


def test_games_of_another_tournament_are_not_taken(
    opened: Callable[[], Record], settings: Settings, tmp_path: Path
) -> None:
    opened().close()
    other = played(Settings(settings.bots, 2, "2"), [(0, 0)])
    (tmp_path / "journal" / "w.journal").write_bytes(other[0, 0])
    record = opened()
    assert record.next == (0, 0)
    record.close()


def test_a_folder_with_other_games_is_left_alone(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "games.jsonl").write_text("mine\n")
    folder = Folder(tmp_path)
    with pytest.raises(UsageError, match="holds games"):
        folder.claim(settings)
    assert (tmp_path / "games.jsonl").read_text() == "mine\n"


def test_the_schedule_and_the_workers_agree_on_every_game(settings: Settings) -> None:
    (log,) = played(settings, [(3, 1)]).values()
    names = json.loads(log.splitlines()[0])["players"]
    assert names == settings.names(settings.schedule().seating(3, 1))
    assert validate_game(RawGame("x", 0, 1, 0, log)).ok


def test_names_are_safe_and_different_as_files() -> None:
    names = [
        "ann",
        "Ann",
        "a/b",
        "..",
        ".",
        "a\\b",
        "%2E",
        "z" * 64,
        "🍩" * 64,
        "🍩" * 63 + "x",
        "con ",
    ]
    files = file_names(names)
    assert len({name.casefold() for name in files}) == len(names)
    for file in files:
        assert file.isascii()
        assert not set(file) & set('/\\\0:*?"<>| ')
        assert not file.startswith(".")
        assert len(file) < 120


def test_a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "words"
    write_whole(file, b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(file, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["words"]
    assert file.read_bytes() == b"old"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "seed"
    write_whole(file, b"one", 0o600)
    write_whole(file, b"two", 0o600)
    assert file.read_bytes() == b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["seed"]


@pytest.mark.sandbox
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
@pytest.mark.skipif(SYSTEM_PYTHON is None, reason="no Python in the system's folders")
def test_in_the_sandbox_every_game_has_a_new_process(tmp_path: Path) -> None:
    """In a folder of its own, which others may read: root's bots are nobody in there."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        os.chmod(place, 0o755)
        file = Path(place, "bot.py")
        file.write_text(BOT)
        bots = ["-b", f"mine={SYSTEM_PYTHON} {file}", "-b", "builtin:random"]
        out = tmp_path / "out"
        more = ["--deals", "2", "--sandbox", "--start-ms", "60000", "--move-ms", "60000"]
        done = run([*GONUTS, "tournament", *bots, "--out", str(out), "--workers", "1", *more])
        assert done.returncode == 0, done.stderr
        assert "your rights" not in done.stderr
    results = json.loads((out / "results.json").read_bytes())
    assert results["sandbox"] is True
    assert sum(bot["faults"]["crashed"] for bot in results["bots"]) == 0
    assert (out / "stderr" / "mine.0.txt").read_text() == "bot is here\n" * 4


@pytest.mark.sandbox
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
@pytest.mark.skipif(SYSTEM_PYTHON is None, reason="no Python in the system's folders")
@pytest.mark.parametrize(
    ("out", "seed", "folder", "refused"),
    [
        ("results", "", "", ""),
        ("results", 'seed = "sssssssss"', "", ""),
        ("results", "", 'folder = "bots/ann"', ""),
        ("results", "", 'folder = "."', "results"),
        ("bots/ann/results", "", 'folder = "bots/ann"', "bots/ann/results"),
        ("bots/ann/results", "", "", "bots/ann/results"),
        ("bots", "", 'folder = "bots/stderr"', "bots/stderr"),
        ("../results", "", 'folder = "."', ""),
        ("../results", 'seed = "sssssssss"', 'folder = "."', "tournament.toml"),
    ],
)
def test_a_bot_of_a_file_sees_neither_results_nor_seed_nor_others(
    out: str, seed: str, folder: str, refused: str
) -> None:
    # Not in /tmp, which every confined bot has one of its own.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as top:
        home = Path(top) / "home"
        for name in ("ann", "bob", "stderr"):
            (home / "bots" / name).mkdir(parents=True)
        (home / "bots" / "bob" / "secret").write_text("")
        for name in ("ann", "stderr"):
            (home / "bots" / name / "bot.py").write_text(SPY)
        program = "bot.py" if folder not in ("", 'folder = "."') else "bots/ann/bot.py"
        config = home / "tournament.toml"
        config.write_text(
            f'out = "{out}"\n{seed}\nsandbox = true\ndeals = 1\nstart_ms = 60000\n'
            f'move_ms = 60000\n[[bot]]\nname = "ann"\n{folder}\n'
            f'command = ["{SYSTEM_PYTHON}", "{program}", "{home}"]\n'
            '[[bot]]\nname = "random"\ncommand = "builtin:random"\n'
        )
        subprocess.run(["chmod", "-R", "a+rX", top], check=True)
        done = run([*GONUTS, "tournament", "--config", str(config)])
        if refused:
            assert done.returncode == 2
            assert f"the bot could read {home / refused}," in done.stderr.replace(
                "the bot could read tournament.toml", f"the bot could read {config}"
            )
            return
        assert done.returncode == 0, done.stderr
        (said,) = (home / out / "stderr").glob("ann.*")
        seen = set(said.read_text().splitlines())
        if folder == 'folder = "."':  # the organiser's own word
            assert "bots/bob/secret" in seen
        else:
            assert seen == {"bots/ann/bot.py"}


def test_sandbox_options_need_the_sandbox(tmp_path: Path) -> None:
    bots = ["-b", "builtin:random", "-b", "builtin:random"]
    done = run([*GONUTS, "tournament", *bots, "--out", str(tmp_path / "o"), "--memory", "100"])
    assert done.returncode == 2
    assert "--sandbox-read, --memory and --cpu-seconds belong to --sandbox" in done.stderr


@pytest.mark.parametrize(
    "option", ["--start-ms", "--move-ms", "--game-ms", "--memory", "--cpu-seconds", "--workers"]
)
def test_a_number_too_large_for_anything_is_refused(option: str, tmp_path: Path) -> None:
    bots = ["-b", "builtin:random", "-b", "builtin:random", "--sandbox", "--deals", "1"]
    out = tmp_path / "o"
    done = run([*GONUTS, "tournament", *bots, "--out", str(out), option, str(2**64)])
    assert done.returncode == 2
    assert f"{2**64} is not in the range" in done.stderr
    assert not out.exists()


@pytest.mark.parametrize("hang_up", [False, True])
def test_a_worker_that_cannot_go_on_says_why_and_ends_quietly(
    tmp_path: Path, hang_up: bool
) -> None:
    """A thread still reads its input, which may end as soon as the parent knows."""
    bots = tuple(BotSettings(name, "builtin", ("nobody",)) for name in "ab")
    start = {
        "settings": Settings(bots, 2, seed="1").to_json(),
        "folder": str(tmp_path),
        "worker": 0,
        "core": None,
    }
    (tmp_path / "journal").mkdir()
    (tmp_path / "stderr").mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "gonuts_cli.arena.workers"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stderr is not None
        for line in (start, {"games": [[0, 0]]}):
            worker.stdin.write(json.dumps(line).encode() + b"\n")
            worker.stdin.flush()
        assert "nobody" in json.loads(worker.stdout.readline())["error"]
        if hang_up:
            worker.stdin.close()
        assert worker.stderr.read() == b""
        assert worker.wait(LONG) == 0


@pytest.mark.parametrize(
    "changed", [{"winners": [77]}, {"winners": "x"}, {"scores": []}, {"scores": [10**9, 0]}]
)
def test_a_result_that_somebody_changed_is_refused_when_the_tournament_goes_on(
    changed: dict[str, object], tmp_path: Path
) -> None:
    """With a digest that fits: all that can tell is that no game ends so."""
    bots = ["-b", "builtin:random", "-b", "r2=builtin:random"]
    command = [*GONUTS, "tournament", *bots, "--deals", "2", "--out", str(tmp_path / "out")]
    assert subprocess.run(command, capture_output=True).returncode == 0
    games = tmp_path / "out" / "games.jsonl"
    *lines, last = games.read_bytes().splitlines(keepends=True)
    first = max(i for i, line in enumerate(lines) if line.startswith(b'{"event":"game_started"'))
    digest = hashlib.sha256(b"".join(lines[first:])).hexdigest()
    ending = json.dumps({**json.loads(last), **changed, "digest": digest}, separators=(",", ":"))
    games.write_bytes(b"".join(lines) + ending.encode() + b"\n")
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2
    assert "gonuts: game 1.1: " in ended.stderr
    assert "Traceback" not in ended.stderr
