"""A log told again by the rules: what replays, resumes and validates a game (SPEC §4, §9).

With its seed a log needs only its `decided` lines: all other lines follow. Without a seed (a log
that breaks off) the deck is known as far as the `moved` lines tell it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import zip_longest
from typing import NamedTuple

import orjson

from gonuts_cli.game import Game
from gonuts_cli.log import decode
from gonuts_cli.log.compact import expand_game, is_compact
from gonuts_cli.log.decode import LogError
from gonuts_cli.log.encode import LINES
from gonuts_cli.rules.cards import sorted_deck
from gonuts_cli.rules.decisions import IllegalChoice, NotAsked
from gonuts_cli.rules.deck import commitment
from gonuts_cli.rules.engine import Engine
from gonuts_cli.rules.events import BIDS, Decided, SeedMissing

_DRAWN = re.compile(rb'^\{"event":"moved","card":"([a-z_]+)","from":"deck"', re.M)
_DEFAULT_BID = re.compile(
    rb'^\{"event":"round_started","round":(\d{1,3})\}$'
    rb'|^\{"event":"decided","player":(\d),"decision":"bid","choose":\[(\d)\],"fault"',
    re.M,
)
_KEPT_AND_NOT_DRAWN = re.compile(
    rb'"decision":"double_chocolate","choose":\["([a-z_]+)"\](?:,"fault":"[a-z_]+")?\}\n'
    rb'(?!\{"event":"moved","card":"\1","from":"deck")'
)

_CHOOSE = b'"choose":['
_BID_LENGTH = len(LINES[BIDS[0][1]])
"""Bytes from one bid to the next: their lines are equally long."""
_POSITIONS = bytes(byte - ord("0") if byte in b"1234567" else 0 for byte in range(256))
"""What a digit says; 0, which is no position, for all that is no digit of one."""
_UNTOLD = (0, ("",))


class SeedNeeded(NotAsked):
    """An unfinished game without its seed cannot go on."""


class ToldGame(Game):
    """An unfinished game without its seed: it shows how things stand and does not go on.

    What the referee chooses for a seat that is out and the log does not tell is one of `_UNTOLD`.
    """

    __slots__ = ()

    def _go_on(self) -> None:
        self._stop_at_the_untold()
        super()._go_on()

    def _answer_for_the_out(self) -> None:
        super()._answer_for_the_out()
        if not self._asked:
            self._stop_at_the_untold()

    def _stop_at_the_untold(self) -> None:
        if self._is_untold():
            raise SeedMissing

    def _is_untold(self) -> bool:
        return any(answer in _UNTOLD for answer in self._answers)

    def record_open_set(self, count: int) -> None:
        if self._asked or self._is_untold():  # Else the last set is said, and no other is open.
            super().record_open_set(count)

    def told_behind(self, seat: int) -> Iterator[Decided]:
        """Of a set that needs an answer that is not told: those behind a seat's that are."""
        if not self._is_untold():
            return
        for answer in self._decided():
            if answer.player > seat:
                if answer.choose in ((0,), ("",)):
                    return
                yield answer

    def choose(self, player: int, choose: object = None, *, fault: str | None = None) -> None:
        raise SeedNeeded("the log is unfinished: the game goes on only with its seed")

    def bid_all(self, positions: object) -> None:
        self.choose(0, positions)


def with_seed(header: decode.Header, seed: str) -> Game:
    """The game of a header, dealt from its seed, before its first decision."""
    return Game(
        seed=seed,
        names=header.names,
        rulings=header.rulings.changed(),
        game=header.game,
        tags=header.tags,
    )


