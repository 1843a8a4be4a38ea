"""The referee of one game: asks the seats, charges faults, and says how it went (SPEC §5, §7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

import orjson

from gonuts_cli.errors import UnfinishedGame
from gonuts_cli.game import Game
from gonuts_cli.log.encode import LINES, RULES, game_started
from gonuts_cli.players.base import Fault, Limits, Ready, Seat
from gonuts_cli.players.hub import Hub
from gonuts_cli.players.messages import Seen
from gonuts_cli.rules.decisions import Decision, IllegalChoice
from gonuts_cli.rules.deck import bot_random
from gonuts_cli.rules.events import Decided
from gonuts_cli.rules.view import open_view, view

PROTOCOL: Final = "gonuts-bot/1"
"""The protocol that bots speak (SPEC §5)."""
LONGEST: Final = 16 * 1024
"""Bytes of a line that the referee writes (SPEC §5)."""

_LINE: Final = orjson.OPT_APPEND_NEWLINE


class Exchange(NamedTuple):
    """One decision that a seat was asked for; times in milliseconds.

    `used` is the seat's own time, `added` what the referee added by looking late. `fault` and
    `message` say why the referee chose, both None when the seat's answer stands.
    """

    round: int
    seat: int
    decision: str
    used: float
    added: float
    fault: str | None = None
    message: str | None = None


@dataclass(slots=True)
class SeatReport:
    """How one seat fared; foreign text stands in `ready.name` and `last_words`.

    `start` is its exchange of `hello` and `ready`, None for a seat that was out from the beginning.
    """

    ready: Ready | None = None
    start: Exchange | None = None
    exchanges: list[Exchange] = field(default_factory=list)
    stale: int = 0
    remarks: list[str] = field(default_factory=list)
    last_words: str = ""

    @property
    def charges(self) -> list[Exchange]:
        """The faults charged, in order."""
        return [exchange for exchange in self.exchanges if exchange.fault is not None]

    @property
    def used(self) -> float:
        """The sum of the seat's own times, in milliseconds."""
        return sum(exchange.used for exchange in self.exchanges)

    @property
    def added(self) -> float:
        """The sum of what the referee added, in milliseconds."""
        return sum(exchange.added for exchange in self.exchanges)


class Sink(Protocol):
    """Where a game's log goes."""

    def update(self) -> None:
        """Something has happened in the game, or it begins."""


@dataclass(slots=True)
class GameReport:
    """What the log does not say of a game, by seat."""

    seats: list[SeatReport]


def play(
    game: Game,
    seats: Sequence[Seat],
    *,
    sink: Sink,
    limits: Limits,
    hub: Hub,
    keep: bool = False,
    observe: Callable[[Exchange], object] | None = None,
) -> GameReport:
    """Play a game to its end and tell `sink` whenever there is more of its log.

    The game may be under way already (a resumed or forked one); seats that are out are left alone.
    With `keep`, processes that said `"reuse":true` are left running for the next game; all others
    are ended when this returns or raises. `observe` is told of every exchange when it is over, of
    the start of a bot (`hello`) too. Raises UnfinishedGame when a seat on standard input fails.
    """
    referee = _Referee(game, seats, sink, hub, observe)
    if game.over:  # Resumed behind its last decision: only the end of its log was missing.
        sink.update()
        return GameReport(referee.reports)
    try:
        referee.start(limits)
        referee.play()
        referee.part(keep)
    except BaseException:
        for seat in seats:
            seat.close()
        raise
    return GameReport(referee.reports)


