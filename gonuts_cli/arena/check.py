"""`gonuts check-bot`: play a bot through all that the protocol can ask of it (SPEC §3, §5, §7).

Rare decisions come from games that were played at random up to the point where the bot's seat is
asked, so they are tables that can happen; from there the referee plays on with the bot.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import NamedTuple

from gonuts_cli.arena.referee import Exchange, SeatReport, play
from gonuts_cli.game import Game
from gonuts_cli.log.encode import LogWriter
from gonuts_cli.players.base import Limits, Ready, Seat
from gonuts_cli.players.inside import BuiltinSeat
from gonuts_cli.players.messages import Seen
from gonuts_cli.players.process import GRACE, ProcessSeat
from gonuts_cli.players.run import Run
from gonuts_cli.rules.cards import MAX_PLAYERS, MIN_PLAYERS
from gonuts_cli.rules.decisions import Decision

ENOUGH = 5
"""Checks that fail before the rest is left out: a bot that waits out every limit takes long."""
MOST_TRIES = 20_000
"""Random games in which the situations are looked for; some hundreds hold all of them."""

OK, FAILED, NOTED, LEFT_OUT = "ok", "failed", "noted", "left out"

_REMEDIES = {
    "timeout": "answer every request within the limit, and flush standard output after each line",
    "malformed": 'answer with one JSON object a line, as {"id":7,"choose":[2]}, and print nothing '
    "else on standard output",
    "illegal": "choose among the request's `options`, as often as one of its `counts` says, and "
    "give them back as they are",
    "crashed": "run the bot by hand with the request; it must live until its standard input ends",
    "flooded": "write only answers, each a short line",
    "no_start": 'answer `hello` with {"type":"ready"} within the limit, and load what takes long '
    "only once",
}


class Check(NamedTuple):
    """One line of the checklist. `state` is OK, FAILED, NOTED or LEFT_OUT; `remedy` what to do.

    `found` holds foreign text: what the bot wrote.
    """

    name: str
    state: str
    found: str = ""
    remedy: str = ""


class Timing(NamedTuple):
    """The bot's own times at one kind of decision, in milliseconds."""

    decision: str
    asked: int
    median: float
    p99: float
    slowest: float