def without_seed(header: decode.Header, data: bytes) -> ToldGame:
    """The game of a header, dealt as the lines in `data` tell the deck.

    A default bid, which follows from the seed too, is taken from the lines as well.
    """
    players = len(header.names)
    told, _ = _told_deck(data, players)
    bids: dict[tuple[int, int], int] = {}
    for bid in _default_bids(data):
        if bid.position in range(1, players + 2):
            # A second one for a seat is wrong, whatever it says.
            bids.setdefault((bid.round, bid.seat), bid.position)
    game = ToldGame.__new__(ToldGame)
    game.names = header.names
    game.seed = None
    game.commitment = header.commitment
    game.game_id = header.game
    game.tags = header.tags
    # The lower part of the deck is not known: those cards are empty texts.
    deck = [""] * (len(sorted_deck(players)) - len(told)) + told[::-1]
    # A log that breaks off in its first refill tells less than the first row.
    with suppress(SeedMissing):
        Engine.__init__(game, players, deck, lambda *at: bids.get(at, 0), header.rulings)
    return game


class _DefaultBid(NamedTuple):
    """What a line says that the referee bid for a seat; `at` is where it begins."""

    round: int
    seat: int
    position: int
    at: int


def _default_bids(data: bytes) -> Iterator[_DefaultBid]:
    round_number = 0
    for found in _DEFAULT_BID.finditer(data):
        started, seat, position = found.groups()
        if started:
            round_number = int(started)
        else:
            yield _DefaultBid(round_number, int(seat), int(position), found.start())


def untrue(data: bytes, players: int) -> LogError | None:
    """The first line that no game of so many players can hold, whatever its seed.

    Where the seed is not known, nothing else tells what the referee bid and what the deck holds.
    """
    found = [_no_position(data, players), _told_deck(data, players)[1]]
    return min(filter(None, found), key=lambda fault: fault.line, default=None)


def _told_deck(data: bytes, players: int) -> tuple[list[str], LogError | None]:
    """The cards of the deck that the lines tell, its top first, as far as there are such cards.

    The card that is kept by a Double Chocolate is told by the decision, whatever is drawn then.
    """
    kept = _KEPT_AND_NOT_DRAWN.search(data)
    told = [(found.start(), found[1].decode()) for found in _DRAWN.finditer(data)]
    if kept is not None:
        told = [(at, kind) for at, kind in told if at < kept.start()]
        told.append((kept.start(), kept[1].decode()))
    left = Counter(sorted_deck(players))
    for number, (at, kind) in enumerate(told):
        left[kind] -= 1
        if left[kind] < 0:
            line = data.count(b"\n", 0, at) + 1
            words = f"more {kind} are drawn than {players} players' deck has"
            return [kind for _, kind in told[:number]], LogError("bad_deck", line, words)
    return [kind for _, kind in told], None


def _no_position(data: bytes, players: int) -> LogError | None:
    """The first line on which the referee bids what is no position."""
    for bid in _default_bids(data):
        if bid.position not in range(1, players + 2):
            return LogError(
                "illegal_decision",
                data.count(b"\n", 0, bid.at) + 1,
                f"round {bid.round}: the referee bids {bid.position} for seat {bid.seat}, "
                f"but the positions are 1 to {players + 1}",
            )
    return None


def draws(data: bytes) -> list[str]:
    """The cards that the lines draw from the deck, in order."""
    return [kind.decode() for kind in _DRAWN.findall(data)]


def feed(game: Game, recorded: decode.RecordedDecision) -> None:
    """Make the decision that a `decided` line records; raises LogError with line 0.

    It is the engine's `choose`, so that a told game, which refuses all others, takes its own.
    """
    try:
        if recorded.fault is None:
            Engine.choose(game, recorded.player, recorded.choose)
        else:
            Engine.choose(game, recorded.player, fault=recorded.fault)
    except (IllegalChoice, NotAsked) as error:
        raise LogError("illegal", 0, str(error)) from None