def hello(game: Game, seat: int, limits: Limits) -> dict[str, Any]:
    """The `hello` message to a seat."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "rules": RULES,
        "rulings": game.rulings.changed(),
        "game": game.game_id,
        "players": game.names,
        "you": seat,
        "seed_commitment": game.commitment,
        "random": bot_random(game.seed or "", seat),
        "limits": limits.message(),
    }


def game_over(game: Game) -> dict[str, Any]:
    """The `game_over` message of a finished game."""
    result = game.result
    return {
        "type": "game_over",
        "scores": result.scores,
        "cards": result.cards,
        "winners": result.winners,
        "seed": game.seed,
    }


class _Referee:
    def __init__(
        self,
        game: Game,
        seats: Sequence[Seat],
        sink: Sink,
        hub: Hub,
        observe: Callable[[Exchange], object] | None,
    ) -> None:
        if len(seats) != game.players or game.seed is None:
            raise UnfinishedGame("a game is played with one seat a player, and with its seed")
        self.game = game
        self.seats = seats
        self.sink = sink
        self.hub = hub
        self.observe = observe
        self.reports: list[SeatReport] = [SeatReport() for _ in seats]
        self.broken: dict[int, Fault] = {}
        self.hearing: list[Seat] = []
        self.told = 0

    def start(self, limits: Limits) -> None:
        """Say hello to all, then wait for all; who fails is charged at its first decision."""
        game = self.game
        self.sink.update()
        playing = [seat for seat in range(game.players) if not game.is_out(seat)]
        for number in playing:
            self.seats[number].begin(hello(game, number, limits), limits)
        self.hub.wait([self.seats[number] for number in playing])
        for number in playing:
            seat, report = self.seats[number], self.reports[number]
            reply = seat.reply
            if isinstance(reply, Ready):
                report.ready = reply
                if reply.events:
                    self.hearing.append(seat)
            elif isinstance(reply, Fault):
                self.broken[number] = reply
            report.start = Exchange(0, number, "hello", seat.used * 1000, seat.added * 1000)
            if self.observe is not None:
                self.observe(report.start)
        if self.hearing:
            self._tell(_event_line(game_started(game)))

    def play(self) -> None:
        """Ask all who must decide now, wait for all, take their answers; again until the end."""
        game, seats, hub = self.game, self.seats, self.hub
        while not game.over:
            if self.hearing:
                self._tell_news()
            wave = game.pending
            seen = Seen(open_view(game))
            knowing = game.known_tops()
            asked = []
            for decision in wave:
                number = decision.player
                if number in self.broken:
                    continue
                seat = seats[number]
                seat.ask(decision, Seen(view(game, number)) if number in knowing else seen)
                asked.append(seat)
            for seat in self.hearing:
                seat.flush()
            hub.wait(asked)
            for decision in wave:
                self._take(decision)
            self.sink.update()

    def _take(self, decision: Decision) -> None:
        """Make the decision as the seat said, or for it."""
        game, number = self.game, decision.player
        seat, round_number = self.seats[number], game.round
        asked = number not in self.broken
        reply = seat.reply if asked else self._breakdown(number)
        fault: Fault | None = None
        if type(reply) is list:
            try:
                game.choose(number, reply)
            except IllegalChoice as error:
                fault = seat.illegal(str(error))
        elif isinstance(reply, Fault):
            fault = reply
        else:
            raise UnfinishedGame(f"seat {number} did not answer")
        used, added = (seat.used * 1000, seat.added * 1000) if asked else (0.0, 0.0)
        if fault is None:
            exchange = Exchange(round_number, number, decision.decision, used, added)
        else:
            choose = game.default_for(decision)
            game.choose(number, fault=fault.word)
            if asked:
                seat.charged(fault, choose)
            if game.is_out(number):
                self._put_out(number)
            exchange = Exchange(round_number, number, decision.decision, used, added, *fault)
        self.reports[number].exchanges.append(exchange)
        if self.observe is not None:
            self.observe(exchange)

    def _breakdown(self, number: int) -> Fault:
        """Why the seat could not start; it is charged once."""
        fault = self.broken.pop(number)
        if fault.word == "no_start" and self._has_decided(number):
            # In a resumed game the seat's first decision may be long past (SPEC §7).
            return Fault("crashed", fault.message)
        return fault

    def _put_out(self, number: int) -> None:
        seat = self.seats[number]
        self._note_end(number)
        if seat in self.hearing:
            self.hearing.remove(seat)
        seat.put_out()

    def _has_decided(self, number: int) -> bool:
        return any(
            isinstance(event, Decided) and event.player == number for event in self.game.events
        )

    def _note_end(self, number: int) -> None:
        seat, report = self.seats[number], self.reports[number]
        report.stale = seat.stale
        report.remarks = list(seat.remarks)
        report.last_words = seat.last_words()

    # What those who want to hear are told

    def _tell_news(self) -> None:
        settled = self.game.settled
        for event in self.game.events[self.told : settled]:
            self._tell(_event_line(LINES[event]))
        self.told = settled

    def _tell(self, line: bytes) -> None:
        if len(line) <= LONGEST:
            for seat in self.hearing:
                seat.tell(line)

    # The end

    def part(self, keep: bool) -> None:
        """Tell the result, end what is not kept, and wait for that a bounded time."""
        game = self.game
        if self.hearing:
            self._tell_news()
            self._tell(_event_line(game.log().splitlines()[-1]))
        farewell = orjson.dumps(game_over(game), option=_LINE)
        playing = [n for n in range(game.players) if not game.is_out(n)]
        for number in playing:
            self.seats[number].leave(farewell, keep)
        self.hub.part([self.seats[number] for number in playing])
        for number in playing:
            self._note_end(number)


def _event_line(line: bytes) -> bytes:
    """An `event` message of a line of the log."""
    return b'{"type":"event","event":%b}\n' % line.rstrip(b"\n")
