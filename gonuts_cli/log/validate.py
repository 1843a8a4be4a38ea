"""Validating a game: its log must be, byte for byte, what the rules make of its seed and answers.

A good game is told by re-running it and comparing once. Only a game that differs is gone through
line by line, to say which is the first line at fault, what should stand there, and why (SPEC §4).
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from gonuts_cli.game import Game
from gonuts_cli.log import decode
from gonuts_cli.log.compact import check_form, expand_game, is_compact
from gonuts_cli.log.decode import LogError
from gonuts_cli.log.encode import LINES, encode_log, game_started
from gonuts_cli.log.explain import difference, quote
from gonuts_cli.log.reader import LONGEST_GAME, RawGame
from gonuts_cli.log.rerun import (
    ToldGame,
    choose_all,
    draws,
    feed,
    untrue,
    with_seed,
    without_seed,
)
from gonuts_cli.rules.decisions import Decision, IllegalChoice
from gonuts_cli.rules.deck import commitment, shuffled_deck
from gonuts_cli.rules.events import Decided, Event, RoundStarted, SeedMissing


class Verdict(NamedTuple):
    """What a check found of one game; `game` is its id where the log tells one.

    `line` counts in the file, from 1: where the game starts when it is good, else the first line at
    fault. `error` is a stable code, `message` is for people; both None for a good game.
    """

    file: str
    game: str | None
    line: int
    ok: bool
    error: str | None = None
    message: str | None = None


def validate_game(raw: RawGame) -> Verdict:
    """Check one game of an archive (SPEC §4, §8), whole or in compact form.

    A compact game is restored by re-running it, so it is good when it can be restored.
    """
    data = raw.data
    if is_compact(data):
        try:
            restored = expand_game(data)
            check_form(data, restored)
        except LogError as fault:
            return _bad(raw, fault)
        return Verdict(raw.file, decode.game_id(restored.partition(b"\n")[0]), raw.first_line, True)
    try:
        header = decode.parse_header(data.partition(b"\n")[0])
        _, seed = decode.parse_ending(data[data.rfind(b"\n", 0, -1) + 1 :], 0)
        if _is_log_of(header, seed, data):
            return Verdict(raw.file, header.game, raw.first_line, True)
    except LogError:
        pass  # What is wrong, and where first, is told below.
    return _bad(raw, first_fault(data))


def _is_log_of(header: decode.Header, seed: str, data: bytes) -> bool:
    """Whether the choices that stand in `data` make a game with this log; may raise LogError."""
    game = with_seed(header, seed)
    with suppress(ValueError, IndexError):
        choose_all(game, data)
        if encode_log(game) == data:
            return True
    if b'"fault"' not in data:
        return False
    game = with_seed(header, seed)
    for recorded in decode.decisions(data):
        feed(game, recorded)
    return encode_log(game) == data


def _bad(raw: RawGame, fault: LogError) -> Verdict:
    game_id = decode.game_id(raw.data.partition(b"\n")[0])
    line = raw.first_line + fault.line - 1
    return Verdict(raw.file, game_id, line, False, fault.code, fault.message)


def first_fault(data: bytes) -> LogError:
    """The first line at fault of a game's lines that are not as they should be."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    if not lines[-1]:
        del lines[-1]
    impossible: LogError | None = None
    try:
        header = decode.parse_header(lines[0] if lines else b"")
        seed = _trusted_seed(header, lines, data)
        if seed is None:
            impossible = untrue(data, len(header.names))
        game = without_seed(header, data) if seed is None else with_seed(header, seed)
        _Walk(game, lines).go()
    except LogError as error:
        if len(data) >= LONGEST_GAME and error.code == "incomplete":
            return LogError("too_long", error.line, "this is longer than any game: it is no log")
        return error if impossible is None or error.line < impossible.line else impossible
    raise AssertionError("a log that the rules do not give has a first line that they do not give")


def _trusted_seed(header: decode.Header, lines: list[bytes], data: bytes) -> str | None:
    """The seed that the last line tells, or None where it tells none or not this game's.

    Raises LogError when not the seed but the commitment is wrong: when the deck is the seed's.
    """
    try:
        _, seed = decode.parse_ending(lines[-1], len(lines))
    except LogError:
        return None
    if commitment(seed) == header.commitment:
        return seed
    first_row = draws(data)[: len(header.names) + 1]
    if shuffled_deck(seed, len(header.names))[: len(first_row)] == first_row:
        raise LogError(
            "bad_commitment",
            1,
            f"the commitment is {header.commitment[:64]}, but the seed's is {commitment(seed)}",
        )
    return None