def choose_all(game: Game, data: bytes) -> None:
    """Choose what a whole log without faults records, in a game that waits for its first bids.

    Only what is chosen is read, from where it stands in a good log, and no other byte is looked at:
    compare the game's log with `data`. Raises ValueError or IndexError for some of the logs that
    are not good.
    """
    at, bids_length = 0, game.players * _BID_LENGTH
    while pending := game.pending:
        if pending[0].decision == "bid":
            at = data.index(_CHOOSE, at) + len(_CHOOSE)
            bids = data[at : at + bids_length : _BID_LENGTH]
            game.bid_all(bids.translate(_POSITIONS))
            at += bids_length - _BID_LENGTH
            continue
        for decision in pending:
            at = data.index(_CHOOSE, at) + len(_CHOOSE)
            game.choose(decision.player, orjson.loads(data[at - 1 : data.index(b"}", at)]))


def replay(log: bytes, seed: str | None) -> Game:
    """See `Game.replay`."""
    data = log[: log.rfind(b"\n") + 1]
    if not data:
        raise LogError("empty", 1, "the log holds no whole line")
    if is_compact(data):
        data = expand_game(data)
    header = decode.parse_header(data.partition(b"\n")[0])
    end = _end_of_first(data)
    if end < len(data):
        replay(data[:end], seed)  # What is wrong before it is said first.
        begins = data.startswith(decode.STARTED, end)
        words = "another game begins here: give one game at a time" if begins else _TOO_MUCH
        raise LogError("after_end", data.count(b"\n", 0, end) + 1, words)
    last = data.rfind(b"\n", 0, -1) + 1
    if data.startswith(decode.ENDED, last):
        try:
            ending_seed = _seed_told(data, last, header)
        except LogError:
            replay(data[:last], None)  # The same.
            raise
        if seed is not None and seed != ending_seed:
            raise LogError("bad_seed", 1, "the seed given is not the one that the log tells")
        seed = ending_seed
    if seed is None:
        game: Game = without_seed(header, data)
    elif commitment(seed) != header.commitment:
        raise LogError("bad_seed", 1, "the seed is not this game's: the commitment differs")
    else:
        game = with_seed(header, seed)
    try:
        for recorded in decode.decisions(data):
            feed(game, recorded)
    except SeedMissing:
        pass  # What follows from the last decisions draws a card that the log does not tell.
    except LogError as error:
        game.record_open_set(len(game.answered()))
        raise _first_fault(game, data) or error from None
    made = sum(isinstance(event, Decided) for event in game.events)
    game.record_open_set(data.count(b"\n" + decode.DECIDED) - made)
    fault = _first_fault(game, data)
    if fault is not None:
        raise fault
    return game


def _seed_told(data: bytes, last: int, header: decode.Header) -> str:
    """The seed in the `game_ended` line that begins at `last`; raises LogError for another's."""
    line = data.count(b"\n")
    _, seed = decode.parse_ending(data[last:], line)
    if commitment(seed) != header.commitment:
        words = f"the seed {seed!r} is not the one that the commitment was made for"
        raise LogError("bad_seed", line, words)
    return seed


_TOO_MUCH = "the game is over: this line is too much"


def _end_of_first(data: bytes) -> int:
    """Where the first game in some bytes ends: behind its last line, or where another begins."""
    another = data.find(b"\n" + decode.STARTED)
    over = data.find(b"\n" + decode.ENDED, 0, another + 1 or len(data))
    return data.find(b"\n", over + 1) + 1 if over >= 0 else another + 1 or len(data)


def _first_fault(game: Game, data: bytes) -> LogError | None:
    """What is wrong with the first line of `data` that is, as far as the game tells."""
    impossible = untrue(data, game.players) if game.seed is None else None
    faults = filter(None, [impossible, _first_difference(game, data)])
    return min(faults, key=lambda fault: fault.line, default=None)


def _first_difference(game: Game, data: bytes) -> LogError | None:
    """The first line of `data` that is not what the game says it should be, if any."""
    log = game.log()
    if log.startswith(data):
        return None
    pairs = zip_longest(data.split(b"\n")[:-1], log.split(b"\n")[:-1])
    number = next(number for number, (stands, should) in enumerate(pairs, 1) if stands != should)
    return LogError("differs", number, "this line is not what the rules give")
