"""SPEC §5 and §7 sentence by sentence, with bots that are scripts and a clock that we turn."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import pairwise
from typing import Any

import pytest

from gonuts_cli.arena.referee import Exchange, GameReport, hello, play
from gonuts_cli.errors import UnfinishedGame
from gonuts_cli.game import Game
from gonuts_cli.log.encode import LogWriter
from gonuts_cli.log.reader import RawGame
from gonuts_cli.log.validate import validate_game
from gonuts_cli.players.base import Limits, Ready, Seat
from gonuts_cli.players.inside import BuiltinSeat
from gonuts_cli.players.lines import NoObject, read_object
from gonuts_cli.players.notes import HALF, Notes
from gonuts_cli.players.process import ProcessSeat
from gonuts_cli.rules.events import Decided
from tests.fake_bots import FakeBot, Script, World, at_move, honest, honest_listener

LIMITS = Limits(start_ms=5000, move_ms=1000)


def process_seat(world: World, script: Script) -> ProcessSeat:
    world.scripts.append(script)
    return ProcessSeat([str(len(world.scripts) - 1)], world.hub, world)  # type: ignore[arg-type]


def played(
    *scripts: Script | str,
    seed: str = "1",
    limits: Limits = LIMITS,
    world: World | None = None,
    game: Game | None = None,
) -> tuple[Game, GameReport, World]:
    """One game; a text is the name of a built-in bot. The log is checked."""
    world = world or World()
    game = game or Game(len(scripts), seed)
    seats: list[Seat] = [
        BuiltinSeat(script, world.hub) if isinstance(script, str) else process_seat(world, script)
        for script in scripts
    ]
    pieces: list[bytes] = []
    report = play(game, seats, sink=LogWriter(game, pieces.append), limits=limits, hub=world.hub)
    assert b"".join(pieces) == game.log()
    verdict = validate_game(RawGame("log", 0, 1, 0, game.log()))
    assert verdict.ok, verdict.message
    return game, report, world


def charged_with(script: Script, limits: Limits = LIMITS) -> tuple[list[str], list[str]]:
    """The faults of a bot that plays against `random`, which is never charged; and the messages."""
    game, report, _ = played(script, "random", limits=limits)
    assert game.faults[1] == []
    return game.faults[0], [charge.message or "" for charge in report.seats[0].charges]


# What a bot is told


def test_hello_has_the_keys_of_the_protocol_in_order() -> None:
    game = Game(names=["ann", "bob"], seed="s", rulings={"twist_empty": "others_pass"}, game="g")
    _, _, world = played(honest, "random", game=game, limits=Limits(10, 20, 3000))
    first = world.bots[0].received.split(b"\n")[0]
    assert first == (
        b'{"type":"hello","protocol":"gonuts-bot/1","rules":"gonuts-rules/1",'
        b'"rulings":{"twist_empty":"others_pass"},"game":"g","players":["ann","bob"],"you":0,'
        b'"seed_commitment":"%b","random":"%b","limits":{"start_ms":10,"move_ms":20,"game_ms":3000}}'
        % (
            sha256(b"gonuts-commit/1:s").hexdigest().encode(),
            sha256(b"gonuts-bot/1:s:0").hexdigest().encode(),
        )
    )


def test_ids_start_at_1_and_rise_by_one_and_decide_has_its_keys_in_order() -> None:
    _, _, world = played(honest, "random")
    asked = [line for line in world.bots[0].lines() if line["type"] == "decide"]
    assert [line["id"] for line in asked] == list(range(1, len(asked) + 1))
    assert list(asked[0]) == ["type", "id", "player", "decision", "options", "counts", "view"]


def test_game_over_is_the_last_message() -> None:
    game, _, world = played(honest, "random")
    assert world.bots[0].lines()[-1] == {
        "type": "game_over",
        "scores": game.result.scores,
        "cards": game.result.cards,
        "winners": game.result.winners,
        "seed": "1",
    }


def test_events_are_the_lines_of_the_log_and_come_before_the_request_that_follows_them() -> None:
    game, _, world = played(honest_listener, honest, "random")
    lines = world.bots[0].received.splitlines()
    prefix, suffix = b'{"type":"event","event":', b"}"
    events = [line[len(prefix) : -len(suffix)] for line in lines if line.startswith(prefix)]
    assert b"".join(event + b"\n" for event in events) == game.log()
    assert b'"type":"event"' not in world.bots[1].received
    # At each request the bot has heard all that the log has before it.
    heard: list[bytes] = []
    for line in lines:
        message = json.loads(line)
        if message["type"] == "event":
            heard.append(line)
        elif message["type"] == "decide" and message["decision"] == "bid":
            started = json.dumps(
                {"event": "round_started", "round": message["view"]["round"]}, separators=(",", ":")
            )
            assert prefix + started.encode() + suffix in heard


def test_lines_of_the_referee_are_short_without_spaces_and_in_utf_8() -> None:
    game = Game(names=["Zoë", "\U0001f369" * 64, "c", "d", "e", "f"], seed="1")
    _, _, world = played(honest_listener, *["random"] * 5, game=game)
    for line in world.bots[0].received.splitlines():
        assert len(line) < 16 * 1024
        message = json.loads(line)
        assert line.decode() == json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def test_a_fault_message_says_what_was_chosen() -> None:
    def wrong(bot: FakeBot, message: dict[str, Any]) -> None:
        bot.say({"id": message["id"], "choose": [99]})

    game, _, world = played(at_move(wrong), "random")
    told = next(line for line in world.bots[0].lines() if line["type"] == "fault")
    first = next(event for event in game.events if isinstance(event, Decided) and event.fault)
    assert list(told) == ["type", "id", "fault", "message", "choose"]
    assert (told["id"], told["fault"], told["choose"]) == (1, "illegal", list(first.choose))
    assert '"choose":[1]' in told["message"]
    assert "99 is not one of the options 1, 2, 3" in told["message"]


# Deadlines


def test_a_bot_that_says_nothing_at_start_is_not_waited_for_longer_than_start_ms() -> None:
    faults, messages = charged_with(lambda bot, message: None)
    assert faults == ["no_start"]
    assert "no `ready` came within 5000 ms, and nothing else" in messages[0]
    assert "flush" in messages[0]
    assert messages[0].endswith('Right would be: {"type":"ready"}')


def test_start_takes_as_long_as_the_slowest_not_the_sum() -> None:
    world = World()
    silent: Script = lambda bot, message: None  # noqa: E731
    played(silent, silent, silent, "random", world=world)
    assert 5.0 <= world.now - 100.0 < 5.1


def test_silence_at_a_move_is_a_timeout_each_time_and_three_put_the_bot_out() -> None:
    world = World()
    game, report, _ = played(at_move(lambda bot, message: None), "random", world=world)
    assert game.faults == [["timeout"] * 3, []]
    assert game.is_out(0)
    assert 3.0 <= world.now - 100.0 < 3.3
    assert [round(exchange.used) for exchange in report.seats[0].exchanges] == [1000] * 3


def test_what_a_bot_writes_does_not_extend_its_time() -> None:
    world = World()

    def chat(bot: FakeBot) -> None:
        bot.say({"type": "note"})
        world.now += 0.02

    def begin_to_chat(bot: FakeBot, message: dict[str, Any]) -> None:
        bot.at_each_look = chat

    game, _, _ = played(at_move(begin_to_chat), "random", world=world)
    assert game.faults == [["timeout"] * 3, []]
    assert world.now - 100.0 < 3.3


def test_an_answer_in_pieces_counts_when_it_is_whole_in_time() -> None:
    world = World()

    def in_pieces(bot: FakeBot, message: dict[str, Any]) -> None:
        answer = json.dumps({"id": message["id"], "choose": message["options"][:1]}).encode()
        pieces = [bytes([byte]) for byte in answer + b"\r\n"]

        def piece(bot: FakeBot) -> None:
            if pieces:
                bot.write(pieces.pop(0))

        bot.at_each_look = piece

    assert played(at_move(in_pieces), "random", world=world)[0].faults == [[], []]


def test_what_is_in_the_pipe_when_the_referee_looks_is_in_time() -> None:
    world = World()

    def answer_while_the_referee_sleeps(bot: FakeBot, message: dict[str, Any]) -> None:
        honest(bot, message)
        world.now += 30.0

    game, report, _ = played(at_move(answer_while_the_referee_sleeps), "random", world=world)
    assert game.faults == [[], []]
    assert all(exchange.used <= 1000 for exchange in report.seats[0].exchanges)


def test_the_last_look_after_the_deadline_finds_what_came_meanwhile() -> None:
    world = World()

    def both(bot: FakeBot, message: dict[str, Any]) -> None:
        other = world.bots[1 - world.bots.index(bot)]
        # The other one's answer comes after the poll, while this one's is handled.
        bot.say({"id": message["id"], "choose": [1]})
        world.now += 2.0
        other.say({"id": message["id"], "choose": [2]})

    said: list[int] = []

    def once(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["id"] > 1:
            honest(bot, message)
        elif not said:
            said.append(1)
            both(bot, message)

    assert played(at_move(once), at_move(once), world=world)[0].faults == [[], []]


def test_the_time_that_the_referee_loses_is_not_the_bots() -> None:
    world = World()

    def answer(bot: FakeBot, message: dict[str, Any]) -> None:
        honest(bot, message)
        world.now += 0.5  # The referee is off the processor; the answer is there.

    game, report, _ = played(
        at_move(answer), "random", world=world, limits=Limits(move_ms=1000, game_ms=1000)
    )
    assert game.faults == [[], []]
    assert report.seats[0].used < 30 * len(report.seats[0].exchanges)


def test_game_ms_bounds_the_sum_of_a_bots_own_times() -> None:
    world = World()

    def slow(bot: FakeBot, message: dict[str, Any]) -> None:
        ready_at = world.now + 0.9

        def later(bot: FakeBot) -> None:
            if world.now >= ready_at:
                bot.at_each_look = None
                honest(bot, message)

        bot.at_each_look = later

    game, report, _ = played(
        at_move(slow), "random", world=world, limits=Limits(move_ms=1000, game_ms=2000)
    )
    assert game.faults == [["timeout"] * 3, []]
    assert report.seats[0].used == pytest.approx(2000, abs=1)
    assert "ms for the game" in (report.seats[0].charges[0].message or "")


def test_start_has_its_own_budget() -> None:
    world = World()

    def late_start(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["type"] != "hello":
            honest(bot, message)
            return
        ready_at = world.now + 4.0

        def later(bot: FakeBot) -> None:
            if world.now >= ready_at:
                bot.at_each_look = None
                honest(bot, message)

        bot.at_each_look = later

    limits = Limits(start_ms=5000, move_ms=10, game_ms=100)
    assert played(late_start, "random", world=world, limits=limits)[0].faults == [[], []]


# Which line is read against which request


def test_lines_that_come_while_none_is_pending_wait_for_their_request() -> None:
    def ahead(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["type"] == "hello":
            bot.say({"type": "ready"})
            for number in range(1, 40):
                bot.say({"id": number, "choose": [1]})

    _, report, _ = played(ahead, "random")
    charged = [charge.fault for charge in report.seats[0].charges]
    assert set(charged) <= {"illegal"}  # [1] is legal wherever it is a position
    assert report.seats[0].stale == 0


def test_junk_after_an_answer_is_read_against_the_next_request() -> None:
    def junk(bot: FakeBot, message: dict[str, Any]) -> None:
        honest(bot, message)
        if message["id"] == 1:
            bot.write(b"junk\n")

    game, report, _ = played(at_move(junk), "random")
    assert game.faults[0] == ["malformed"]
    assert [exchange.fault for exchange in report.seats[0].exchanges][:3] == [
        None,
        "malformed",
        None,
    ]
    assert report.seats[0].stale == 1  # the answer to the request that was charged


def test_stale_answers_are_dropped_and_counted() -> None:
    def other_ids(bot: FakeBot, message: dict[str, Any]) -> None:
        for number in (message["id"] - 1, message["id"] + 7, str(message["id"]), True, 1.0, None):
            bot.say({"id": number, "choose": [1]})
        honest(bot, message)

    def from_two_on(bot: FakeBot, message: dict[str, Any]) -> None:
        (honest if message["id"] == 1 else other_ids)(bot, message)

    game, report, _ = played(at_move(from_two_on), "random")
    assert game.faults == [[], []]
    assert report.seats[0].stale == 6 * (len(report.seats[0].exchanges) - 1)


@pytest.mark.parametrize("number", ["1", 2, None, 1.0])
def test_a_bot_that_is_late_for_its_id_is_shown_the_line(number: object) -> None:
    def wrong(bot: FakeBot, message: dict[str, Any]) -> None:
        bot.say({"id": number, "choose": [1]})

    def wrong_at_first(bot: FakeBot, message: dict[str, Any]) -> None:
        (wrong if message["id"] == 1 else honest)(bot, message)

    _, report, _ = played(at_move(wrong_at_first), "random")
    (charge,) = report.seats[0].charges
    assert charge.fault == "timeout"
    line = json.dumps({"id": number, "choose": [1]})
    said = (charge.message or "").replace(" ", "")
    assert "isnotthenumber1:1" in said
    assert line.replace(" ", "") in said


def test_other_objects_are_dropped() -> None:
    def notes(bot: FakeBot, message: dict[str, Any]) -> None:
        bot.say({"type": "note", "text": "thinking"})
        bot.write(b'{"half":"\\ud800","large":1e999,"larger":%b}\n' % (b"9" * 400))
        bot.write(b"\n\r\n  \n")
        honest(bot, message)

    game, report, _ = played(at_move(notes), "random")
    assert (game.faults, report.seats[0].stale) == ([[], []], 0)


def test_an_object_in_place_of_an_answer_is_shown() -> None:
    """Its author must not look for lines that are not flushed."""
    faults, messages = charged_with(at_move(lambda bot, message: bot.say({"bid": 1})))
    assert faults == ["timeout"] * 3
    for message in messages:
        assert 'objects that came and answer nothing: 1, the last was {"bid": 1}' in message
        assert "flush" not in message
    _, messages = charged_with(lambda bot, message: bot.say({"id": 0}))
    assert 'lines that came with an `id`: 1, the last was {"id": 0}' in messages[0]
    faults, messages = charged_with(lambda bot, message: bot.say({"type": "Ready"}))
    assert faults == ["no_start"]
    assert 'the last was {"type": "Ready"}' in messages[0]
    assert "flush" not in messages[0]


def test_a_bot_that_prints_what_it_is_told_is_not_told_it_again() -> None:
    def echoes(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["type"] == "fault":
            bot.note(f"told: {message['message']}\n")
        elif message["type"] == "decide":
            bot.say({"id": message["id"], "choose": [99]})
        else:
            honest(bot, message)

    faults, messages = charged_with(echoes)
    assert faults == ["illegal"] * 3
    assert not any("told" in message for message in messages)

    def raises(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["type"] == "fault":
            bot.note(f"Traceback:\nRuntimeError: {message['message']}\n")
            bot.exit(1)
        elif bot.child.returncode is None:
            echoes(bot, message)

    _, messages = charged_with(raises)
    assert "RuntimeError: 99 is not one of the options" in messages[1]


@pytest.mark.parametrize(
    ("line", "fault", "said"),
    [
        (b"Welcome!", "malformed", "print notes to standard error"),
        (b"[1]", "malformed", "JSON, but a list and not an object"),
        (b"true", "malformed", "a truth value"),
        (b'{"id":1,"choose":NaN}', "malformed", "NaN"),
        (b'{"id":1,"choose":[2]', "malformed", "no JSON"),
        (b'\xef\xbb\xbf{"id":1,"choose":[2]}', "malformed", "byte order mark"),
        (b'{"id":1,"note":"\xff","choose":[2]}', "malformed", "not UTF-8"),
        (b"[" * 50_000, "malformed", "nested"),
        (b'{"id":1,"choose":' + b"[" * 30_000 + b"]" * 30_000 + b"}", "malformed", "nested"),
        (b'{"id":1}', "malformed", "there is no `choose`"),
        (b'{"id":1,"choose":2}', "malformed", "`choose` is not a list"),
        (b'{"choose":[2]}', "malformed", "there is no `id`"),
        (b'{"id":1,"choose":[true]}', "illegal", "true is not one of"),
        (b'{"id":1,"choose":["1"]}', "illegal", '"1" is not one of'),
        (b'{"id":1,"choose":[1.0]}', "illegal", "1.0 is not one of"),
        (b'{"id":1,"choose":[%b]}' % (b"9" * 400), "illegal", "is not one of"),
        (b'{"id":1,"choose":[%b]}' % (b"9" * 5000), "illegal", "is not one of"),
        (b'{"id":1,"choose":["\\ud800"]}', "illegal", "is not one of"),
        (b'{"id":1,"choose":[1,2]}', "illegal", "has 2 options where 1 may be chosen"),
        (b'{"id":1,"choose":[]}', "illegal", "has 0 options"),
        (b'{"id":1,"choose":[' + b"1," * 20_000 + b"1]}", "illegal", "has 20001 options"),
        (b"x" * 65_537, "flooded", "more than 65536 bytes"),
        (b"x" * 65_536, "malformed", "no JSON"),
    ],
)
def test_each_bad_line_has_its_fault_and_the_message_says_why(
    line: bytes, fault: str, said: str
) -> None:
    def bad(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["id"] == 1:
            bot.write(line + b"\n")
        else:
            honest(bot, message)

    faults, messages = charged_with(at_move(bad))
    assert faults == [fault]
    assert said in messages[0]
    assert len(messages[0]) < 1000
    assert messages[0].isprintable()


def test_a_message_shows_what_would_have_been_right() -> None:
    def bad(bot: FakeBot, message: dict[str, Any]) -> None:
        bot.write(b"Welcome!\n")

    _, messages = charged_with(at_move(bad))
    assert 'Right would be, for example: {"id":1,"choose":[1]}' in messages[0]
    assert "Welcome!" in messages[0]


# Before `ready`


def test_before_ready_other_lines_are_noted_and_dropped() -> None:
    def chatty(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["type"] == "hello":
            bot.write(b'Welcome!\n\xff\n{"choose":[1]}\n{"id":1,"choose":[1]}\n[]\n')
        honest(bot, message)

    game, report, _ = played(chatty, "random")
    assert game.faults == [[], []]
    assert report.seats[0].stale == 1
    assert len(report.seats[0].remarks) == 1
    assert "Welcome! — standard output is for messages only" in report.seats[0].remarks[0]


def test_ready_may_say_nothing_and_nonsense_in_it_is_not_believed() -> None:
    def strange(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["type"] == "hello":
            bot.say({"type": "ready", "name": ["x"], "events": 1, "reuse": "true"})
        else:
            honest(bot, message)

    game, report, _ = played(strange, honest)
    assert game.faults == [[], []]
    assert [seat.ready for seat in report.seats] == [("", False, False)] * 2


# Faults that put a bot out at once


def test_a_bot_that_ends_has_crashed_and_its_last_words_are_told() -> None:
    def crash(bot: FakeBot, message: dict[str, Any]) -> None:
        bot.note("Traceback:\nKeyError: 'plain'\n")
        bot.write(b'{"id":1,"choo')
        bot.exit(0)

    game, report, _ = played(at_move(crash), "random")
    assert game.faults == [["crashed"], []]
    message = report.seats[0].charges[0].message or ""
    assert message.startswith("the process ended with exit status 0 before it answered")
    assert '{"id":1,"choo' in message
    assert "KeyError: 'plain'" in message
    assert report.seats[0].last_words == "Traceback:\nKeyError: 'plain'"


def test_a_bot_that_answers_and_then_ends_has_answered() -> None:
    def answer_and_end(bot: FakeBot, message: dict[str, Any]) -> None:
        honest(bot, message)
        bot.exit(0)

    game, report, _ = played(at_move(answer_and_end), "random")
    assert game.faults == [["crashed"], []]
    assert [exchange.fault for exchange in report.seats[0].exchanges] == [None, "crashed"]


def test_a_bot_that_ends_before_it_is_ready_has_crashed() -> None:
    faults, messages = charged_with(lambda bot, message: bot.exit(3))
    assert faults == ["crashed"]
    assert "exit status 3 before it was `ready`" in messages[0]


@pytest.mark.parametrize("status", [-9, 137, -24, 152])
def test_a_bot_that_was_killed_is_told_that_a_bound_may_have_done_it(status: int) -> None:
    faults, messages = charged_with(lambda bot, message: bot.exit(status))
    assert faults == ["crashed"]
    assert "which is also what a bound on memory or processor time does" in messages[0]


def test_a_bot_that_ended_while_its_child_holds_its_output_has_crashed() -> None:
    def leave_a_child(bot: FakeBot, message: dict[str, Any]) -> None:
        bot.child.returncode = -11

    world = World()
    game, report, _ = played(at_move(leave_a_child), "random", world=world)
    assert game.faults == [["crashed"], []]
    assert "ended by SIGSEGV" in (report.seats[0].charges[0].message or "")
    assert world.now - 100.0 < 0.1


def test_a_line_without_an_end_is_cut_off_at_its_bound() -> None:
    def endless(bot: FakeBot) -> None:
        bot.write(b"x" * 10_000)

    def begin(bot: FakeBot, message: dict[str, Any]) -> None:
        bot.at_each_look = endless

    assert charged_with(at_move(begin))[0] == ["flooded"]


def test_endless_lines_before_ready_are_passed_over_unread(monkeypatch: Any) -> None:
    """Each would take its time to say what is wrong with it, and with them all the deadline."""
    read: list[bytes] = []

    def note(line: bytes) -> dict[str, Any]:
        read.append(line)
        return read_object(line)

    monkeypatch.setattr("gonuts_cli.players.process.read_object", note)

    def chatty(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["type"] == "hello":
            bot.write(b"y\n [1]\n\n" * 5000)
        honest(bot, message)

    _, report, _ = played(chatty, "random")
    assert len(read) == 2 + len(report.seats[0].exchanges)
    assert len(report.seats[0].remarks) == 1


def test_lines_without_end_are_cut_off_at_a_mebibyte() -> None:
    written: list[int] = []

    def endless(bot: FakeBot) -> None:
        bot.write(b'{"type":"note"}\n' * 1000)
        written.append(16_000)

    def begin(bot: FakeBot, message: dict[str, Any]) -> None:
        bot.at_each_look = endless

    faults, messages = charged_with(at_move(begin))
    assert faults == ["flooded"]
    assert "more than 1048576 bytes" in messages[0]
    assert sum(written) < 1_300_000


@pytest.mark.parametrize(("spaces", "faults"), [(0, []), (1, ["flooded"]), (60_000, ["flooded"])])
def test_an_answer_behind_more_than_a_mebibyte_comes_too_late(
    spaces: int, faults: list[str]
) -> None:
    def script(bot: FakeBot, message: dict[str, Any]) -> None:
        answer = json.dumps({"id": message["id"], "choose": message["options"][:1]}).encode()
        answer = b"\n" * spaces + answer + b"\n"
        left = [b'{"a":1}\n' * 8192] * 15 + [b"\n" * (65536 + spaces - len(answer)), answer]

        def piece(bot: FakeBot) -> None:
            bot.write(left.pop(0))
            if not left:
                bot.at_each_look = None

        bot.at_each_look = piece

    def first_only(bot: FakeBot, message: dict[str, Any]) -> None:
        (script if message["id"] == 1 else honest)(bot, message)

    assert charged_with(at_move(first_only))[0] == faults


def test_what_comes_behind_an_answer_counts_for_the_next_request_only() -> None:
    def chatty(bot: FakeBot, message: dict[str, Any]) -> None:
        left = [b"\n" * 65_000] * 16
        answer = json.dumps({"id": message["id"], "choose": message["options"][:1]}).encode()

        def piece(bot: FakeBot) -> None:
            bot.write(left.pop(0))
            if not left:
                bot.at_each_look = None
                bot.write(b"\n" * 8_000 + answer + b"\n" * 60_000)

        bot.at_each_look = piece

    def first_only(bot: FakeBot, message: dict[str, Any]) -> None:
        (chatty if message["id"] == 1 else honest)(bot, message)

    assert charged_with(at_move(first_only))[0] == []


def test_a_mebibyte_between_two_requests_is_allowed_again_after_the_next() -> None:
    def much(bot: FakeBot, message: dict[str, Any]) -> None:
        pieces = 10

        def piece(bot: FakeBot) -> None:
            nonlocal pieces
            pieces -= 1
            bot.write(b"\n" * 60_000)
            if not pieces:
                bot.at_each_look = None
                honest(bot, message)

        bot.at_each_look = piece

    assert charged_with(at_move(much))[0] == []


def test_a_bot_that_has_ended_is_found_though_another_never_stops_talking() -> None:
    """A child of it holds its output open, so that only its status tells."""
    world = World()

    def gone(bot: FakeBot, message: dict[str, Any]) -> None:
        bot.child.returncode = 0

    def talk(bot: FakeBot, message: dict[str, Any]) -> None:
        until = world.now + 0.99

        def more(bot: FakeBot) -> None:
            world.now += 0.004
            if world.now < until:
                bot.say({"x": 1})
            else:
                bot.at_each_look = None
                honest(bot, message)

        bot.at_each_look = more

    game, _, _ = played(at_move(gone), at_move(talk), world=world)
    assert game.faults == [["crashed"], []]


def test_a_bot_that_never_reads_blocks_nobody() -> None:
    def deaf(bot: FakeBot, message: dict[str, Any]) -> None:
        """It acts no more after `ready`."""
        bot.say({"type": "ready", "events": True})
        bot.act = lambda: None  # type: ignore[method-assign]

    def hears(bot: FakeBot, message: dict[str, Any]) -> None:
        deaf(bot, message)

    assert charged_with(hears)[0] == ["timeout"] * 3


# Several games in one process


def test_a_kept_process_plays_again_and_its_ids_go_on() -> None:
    world = World()
    seat = process_seat(world, honest_listener)
    for number in range(3):
        game = Game(2, str(number))
        sink = LogWriter(game, lambda data: None)
        seats: list[Seat] = [seat, BuiltinSeat("random", world.hub)]
        play(game, seats, sink=sink, limits=LIMITS, hub=world.hub, keep=True)
        assert game.faults == [[], []]
    assert len(world.bots) == 1
    ids = [line["id"] for line in world.bots[0].lines() if line["type"] == "decide"]
    assert ids == list(range(1, len(ids) + 1))


@pytest.mark.parametrize("when", ["between", "between, ready too early", "at hello"])
def test_a_kept_process_that_ends_between_games_is_started_anew_without_fault(when: str) -> None:
    world = World()

    def ends(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["type"] == "hello" and bot.lines()[0] != message:
            bot.exit(0)
        elif message["type"] == "game_over" and when.startswith("between"):
            if when == "between, ready too early":
                bot.say({"type": "ready", "reuse": True})
            bot.exit(1)
        else:
            honest_listener(bot, message)

    seat = process_seat(world, ends)
    for number in range(3):
        game = Game(2, str(number))
        sink = LogWriter(game, lambda data: None)
        seats: list[Seat] = [seat, BuiltinSeat("random", world.hub)]
        play(game, seats, sink=sink, limits=LIMITS, hub=world.hub, keep=True)
        world.hub.look(0.0)
        assert game.faults == [[], []]
    assert len(world.bots) == 3


@pytest.mark.parametrize("output", ["closed", "held open by a child", "with a line left"])
def test_a_kept_process_whose_end_its_status_tells_is_started_anew(output: str) -> None:
    """The referee looks after it just between its end and the news of it."""
    world = World()
    seat = process_seat(world, honest_listener)
    seats: list[Seat] = [seat, BuiltinSeat("random", world.hub)]
    game = Game(2, "1")
    sink = LogWriter(game, lambda data: None)
    play(game, seats, sink=sink, limits=LIMITS, hub=world.hub, keep=True)
    seat.begin(hello(Game(2, "2"), 0, LIMITS), LIMITS)
    (bot,) = world.bots
    bot.act = lambda: None  # type: ignore[method-assign]
    if output == "held open by a child":
        bot.child.returncode = 0
    else:
        if output == "with a line left":
            bot.write(b"bye\n")
        bot.exit(0)
    seat.check()
    world.hub.wait([seat])
    assert isinstance(seat.reply, Ready)
    assert len(world.bots) == 2


@pytest.mark.parametrize("when", ["after ready", "at a decision"])
def test_a_kept_process_that_ends_in_its_second_game_is_charged(when: str) -> None:
    world = World()

    def ends(bot: FakeBot, message: dict[str, Any]) -> None:
        second = message["type"] == "hello" and bot.lines()[0] != message
        if second:
            bot.say({"type": "ready", "reuse": True})
            if when == "after ready":
                bot.exit(1)
        elif message["type"] == "decide" and sum(m["type"] == "hello" for m in bot.lines()) > 1:
            bot.exit(1)
        else:
            honest_listener(bot, message)

    seat = process_seat(world, ends)
    for number, faults in enumerate([[], ["crashed"], [], ["crashed"]]):
        game = Game(2, str(number))
        sink = LogWriter(game, lambda data: None)
        seats: list[Seat] = [seat, BuiltinSeat("random", world.hub)]
        play(game, seats, sink=sink, limits=LIMITS, hub=world.hub, keep=True)
        assert game.faults == [faults, []]


def test_a_bot_that_cannot_be_used_again_has_a_process_a_game() -> None:
    world = World()
    seat = process_seat(world, honest)
    for number in range(2):
        game = Game(2, str(number))
        sink = LogWriter(game, lambda data: None)
        seats: list[Seat] = [seat, BuiltinSeat("random", world.hub)]
        play(game, seats, sink=sink, limits=LIMITS, hub=world.hub, keep=True)
    assert len(world.bots) == 2
    assert seat.gone()


def test_a_bot_that_does_not_end_when_its_input_ends_is_waited_for_one_second() -> None:
    world = World()
    before: list[float] = []

    def over(bot: FakeBot, message: dict[str, Any]) -> None:
        if message["type"] == "game_over":
            before.append(world.now)
        honest(bot, message)

    played(over, "random", world=world)
    assert 0.9 < world.now - before[0] <= 1.1


# Hidden things


def test_the_bytes_of_a_seat_do_not_change_with_what_is_hidden_from_it() -> None:
    def received(deck_end: list[str] | None, other_bid: int) -> bytes:
        world = World()

        def other(bot: FakeBot, message: dict[str, Any]) -> None:
            bot.say({"id": message["id"], "choose": [other_bid]})
            raise _Stop

        game = Game(3, "7")
        if deck_end is not None:
            game.deck[:10] = deck_end
        seats = [
            process_seat(world, honest_listener),
            process_seat(world, at_move(other)),
            process_seat(world, honest_listener),
        ]
        with pytest.raises(_Stop):
            play(game, seats, sink=LogWriter(game, lambda _: None), limits=LIMITS, hub=world.hub)
        return world.bots[0].received + b"|" + world.bots[2].received

    plain = received(None, 1)
    bottom = Game(3, "7").deck[:10]
    assert b'"decision":"bid"' in plain
    assert plain == received(bottom[::-1], 1) == received(None, 2)


def test_what_double_chocolate_offers_and_puts_back_is_hidden_from_the_others() -> None:
    told = next(game for game in map(_until_double_chocolate, range(100)) if game is not None)
    asked = told.pending[0].player
    back = len(told.deck) - 2
    assert told.deck[back] != told.deck[0]

    def received(swapped: bool) -> list[bytes]:
        game = Game(3, told.seed)
        if swapped:
            game.deck[back], game.deck[0] = game.deck[0], game.deck[back]
        for event in told.events:
            if isinstance(event, Decided):
                game.choose(event.player, event.choose)
        world = World()
        scripts = [honest_listener] * 3
        seats: list[Seat] = [process_seat(world, script) for script in scripts]
        after: list[int] = []

        def stop(exchange: Exchange) -> None:
            after.append(exchange.seat)
            if len(after) > 4:  # three starts, the power, and the bid after it
                raise _Stop

        sink = LogWriter(game, lambda _: None)
        with pytest.raises(_Stop):
            play(game, seats, sink=sink, limits=LIMITS, hub=world.hub, observe=stop)
        # The card put back is seen by all when the next round draws it.
        next_round = b'{"event":"round_started","round":%d}' % (told.round + 1)
        return [bot.received.partition(next_round)[0] for bot in world.bots]

    plain, other = received(False), received(True)
    for seat in range(3):
        assert b'"decision":"double_chocolate","choose"' in plain[seat]
        assert (plain[seat] == other[seat]) == (seat != asked)


def _until_double_chocolate(seed: int) -> Game | None:
    """A game that rests where Double Chocolate asks, played by first options and varied bids."""
    game = Game(3, seed)
    while game.pending:
        for decision in game.pending:
            if decision.decision == "double_chocolate" and game.deck[-2] != game.deck[0]:
                return game
            bids = decision.decision == "bid"
            game.choose(decision.player, [decision.player + 1] if bids else decision.default)
    return None


class _Stop(Exception):
    """The game is looked at in mid-round."""


def test_a_resumed_game_tells_a_listener_the_events_of_the_past_first() -> None:
    whole, _, first_world = played(honest_listener, "random")
    log = whole.log()
    half = log[: log.index(b"\n", len(log) // 2) + 1]
    game, _, world = played(honest_listener, "random", game=Game.replay(half, "1"))
    assert game.log() == log
    events = [line for line in world.bots[0].received.splitlines() if b'"type":"event"' in line]
    assert len(events) == log.count(b"\n")
    assert [b'{"type":"hello"' in line for line in world.bots[0].received.splitlines()][:2] == [
        True,
        False,
    ]
    assert len(world.bots[0].received) < len(first_world.bots[0].received)


def test_a_resumed_game_tells_no_answer_of_a_set_that_a_listener_is_still_asked_in() -> None:
    players = ["random", honest_listener, "random", "random"]
    log = played(*players, seed="1")[0].log()
    lines = log.splitlines(keepends=True)
    broken = [
        at
        for at, (line, following) in enumerate(pairwise(lines), 1)
        if line.startswith(b'{"event":"decided","player":0')
        and following.startswith(b'{"event":"decided","player":1')
    ]
    assert any(b'"cinnamon_twist"' in lines[at] for at in broken)
    for at in broken:
        game = Game.replay(b"".join(lines[:at]), "1")
        game, _, world = played(*players, game=game)
        assert game.log() == log
        received = world.bots[0].received
        answer = b'{"type":"event","event":%b}\n' % lines[at - 1].rstrip()
        others = [line for line in lines[: at - 1] if line == lines[at - 1]]
        asked = received.index(b'{"type":"decide"')
        assert received[:asked].count(answer) == len(others)
        assert received.count(b'"type":"event"') == len(lines)


def test_a_bot_that_is_not_ready_in_a_resumed_game_has_crashed() -> None:
    whole, _, _ = played(honest, "random")
    log = whole.log()
    half = log[: log.index(b"\n", len(log) // 2) + 1]
    game, _, _ = played(lambda bot, message: None, "random", game=Game.replay(half, "1"))
    assert game.faults[0] == ["crashed"]


def test_who_is_out_in_a_resumed_game_is_not_started() -> None:
    whole, _, _ = played(at_move(lambda bot, message: bot.exit(1)), "random")
    log = whole.log()
    half = log[: log.index(b"\n", len(log) // 2) + 1]
    game, _, world = played(honest, "random", game=Game.replay(half, "1"))
    assert (game.log(), world.bots) == (log, [])


def test_a_game_without_its_seed_is_not_played() -> None:
    whole, _, world = played("random", "random")
    unfinished = Game.replay(whole.log()[:2000])
    with pytest.raises(UnfinishedGame):
        play(
            unfinished,
            [BuiltinSeat("random", world.hub)] * 2,
            sink=LogWriter(unfinished, lambda data: None),
            limits=LIMITS,
            hub=world.hub,
        )


# Small parts


def test_notes_keep_the_beginning_and_the_end() -> None:
    notes = Notes()
    notes.add(b"first\n")
    for _ in range(100):
        notes.add(b"." * 65_536)
    notes.add(b"\nlast\n")
    content = notes.content()
    assert content.startswith(b"first\n.")
    assert content.endswith(b".\nlast\n")
    assert len(content) < 2 * HALF + 100
    assert f"[{100 * 65_536 + 12 - 2 * HALF} bytes left out]".encode() in content
    assert notes.last(10) == "last"


def test_notes_grow_with_every_byte_also_with_those_left_out() -> None:
    """By this it is seen that there is something new to save."""
    notes = Notes()
    for pieces in range(1, 64):
        notes.add(b"." * 65_536)
        assert len(notes) == pieces * 65_536
        notes.content()
        assert len(notes) == pieces * 65_536


def test_short_notes_are_kept_as_they_are() -> None:
    notes = Notes()
    notes.add(b"a\nb\n")
    assert (notes.content(), notes.last(), len(notes)) == (b"a\nb\n", "a\nb", 4)


def test_deep_lines_are_refused_by_a_bound_and_not_by_the_stack() -> None:
    with pytest.raises(NoObject, match="nested more than 200 levels"):
        read_object(b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}")
    assert read_object(b'{"a":"[[[","b":1e999}')["a"] == "[[["