class _Walk:
    """Goes through a game's lines beside the game itself until the first that differs."""

    def __init__(self, game: Game, lines: list[bytes]) -> None:
        self._game = game
        self._lines = lines
        self._at = 0
        self._followed = 0
        """How many of the game's events were compared, those of an open set included."""
        self._round = 0
        self._bids: dict[int, int] = {}

    def go(self) -> None:
        """Raises LogError at the first line at fault; returns when there is none."""
        self._compare(game_started(self._game), None)
        while True:
            for event in self._game.events[self._followed :]:
                self._follow(event)
            if self._game.over:
                return self._end()
            self._open_set()

    def _open_set(self) -> None:
        """Check and make the decisions of the set that is open."""
        made = {answer.player: answer for answer in self._game.answered()}
        open_set = {decision.player: decision for decision in self._game.pending}
        if not (made or open_set):
            raise self._goes_no_further()  # A card of the first row is not told.
        for seat in sorted(open_set | made):
            if seat in made:
                self._follow(made[seat])
            else:
                self._decide(open_set[seat])

    def _decide(self, decision: Decision) -> None:
        number = self._at + 1
        if number > len(self._lines):
            raise self._goes_no_further()
        line = self._lines[self._at]
        seat = decision.player
        where, asked = f"round {self._round}: ", f"seat {seat} is asked for {decision.decision}"
        if not line.endswith(b"\n"):
            raise self._breaks_off(line)
        if not line.startswith(decode.DECIDED):
            raise LogError("differs", number, f"{where}{asked}, but here stands {quote(line)}")
        recorded = decode.parse_decision(line, number)
        if (recorded.player, recorded.decision) != (seat, decision.decision):
            raise LogError(
                "wrong_decision",
                number,
                f"{where}seat {recorded.player} decides {quote(recorded.decision.encode())}, "
                f"but {asked}",
            )
        try:
            choose = (
                decision.check(recorded.choose)
                if recorded.fault is None
                else self._game.default_for(decision)
            )
            feed(self._game, recorded)
        except (LogError, IllegalChoice) as error:
            # Cards that only the seed tells are empty texts.
            unknown = "" in decision.options
            why = f"{quote(line)} keeps no card that the deck can hold" if unknown else error
            raise LogError("illegal_decision", number, f"{where}seat {seat}: {why}") from None
        except SeedMissing:
            # What follows needs a seed that the log does not tell: see how far it was told.
            assert isinstance(self._game, ToldGame)  # no other game misses its seed
            self._follow(Decided(seat, decision.decision, choose, recorded.fault))
            if self._followed <= len(self._game.events):
                for event in self._game.events[self._followed :]:
                    self._follow(event)
                seat = -1  # The game goes on by itself, and stopped within a later set.
            for answer in self._game.told_behind(seat):
                self._follow(answer)
            raise self._goes_no_further() from None
        self._follow(Decided(seat, decision.decision, choose, recorded.fault))

    def _follow(self, event: Event) -> None:
        self._compare(LINES[event], event)
        self._followed += 1
        if isinstance(event, RoundStarted):
            self._round = event.round
            self._bids = {}
        elif isinstance(event, Decided) and event.decision == "bid":
            self._bids[event.player] = event.choose[0]

    def _compare(self, should: bytes, event: Event | None) -> None:
        if self._at >= len(self._lines):
            raise self._goes_no_further()
        stands = self._lines[self._at]
        self._at += 1
        if stands == should:
            return
        if self._at == len(self._lines) and not stands.endswith(b"\n"):
            raise self._breaks_off(stands)
        raise LogError(
            "differs",
            self._at,
            difference(self._round, self._bids, stands, should, event),
        )

    def _breaks_off(self, line: bytes) -> LogError:
        return LogError(
            "incomplete", len(self._lines), f"the log breaks off within a line: {quote(line)}"
        )

    def _goes_no_further(self) -> LogError:
        """What is next is not told: the log ends, breaks off, or says something else."""
        if self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.endswith(b"\n"):
                return self._breaks_off(line)
            return LogError(
                "differs",
                self._at + 1,
                f"round {self._round}: here stands {quote(line)}, and so the game does not go on",
            )
        return LogError(
            "incomplete",
            self._at + 1,
            f"the log ends in round {self._round}, before the game does",
        )

    def _end(self) -> None:
        if self._at >= len(self._lines):
            raise self._goes_no_further()
        if not self._lines[self._at].endswith(b"\n"):
            raise self._breaks_off(self._lines[self._at])
        if self._game.seed is None:
            _, seed = decode.parse_ending(self._lines[self._at], self._at + 1)
            raise LogError(
                "bad_seed",
                self._at + 1,
                f"the seed {seed!r} is not the one that this game's commitment was made for",
            )
        self._compare(encode_log(self._game).splitlines(keepends=True)[-1], None)
        if self._at < len(self._lines):
            raise LogError("after_end", self._at + 1, "the game is over: this line is too much")
