"""`--resume`: a log that breaks off anywhere is played on to the very bytes (SPEC §8); forks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gonuts_cli.arena.fork import fork, parse_at
from gonuts_cli.arena.record import read_unfinished, resume
from gonuts_cli.arena.referee import play
from gonuts_cli.errors import UnreadableInput, UsageError
from gonuts_cli.game import Game
from gonuts_cli.log.decode import LogError
from gonuts_cli.log.encode import LogWriter
from gonuts_cli.log.reader import RawGame
from gonuts_cli.log.validate import validate_game
from gonuts_cli.players.base import Fault, Limits
from gonuts_cli.players.hub import Hub
from gonuts_cli.players.inside import BuiltinSeat
from gonuts_cli.players.messages import Seen
from gonuts_cli.rules.decisions import Decision
from gonuts_cli.rules.events import Decided

SEED = "resume"


class ErringSeat(BuiltinSeat):
    """`random`, but at fault wherever the view says so: the same in a resumed game."""

    def __init__(self, hub: Hub, fault: str, rounds: range) -> None:
        super().__init__("random", hub)
        self._fault, self._rounds = fault, rounds

    def ask(self, decision: Decision, seen: Seen) -> None:
        super().ask(decision, seen)
        if seen.view["round"] in self._rounds:
            self.reply = Fault(self._fault, "on purpose")


Seats = Callable[[Hub], list[BuiltinSeat]]


def honest(hub: Hub) -> list[BuiltinSeat]:
    return [BuiltinSeat(name, hub) for name in ("random", "sly", "greedy")]


def erring(hub: Hub) -> list[BuiltinSeat]:
    return [
        ErringSeat(hub, "timeout", range(2, 6)),
        ErringSeat(hub, "illegal", range(3, 4)),
        ErringSeat(hub, "crashed", range(4, 99)),
    ]


def finish(game: Game, seats: Seats, already: int = 0) -> bytes:
    """Play to the end; what is written behind the first `already` bytes."""
    hub = Hub()
    pieces: list[bytes] = []
    sink = LogWriter(game, pieces.append, already)
    play(game, seats(hub), sink=sink, limits=Limits(), hub=hub)
    return b"".join(pieces)


@pytest.mark.parametrize("seats", [honest, erring])
def test_a_log_cut_at_any_byte_is_played_on_to_the_very_bytes(seats: Seats) -> None:
    def anew() -> Game:
        return Game(3, SEED, tags={"event": "Zoë"})

    log = finish(anew(), seats)
    if seats is erring:
        assert b'"disqualified"' in log
    lines: dict[int, bytes] = {}
    for cut in range(len(log) + 1):
        game, kept = resume(log[:cut], SEED, anew)
        assert kept == log[:cut].rfind(b"\n") + 1
        # Whatever breaks off is dropped, so one ending does for all cuts of one line.
        if kept not in lines:
            lines[kept] = finish(game, seats, kept)
            assert log[:kept] + lines[kept] == log
    assert len(lines) == log.count(b"\n") + 1


def test_recorded_answers_of_an_open_set_stand_and_only_the_others_are_asked() -> None:
    log = finish(Game(3, SEED), honest)
    cut = log.index(b'"player":1,"decision":"bid"')
    kept = log[:cut].rfind(b"\n") + 1
    game, _ = resume(log[:cut], SEED, lambda: Game(3, SEED))
    assert [decision.player for decision in game.pending] == [1, 2]
    assert game.log() == log[:kept]


@pytest.mark.parametrize("part", [b'{"event":"game_started","format":"gonuts-log/1"', b"", b"{"])
def test_a_log_that_tells_nothing_begins_anew(part: bytes) -> None:
    game, kept = resume(part, SEED, lambda: Game(3, SEED))
    assert (kept, game.round, len(game.pending)) == (0, 1, 3)


def test_a_first_line_of_another_game_is_refused() -> None:
    part = Game(2, "other").log()[:200]
    with pytest.raises(UnreadableInput, match="another game's"):
        resume(part, SEED, lambda: Game(3, SEED))


def test_the_seed_is_needed_and_must_be_the_games() -> None:
    log = finish(Game(3, SEED), honest)
    with pytest.raises(UsageError, match="only with its seed"):
        resume(log[:2000], None, lambda: Game(3, SEED))
    with pytest.raises(UnreadableInput, match="commitment"):
        resume(log[:2000], "another", lambda: Game(3, SEED))


@pytest.mark.parametrize("lines", range(1, 30))
def test_an_empty_line_at_the_end_of_a_log_is_the_line_at_fault(lines: int) -> None:
    log = finish(Game(3, SEED), honest).splitlines(keepends=True)
    data = b"".join(log[:lines]) + b"\n"
    with pytest.raises(LogError) as refused:
        Game.replay(data, SEED)
    assert refused.value.line == lines + 1
    with pytest.raises(UnreadableInput, match=f"line {lines + 1}"):
        resume(data, SEED, lambda: Game(3, SEED))


@pytest.mark.parametrize("seed", [SEED, None])
@pytest.mark.parametrize("told", [(0, 2), (1,), (2,), (1, 2), (1, 0), (0, 0), (0, 1, 1)])
def test_answers_of_an_open_set_stand_in_seat_order_without_a_gap(
    told: tuple[int, ...], seed: str | None
) -> None:
    log = Game(3, SEED).log()
    line = '{"event":"decided","player":%d,"decision":"bid","choose":[1]}\n'
    wrong = next(at for at, player in enumerate(told) if player != at)
    for behind in b"", b'{"event":"round_started","round":2}\n':
        data = log + b"".join((line % player).encode() for player in told) + behind
        with pytest.raises(LogError) as refused:
            Game.replay(data, seed)
        assert refused.value.line == log.count(b"\n") + wrong + 1


def test_answers_are_not_said_again_where_a_card_of_the_refill_is_not_told() -> None:
    game = Game(2, "0")
    game.bid_all([1, 2])
    lines = game.log().splitlines(keepends=True)
    assert b'"refill"' in lines[-1]
    bids = [line for line in lines if b'"decided"' in line]
    for again in bids[:1], bids, bids[1:]:
        with pytest.raises(LogError) as refused:
            Game.replay(b"".join([*lines[:-1], *again]))
        assert refused.value.line == len(lines)


def test_a_damaged_log_is_refused_with_its_line() -> None:
    log = finish(Game(3, SEED), honest).replace(b'"to":"row:1"', b'"to":"row:2"', 1)
    with pytest.raises(UnreadableInput, match="line 3"):
        resume(log[:3000], SEED, lambda: Game(3, SEED))


# On the command line


def gonuts(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "gonuts_cli", *arguments],
        input=given,
        capture_output=True,
        check=False,
    )


BOTS = ("-b", "ann=builtin:sly", "-b", "bob=builtin:greedy")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    record = tmp_path_factory.mktemp("whole") / "game.jsonl"
    options = ("--tag", "site=here", "--game", "g", "--ruling", "twist_empty=others_pass")
    played = gonuts("play", *BOTS, "--seed", SEED, "-o", str(record), *options)
    assert played.returncode == 0
    return record.read_bytes()


@pytest.mark.parametrize("where", [0.1, 0.5, 0.999, 1.0])
def test_in_place(whole: bytes, where: float, tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    log.write_bytes(whole[: round(len(whole) * where)])
    went_on = gonuts("play", *BOTS, "--seed", SEED, "--resume", str(log))
    assert went_on.returncode == 0, went_on.stderr
    assert log.read_bytes() == whole
    assert b"ann" in went_on.stdout
    # The file's seats, with the names of the log.
    log.write_bytes(whole[: round(len(whole) * where)])
    bots = ["-b", "builtin:sly", "-b", "builtin:greedy"]
    assert gonuts("play", *bots, "--seed", SEED, "--resume", str(log)).returncode == 0
    assert log.read_bytes() == whole


def test_in_a_copy_the_log_stays_as_it_is(whole: bytes, tmp_path: Path) -> None:
    log, copy = tmp_path / "game.jsonl", tmp_path / "copy.jsonl"
    log.write_bytes(whole[:3333])
    options = (*BOTS, "--seed", SEED, "--resume", str(log), "--record", str(copy))
    assert gonuts("play", *options).returncode == 0
    assert (log.read_bytes(), copy.read_bytes()) == (whole[:3333], whole)
    assert gonuts("play", *options).returncode == 2  # the copy exists
    same = (*BOTS, "--seed", SEED, "--resume", str(log), "--record", str(log))
    assert gonuts("play", *same).returncode == 0
    assert log.read_bytes() == whole


def test_a_first_line_that_breaks_off_takes_the_options_again(whole: bytes, tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    log.write_bytes(whole[:100])
    options = ("--tag", "site=here", "--game", "g", "--ruling", "twist_empty=others_pass")
    assert gonuts("play", *BOTS, "--seed", SEED, "--resume", str(log)).returncode == 2
    assert log.read_bytes() == whole[:100]
    assert gonuts("play", *BOTS, "--seed", SEED, "--resume", str(log), *options).returncode == 0
    assert log.read_bytes() == whole


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((*BOTS,), "only with its seed"),
        ((*BOTS, "--seed", "other"), "commitment"),
        ((*BOTS, "--seed-file", "nothing-there"), "no such file"),
        ((*BOTS, "-b", "builtin:sly", "--seed", SEED), "there are 2 players"),
        (("-b", "eve=builtin:sly", "-b", "stdin", "--seed", SEED), "seat 0 is ann"),
        ((*BOTS, "--seed", SEED, "--tag", "site=there"), "--tag"),
        ((*BOTS, "--seed", SEED, "--game", "h"), "--game"),
        ((*BOTS, "--seed", SEED, "--ruling", "sprinkled_gift=any"), "--ruling"),
    ],
)
def test_what_does_not_fit_the_log_is_refused_and_the_log_untouched(
    whole: bytes, options: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    log = tmp_path / "game.jsonl"
    log.write_bytes(whole[:3333])
    refused = gonuts("play", *options, "--resume", str(log))
    assert refused.returncode == 2
    assert said in refused.stderr.decode()
    assert log.read_bytes() == whole[:3333]


def test_standard_input_goes_on_where_it_stopped(tmp_path: Path) -> None:
    vectors = Path(__file__).with_name("vectors") / "games"
    log = (vectors / "2p-1.log.jsonl").read_bytes()
    moves = (vectors / "2p-1.moves.jsonl").read_bytes().splitlines(keepends=True)
    started, ended = json.loads(log.splitlines()[0]), json.loads(log.splitlines()[-1])
    names = [word for name in started["players"] for word in ("-b", f"{name}=stdin")]
    record = tmp_path / "game.jsonl"
    seed = ("--seed", ended["seed"])
    cut = log.index(b'"decision":"bid"', len(log) // 2)
    cut = log.index(b"\n", cut) + 1
    record.write_bytes(log[:cut])
    done = log[:cut].count(b'"decided"')
    options = ("play", *names, *seed, "--resume", str(record))
    assert gonuts(*options, given=b"".join(moves[done : done + 1])).returncode == 3
    done = record.read_bytes().count(b'"decided"')
    assert gonuts(*options, given=b"".join(moves[done:])).returncode == 0
    assert record.read_bytes() == log


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x1f\x8b\x08", "compressed"),
        (b'{"event":"game_started","format":"gonuts-log-compact/1",', "compact"),
        (b"hello\n", "line 1"),
        (b"\x00" * 100 + b"\n", "line 1"),
    ],
)
def test_what_is_no_log_is_refused(data: bytes, said: str, tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    log.write_bytes(data)
    refused = gonuts("play", *BOTS, "--seed", SEED, "--resume", str(log))
    assert refused.returncode == 2
    assert said in refused.stderr.decode()
    assert log.read_bytes() == data


# What if


def test_a_fork_keeps_what_was_decided_before_and_is_a_whole_game() -> None:
    told = Game(3, SEED, rulings={"sprinkled_gift": "any"}, tags={"deal": "3"})
    log = finish(told, erring)
    decided = [event for event in told.events if isinstance(event, Decided)]
    for place in ("1", "1:2", "2:1", "4:3", f"{told.round}:3"):
        game = fork(log, parse_at(place), names=["x", "y", "z"])
        at = parse_at(place)
        assert game.tags == {"forked_at": f"{at[0]}:{at[1]}", "forked_from": told.game_id}
        assert game.game_id == f"{told.game_id}@{at[0]}:{at[1]}"
        assert (game.round, game.rulings) == (at[0], told.rulings)
        finish(game, honest)
        assert validate_game(RawGame("fork", 0, 1, 0, game.log())).ok
        again = [event for event in game.events if isinstance(event, Decided)]
        same = sum(1 for _ in _common(decided, again))
        before = sum(3 for _ in range(at[0] - 1)) + at[1] - 1
        assert same >= before


def _common(one: list[Decided], other: list[Decided]) -> list[Decided]:
    found = []
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        found.append(mine)
    return found


def test_the_same_players_play_a_fork_as_they_played_the_game() -> None:
    told = Game(3, SEED)
    log = finish(told, honest)
    game = fork(log, (3, 2))
    finish(game, honest)
    assert game.events == told.events


@pytest.mark.parametrize("place", ["0", "1:0", "x", "1:", ":1", "1:2:3", "-1", "99999"])
def test_a_place_is_a_round_and_a_decision(place: str) -> None:
    with pytest.raises(UsageError, match="ROUND"):
        parse_at(place)


def test_of_several_games_none_is_resumed(whole: bytes, tmp_path: Path) -> None:
    log = tmp_path / "two.jsonl"
    log.write_bytes(whole + whole[: len(whole) // 2])
    with pytest.raises(UnreadableInput, match=r"two\.jsonl holds several games"):
        read_unfinished(log)


def test_a_place_that_the_game_has_not_is_refused() -> None:
    log = finish(Game(3, SEED), honest)
    with pytest.raises(UsageError, match="no decision 99:1"):
        fork(log, (99, 1))
    with pytest.raises(UsageError, match="only with its seed"):
        fork(log[:2000], (1, 1))


def test_fork_on_the_command_line(whole: bytes, tmp_path: Path) -> None:
    log, record = tmp_path / "game.jsonl", tmp_path / "fork.jsonl"
    log.write_bytes(whole)
    forked = gonuts(
        *("play", "--fork", str(log), "--at", "5:2", "-b", "eve=builtin:random"),
        *("-b", "builtin:greedy", "-o", str(record)),
    )
    assert forked.returncode == 0, forked.stderr
    started = json.loads(record.read_bytes().splitlines()[0])
    assert started["players"] == ["eve", "player-1"]
    assert started["tags"] == {"forked_at": "5:2", "forked_from": "g"}
    assert started["rulings"] == {"twist_empty": "others_pass"}
    assert gonuts("validate", str(record)).returncode == 0
    refused = gonuts("play", "--fork", str(log), "--at", "77", *BOTS)
    assert (refused.returncode, refused.stdout) == (2, b"")


def test_a_fork_needs_a_player_for_each_seat(whole: bytes, tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    log.write_bytes(whole)
    words = ["play", "--fork", str(log), "--at", "2", *["-b", "builtin:random"] * 5]
    done = subprocess.run([sys.executable, "-m", "gonuts_cli", *words], capture_output=True)
    assert done.returncode == 2
    assert b"players, but --bot is given 5 times" in done.stderr