@dataclass(slots=True)
class Checked:
    """What was found; `ok` when the bot would be charged no fault."""

    ready: Ready | None = None
    checks: list[Check] = field(default_factory=list)
    times: dict[str, list[float]] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return not any(check.state == FAILED for check in self.checks)

    def timings(self) -> list[Timing]:
        """Where the bot's time goes, `hello` (its start) first, then the slowest kind first."""
        found = []
        for decision, times in self.times.items():
            ordered = sorted(times)
            p99 = ordered[max(0, -(-99 * len(ordered) // 100) - 1)]
            found.append(Timing(decision, len(ordered), median(ordered), p99, ordered[-1]))
        return sorted(found, key=lambda timing: (timing.decision != "hello", -timing.slowest))


def run_checks(
    make: Callable[[Run], Seat],
    limits: Limits,
    *,
    reuse: bool = True,
    observe: Callable[[Check], object] | None = None,
) -> Checked:
    """Check the bot that `make` seats; `observe` is told of every check when it is done.

    Without `reuse` a process that could play several games is not asked to (in the sandbox every
    game has its own).
    """
    checked = Checked()
    for each in _Checker(make, limits, reuse, checked).run():
        checked.checks.append(each)
        if observe is not None:
            observe(each)
    return checked


class _Herd(BuiltinSeat):
    """Bids where all of its kind bid, so that nobody takes a card and the game gets long."""

    def ask(self, decision: Decision, seen: Seen) -> None:
        super().ask(decision, seen)
        if decision.decision == "bid":
            self.reply = [1]


class _Checker:
    def __init__(
        self, make: Callable[[Run], Seat], limits: Limits, reuse: bool, checked: Checked
    ) -> None:
        self.make = make
        self.limits = limits
        self.reuse = reuse
        self.checked = checked
        self.outlived = 0
        self.last = 0.0

    def run(self) -> Iterator[Check]:
        with Run() as run:
            self.hub_run = run
            failed = 0
            for name, checks in self._plan():
                if failed >= ENOUGH or (failed and not self._has_started()):
                    yield Check(name, LEFT_OUT, "enough has failed")
                    continue
                for each in checks():
                    failed += each.state == FAILED
                    yield each

    def _has_started(self) -> bool:
        return self.checked.ready is not None

    def _plan(self) -> Iterator[tuple[str, Callable[[], Iterator[Check]]]]:
        yield "starts and plays", self._first
        for players in range(MIN_PLAYERS + 1, MAX_PLAYERS + 1):
            name = f"{players} players"
            yield name, partial(self._whole, name, players)
        yield "other rulings", self._rulings
        yield "names that JSON escapes", self._names
        yield "a long game", self._long
        found = situations() if self._has_started() else {}
        for name, (game, seat) in found.items():
            yield name, partial(self._from, name, game, seat)
        yield "the same game again", self._again
        yield "several games in one process", self._several
        yield "ends with its input", self._ends

    # The games

    def _first(self) -> Iterator[Check]:
        report = self._play(_game(2, "first"), 0)
        self.checked.ready = report.ready
        found = ""
        if report.ready is not None and report.start is not None:
            said = [word for word in ("events", "reuse") if getattr(report.ready, word)]
            name = f"{report.ready.name!r}, " if report.ready.name else ""
            with_what = f" (with {', '.join(said)})" if said else ""
            found = f"{name}ready after {report.start.used:.0f} ms{with_what}"
        yield _judge("starts and plays", report, found)
        if report.remarks:
            remedy = "print notes to standard error; after `ready` such a line is a fault"
            yield Check("nothing else before `ready`", NOTED, report.remarks[0], remedy)
        else:
            yield Check("nothing else before `ready`", OK)

    def _whole(self, name: str, players: int) -> Iterator[Check]:
        yield _judge(name, self._play(_game(players, name), players - 1))

    def _rulings(self) -> Iterator[Check]:
        rulings = {
            "sprinkled_gift": "any",
            "twist_empty": "others_pass",
            "maple_frosted_tie": "none",
        }
        game = Game(5, "check-bot: rulings", rulings=rulings)
        yield _judge("other rulings", self._play(game, 2))

    def _names(self) -> Iterator[Check]:
        names = ['a "quoted" \\ name', "Zoë 🍩 林", "{[:,]}"]
        game = Game(seed="check-bot: names", names=names, game='"id":\\n{')
        yield _judge("names that JSON escapes", self._play(game, 1))

    def _long(self) -> Iterator[Check]:
        game = _game(MAX_PLAYERS, "long")
        herd: list[Seat] = [_Herd("random", self.hub_run.hub) for _ in range(MAX_PLAYERS)]
        report = self._play(game, 3, herd)
        yield _judge("a long game", report, f"{game.round} rounds")

    def _from(self, name: str, game: Game, seat: int) -> Iterator[Check]:
        yield _judge(name, self._play(game, seat))

    def _again(self) -> Iterator[Check]:
        games = [_game(4, "again") for _ in range(2)]
        reports = [self._play(game, 1) for game in games]
        name = "the same game again"
        if any(report.charges for report in reports):
            yield next(_judge(name, report) for report in reports if report.charges)
        elif games[0].log() == games[1].log():
            yield Check(name, OK, "the same answers")
        else:
            yield Check(
                name,
                NOTED,
                "other answers than the first time",
                "no fault, but such games cannot be played again: take all randomness from "
                "`random` in `hello`, and nothing from the time or from the order of a hash table",
            )

    def _several(self) -> Iterator[Check]:
        name = "several games in one process"
        if self.checked.ready is None or not self.checked.ready.reuse:
            remedy = 'a bot that says "reuse":true starts once for many games'
            yield Check(name, LEFT_OUT, 'it did not say "reuse":true', remedy)
            return
        if not self.reuse:
            yield Check(name, LEFT_OUT, "in the sandbox every game has its own process")
            return
        seat = self.make(self.hub_run)
        games = [_game(3, "several-1"), _game(5, "several-2"), _game(3, "several-1")]
        try:
            reports = [self._play(game, 2, bot=seat) for game in games]
        finally:
            seat.close()
        if any(report.charges for report in reports):
            yield next(_judge(name, report) for report in reports if report.charges)
        elif isinstance(seat, ProcessSeat) and seat.processes > 1:
            found = f'it said "reuse":true, but {len(games)} games took {seat.processes} processes'
            remedy = "live until standard input ends, and expect another `hello` after `game_over`"
            yield Check(name, NOTED, found, remedy)
        elif games[0].log() == games[2].log():
            yield Check(name, OK, "nothing of one game is left in the next")
        else:
            remedy = "begin every game anew at `hello`, its random numbers too"
            yield Check(name, NOTED, "a game before it changes the answers", remedy)

    def _ends(self) -> Iterator[Check]:
        name = "ends with its input"
        if self.outlived:
            remedy = "end when standard input ends: each such game takes a second longer"
            yield Check(name, NOTED, f"it had to be ended by force {self.outlived} times", remedy)
        else:
            yield Check(name, OK)

    def _play(
        self,
        game: Game,
        number: int,
        others: Sequence[Seat] | None = None,
        bot: Seat | None = None,
    ) -> SeatReport:
        """Play a game with the bot at seat `number`, against random players if none are given."""
        run = self.hub_run
        seats: list[Seat] = [BuiltinSeat("random", run.hub) for _ in game.names]
        if others is not None:
            seats = list(others)
        seats[number] = bot if bot is not None else self.make(run)
        self.last = time.monotonic()
        report = play(
            game,
            seats,
            sink=LogWriter(game, lambda _: None),
            limits=self.limits,
            hub=run.hub,
            keep=bot is not None,
            observe=lambda exchange: self._observe(exchange, number),
        ).seats[number]
        if bot is None and time.monotonic() - self.last >= GRACE and not game.is_out(number):
            self.outlived += 1
        return report

    def _observe(self, exchange: Exchange, number: int) -> None:
        self.last = time.monotonic()
        if exchange.seat == number:
            self.checked.times.setdefault(exchange.decision, []).append(exchange.used)


def _game(players: int, name: str) -> Game:
    return Game(players, f"check-bot: {name}", game=name.replace(" ", "-"))


def _judge(name: str, report: SeatReport, found: str = "") -> Check:
    """OK with what was `found`, or the first fault of the game."""
    if not report.charges:
        return Check(name, OK, found)
    first = report.charges[0]
    told = f"round {first.round}, {first.decision}: {first.fault}: {first.message}"
    if len(report.charges) > 1:
        told += f" ({len(report.charges)} faults in this game)"
    return Check(name, FAILED, told, _REMEDIES[first.fault or "crashed"])


# The situations

_Test = Callable[[Decision], bool]


def _is(kind: str) -> _Test:
    return lambda asked: asked.decision == kind


_WANTED: dict[str, _Test] = {
    "french_cruller": _is("french_cruller"),
    "french_cruller, one card to choose": lambda asked: (
        asked.decision == "french_cruller" and len(asked.options) == 1
    ),
    "double_chocolate": _is("double_chocolate"),
    "double_chocolate, two equal cards": lambda asked: (
        asked.decision == "double_chocolate" and len(set(asked.options)) == 1
    ),
    "red_velvet": _is("red_velvet"),
    "red_velvet, a kind several times": lambda asked: (
        asked.decision == "red_velvet" and len(set(asked.options)) < len(asked.options)
    ),
    "day_old_donuts": lambda asked: asked.decision == "day_old_donuts" and len(asked.options) > 3,
    "day_old_donuts, a small pile": lambda asked: (
        asked.decision == "day_old_donuts" and len(asked.options) < 3
    ),
    "sprinkled": _is("sprinkled"),
    "bear_claw": _is("bear_claw"),
    "strawberry_glazed": _is("strawberry_glazed"),
    "cinnamon_twist": _is("cinnamon_twist"),
    "cinnamon_twist, another's": lambda asked: (
        asked.decision == "cinnamon_twist" and "cinnamon_twist" not in asked.options
    ),
    "milk": _is("milk"),
    "milk, three other cards": lambda asked: asked.decision == "milk" and len(asked.options) == 3,
    "raspberry_frosted": _is("raspberry_frosted"),
}
"""What a bot must be asked at least once: whether a decision of a game is what the name says."""


def situations() -> dict[str, tuple[Game, int]]:
    """For each name of a situation: a game that is in it, and the seat that is asked.

    They are the same every time: seeds and answers are fixed.
    """
    found: dict[str, tuple[Game, int]] = {}
    for number in range(MOST_TRIES):
        game = Game(MIN_PLAYERS + number % (MAX_PLAYERS - 1), f"check-bot: situation {number}")
        seat = number % game.players
        chance = random.Random(number)
        while game.pending and len(found) < len(_WANTED):
            for asked in game.pending:
                if asked.player == seat:
                    for name, fits in _WANTED.items():
                        if name not in found and fits(asked):
                            found[name] = (game.copy(), seat)
            for asked in game.pending:
                count = chance.choice(asked.counts)
                game.choose(asked.player, chance.sample(asked.options, count))
        if len(found) == len(_WANTED):
            break
    return {name: found[name] for name in _WANTED if name in found}
