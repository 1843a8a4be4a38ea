"""The engine: a table on which a game is played, one answer at a time (SPEC §1, §3, §7).

A round is a pipeline of stages: refill, bid, reveal, resolve position by position, end or go on.
Between answers the table rests at a set of decisions asked at once; when the last of them is
answered everything that follows happens by itself, up to the next set or the end. The engine says
what happened in `events` and holds no clock, file or randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from types import MemberDescriptorType
from typing import Any, Final, NamedTuple, Self, SupportsIndex, overload

from mypy_extensions import mypyc_attr

from gonuts_cli.rules.cards import CARD_ORDER, MAX_PLAYERS, MIN_PLAYERS, POWERS
from gonuts_cli.rules.decisions import Decision, IllegalChoice, NotAsked
from gonuts_cli.rules.events import (
    AWARDED,
    BIDS,
    COLLIDED,
    MOVED,
    REFILLED,
    ROUNDS,
    ROW,
    TABLEAU,
    Choice,
    Decided,
    Event,
    Moved,
)
from gonuts_cli.rules.powers import Act, Ask
from gonuts_cli.rules.rulings import DEFAULT_RULINGS, Rulings
from gonuts_cli.rules.scoring import score, winners
from gonuts_cli.rules.texts import exact, shown

COUNTED_FAULTS: Final = ("timeout", "malformed", "illegal")
"""Faults of which three put a seat out (SPEC §7)."""
FATAL_FAULTS: Final = ("crashed", "flooded", "no_start")
"""Faults of which one puts a seat out (SPEC §7)."""
DISQUALIFIED: Final = "disqualified"
"""What the decisions of a seat that is out carry (SPEC §7)."""
FAULTS: Final = (*COUNTED_FAULTS, *FATAL_FAULTS, DISQUALIFIED)

_PLACE_IN_CARD_ORDER: Final = CARD_ORDER.__getitem__

DefaultBid = Callable[[int, int], int]
"""The position bid for a seat at fault, from the round and the seat (SPEC §2)."""

_BID_DECISIONS: Final = {
    players: tuple(
        Decision(seat, "bid", tuple(range(1, players + 2)), (1,)) for seat in range(players)
    )
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)
}
_ASKED_FOR_BIDS: Final = {
    players: dict(enumerate(asked)) for players, asked in _BID_DECISIONS.items()
}
_BIDS: Final = [frozenset(range(1, players + 2)) for players in range(MAX_PLAYERS + 1)]
_POSITIONS: Final = [(None, *range(1, players + 2)) for players in range(MAX_PLAYERS + 1)]
"""`_POSITIONS[players][position]` is the position itself; positions are counted from 1."""

Taking = tuple[int, int | None, dict[str, Moved]]
"""What becomes of the card on a position that is bid on: the position's index from 0, the seat that
takes the card or None where several bid, and the event by card."""

# Any: what is annotated as a tuple, compiled code takes apart and makes anew to pass it on.
_COLLISIONS: Final[list[Any]] = [(index, None, COLLIDED[index]) for index in range(MAX_PLAYERS + 1)]
_AWARDS: Final[list[list[Any]]] = [
    [(index, seat, AWARDED[index][seat]) for seat in range(MAX_PLAYERS)]
    for index in range(MAX_PLAYERS + 1)
]


def _reveal(bids: tuple[int, ...]) -> tuple[list[Decided], list[Taking]]:
    """The bids of all seats as events, and what follows from them, positions ascending."""
    decided: list[Decided] = []
    takings: list[Any] = [None] * (len(bids) + 1)
    for seat, position in enumerate(bids):
        decided.append(BIDS[seat][position])
        index = position - 1
        is_first = takings[index] is None
        takings[index] = _AWARDS[index][seat] if is_first else _COLLISIONS[index]
    return decided, [taking for taking in takings if taking is not None]


_REVEAL: Final = [cache(_reveal) if players < 5 else _reveal for players in range(MAX_PLAYERS + 1)]
"""By player count: four players can bid in 625 ways, which are soon known; five in 7,776."""


def _copy_slots(game: Any, twin: Any) -> None:
    """What derived classes keep in `__slots__`."""
    for kind in type(game).__mro__:
        if not kind.__module__.startswith("gonuts_cli."):
            for member in vars(kind).values():
                if type(member) is MemberDescriptorType:
                    with suppress(AttributeError):  # nothing stands there
                        member.__set__(twin, member.__get__(game))


class Result(NamedTuple):
    """How a game ended, every list by seat; `points` are by kind, `winners` ascend."""

    scores: list[int]
    cards: list[int]
    winners: list[int]
    points: list[dict[str, int]]


# Classes in plain Python may derive from it also where it is compiled.
@mypyc_attr(allow_interpreted_subclasses=True)
class Engine:
    """A table of `players` seats with its deck.

    The zones are `deck` and `discard` (lists of kinds, the top last), `row` (kinds or None by
    position) and `tableaus` (counts by kind, by seat). Read them; only the engine changes them.
    """

    __slots__ = (
        "_act",
        "_answers",
        "_asked",
        "_charged",
        "_decisions",
        "_positions",
        "_recorded",
        "_seen_at",
        "_takings",
        "bids",
        "deck",
        "default_bid",
        "discard",
        "events",
        "faults",
        "out",
        "over",
        "players",
        "round",
        "row",
        "rulings",
        "tableaus",
    )

    def __init__(
        self,
        players: int,
        deck: list[str],
        default_bid: DefaultBid,
        rulings: Rulings = DEFAULT_RULINGS,
    ) -> None:
        """A table with `deck` (its top last), which becomes the table's own."""
        self.players = players
        self.default_bid = default_bid
        self.rulings = rulings
        self.deck = deck
        self.discard: list[str] = []
        self.row: list[str | None] = [None] * (players + 1)
        self.tableaus: list[dict[str, int]] = [{} for _ in range(players)]
        self.round = 0
        self.bids: Sequence[int] = ()
        """The revealed bids of this round by seat; empty before that."""
        self._seen_at: dict[int, int] = {}
        """By seat that put a card back on the deck: how many there were then. It knows that card
        until one is drawn."""
        self.events: list[Event] = []
        self.faults: list[list[str]] = [[] for _ in range(players)]
        """The faults charged to each seat, in order, without `disqualified`."""
        self.out: set[int] = set()
        """The seats that the referee put out (SPEC §7)."""
        self.over = False
        # The set of decisions that is asked: all of it, those without an answer by player, the
        # answers by seat (a bid is its position, all others are a Choice), the faults charged in it
        # by seat, and how many answers were recorded before it was whole.
        self._decisions: tuple[Decision, ...] = _BID_DECISIONS[players]
        self._asked: dict[int, Decision] = {}
        self._answers: list[Any] = []
        self._charged: dict[int, str] = {}
        self._recorded = 0
        self._act: Act | None = None
        """What the answers do; None for bids, which are revealed and resolved."""
        self._positions = _POSITIONS[players]
        self._takings: list[Taking] = []
        """What is not resolved yet this round, while a power asks."""
        self._start_round()

    # What a game shows

    @property
    def pending(self) -> tuple[Decision, ...]:
        """The decisions asked now, in seat order; empty when the game is over.

        It is empty, too, in an unfinished game that was replayed without its seed where nobody is
        asked before something that only the seed tells.
        A seat that is out is never asked: its decisions are made for it as they come (SPEC §7).
        """
        decisions, asked = self._decisions, self._asked
        return decisions if len(asked) == len(decisions) else tuple(asked.values())

    @property
    def result(self) -> Result:
        """How the game ended; raises ValueError while it goes on."""
        if not self.over:
            raise ValueError("the game is not over: it has no result yet")
        points = score(self.tableaus, self.rulings)
        scores = [sum(by_kind.values()) for by_kind in points]
        cards = [sum(held.values()) for held in self.tableaus]
        return Result(scores, cards, winners(scores, cards, self.out), points)

    def known_tops(self) -> dict[int, str]:
        """The card on the deck, by seat that knows it, because it put it back (SPEC §5)."""
        # Nothing is ever put on the deck: while its size is the same, so is its top.
        size = len(self.deck)
        return {seat: self.deck[-1] for seat, seen_at in self._seen_at.items() if seen_at == size}

    def is_out(self, seat: SupportsIndex) -> bool:
        """Whether the referee put the seat out (SPEC §7)."""
        return seat in list(self.out)  # a list takes what has no hash

    def default_for(self, decision: Decision) -> Choice:
        """What is chosen for the player of a pending decision at a fault (SPEC §2, §3)."""
        if decision.decision == "bid":
            return (self.default_bid(self.round, decision.player),)
        return decision.default

    def copy(self) -> Self:
        """An independent game at the same point, as `copy.copy` and `copy.deepcopy` make it.

        What a class that is derived from this one keeps besides is the same in both.
        """
        twin = type(self).__new__(type(self))
        twin.players = self.players
        twin.rulings = self.rulings
        twin.default_bid = self.default_bid
        twin.deck = self.deck[:]
        twin.discard = self.discard[:]
        twin.row = self.row[:]
        twin.tableaus = [held.copy() for held in self.tableaus]
        twin.round = self.round
        twin.bids = self.bids
        twin.events = self.events[:]
        twin.faults = [charged[:] for charged in self.faults]
        twin.out = self.out.copy()
        twin.over = self.over
        twin._decisions = self._decisions
        twin._asked = self._asked.copy()
        twin._answers = self._answers[:]
        twin._act = self._act
        twin._charged = self._charged.copy()
        twin._recorded = self._recorded
        twin._seen_at = self._seen_at.copy()
        twin._positions = self._positions
        twin._takings = self._takings
        own = getattr(self, "__dict__", None)
        if own:
            twin.__dict__.update(own)
        if not type(self).__module__.startswith("gonuts_cli."):
            _copy_slots(self, twin)
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    # What players do

    @overload
    def choose(self, player: int, choose: Sequence[Any]) -> None: ...
    @overload
    def choose(self, player: int, *, fault: str) -> None: ...
    def choose(self, player: Any, choose: Any = None, *, fault: Any = None) -> None:
        """Answer for `player`: with some of the options, or with the `fault` charged to it.

        A fault chooses the default. `fault="disqualified"` says again what the engine does by
        itself for a seat that is out, so that the decisions of a log can be fed back one by one.
        Raises NotAsked or IllegalChoice (both ValueError) and then leaves the game as it was.
        """
        if fault is not None:
            return self._charge(player, choose, fault)
        # Most answers are good bids: those take the shortest way, every other is checked in full.
        asked = self._asked
        if asked and self._act is None and (type(choose) is tuple or type(choose) is list):
            try:
                (bid,) = choose
                # No other value is the very position: True is not, nor is 1.0.
                if self._positions[bid] is bid and player in asked:
                    self._answers[player] = bid
                    del asked[player]
                    if asked:
                        return None
            except (IndexError, TypeError, ValueError):
                pass  # What is wrong is said below.
            if not asked:
                self._go_on()
                return None
        chosen = self._asked_of(player).check(choose)
        self._answers[player] = chosen[0] if self._act is None else chosen
        del asked[player]
        if not asked:
            self._go_on()
        return None

    def bid_all(self, positions: Sequence[int]) -> None:
        """Choose for all players at once, before anybody has bid: their positions by seat.

        Raises NotAsked or IllegalChoice (both ValueError) and then leaves the game as it was.
        """
        players = self.players
        if self._act is not None or len(self._asked) != players:
            raise NotAsked("not all players are asked for their bids now")
        if type(positions) is not bytes:
            if not isinstance(positions, Sequence):
                raise IllegalChoice(f"{shown(positions)} are not positions by seat: give a list")
            if set(map(type, positions)) != {int}:
                raise IllegalChoice(f"{shown(positions)} are not positions: those are numbers")
        if len(positions) != players:
            raise IllegalChoice(f"{len(positions)} bids, but {players} players")
        if not _BIDS[players].issuperset(positions):
            for decision, position in zip(self._decisions, positions, strict=True):
                decision.check((position,))
        self._answers = list(positions)  # `_asked` stays whole: the next round needs it so
        self._go_on()

    def _charge(self, player: Any, choose: object, fault: Any) -> None:
        if choose is not None:
            raise IllegalChoice(
                "give what was chosen or the fault, not both: a fault has a default"
            )
        word = exact(fault) if isinstance(fault, str) else ""
        try:
            decision = self._asked_of(player)
        except NotAsked:
            if word == DISQUALIFIED and self.is_out(player):
                return
            raise
        if word not in FAULTS:
            raise IllegalChoice(f"no fault is called {shown(fault)}; there are {', '.join(FAULTS)}")
        if word == DISQUALIFIED:
            raise IllegalChoice(f"seat {player} is not out: it cannot be disqualified")
        if word == "no_start" and (self.round > 1 or decision.decision != "bid"):
            raise IllegalChoice("no_start is charged at a seat's first decision only")
        self._choose_default(decision, word)
        charged = self.faults[player]
        charged.append(word)
        if word in FATAL_FAULTS or len(charged) == 3:
            self.out.add(player)
        if not self._asked:
            self._go_on()

    @property
    def settled(self) -> int:
        """How many of `events` everybody may know: all but answers of a set that is still open."""
        return len(self.events) - self._recorded

    def answered(self) -> list[Decided]:
        """The answers that the open set has already, in seat order; not yet in `events`."""
        return self._decided() if self._asked else []

    def record_open_set(self, count: int) -> None:
        """Say in `events` now the first `count` answers of the open set, in seat order.

        A log that broke off within a set has recorded some of it, and what is recorded stands (SPEC
        §8). The rest of the set is said when it is whole, as always; so nothing is said of those
        behind the first that has not answered.
        """
        asked = self._asked
        behind = next((at for at, one in enumerate(self._decisions) if one.player in asked), count)
        said = self._decided()[: max(0, min(count, behind))]
        self.events += said
        self._recorded = len(said)

    def _decided(self) -> list[Decided]:
        """The answers that the set has, in seat order."""
        bids, asked, answers, charged = self._act is None, self._asked, self._answers, self._charged
        return [
            Decided(
                seat,
                decision,
                (answers[seat],) if bids else answers[seat],
                charged.get(seat) if charged else None,
            )
            for seat, decision, _, _ in self._decisions
            if seat not in asked
        ]

    def _choose_default(self, decision: Decision, fault: str) -> None:
        """Answer for a player at fault; the set goes on only when its last answer is there."""
        choose = self.default_for(decision)
        self._answers[decision.player] = choose[0] if self._act is None else choose
        self._charged[decision.player] = fault
        del self._asked[decision.player]

    def _asked_of(self, player: Any) -> Decision:
        """What `player` is asked; raises NotAsked."""
        try:
            decision = self._asked[player]
            self._answers[player]  # 1.0 finds what seat 1 is asked, but is no seat's number.
        except (IndexError, KeyError, TypeError):
            pass
        else:
            return decision
        raise self._not_asked(player)

    def _not_asked(self, player: object) -> NotAsked:
        if self.over:
            return NotAsked("the game is over: nobody is asked")
        asked = " and ".join(str(decision.player) for decision in self.pending)
        return NotAsked(f"player {shown(player)} is not asked now, but {asked}")

    # How a round runs

    def _start_round(self) -> None:
        self.round += 1
        row, deck, events = self.row, self.deck, self.events
        events.append(ROUNDS[self.round])
        for index, card in enumerate(row):
            if card is None:
                events.append(REFILLED[index][deck[-1]])  # first, as in `draw`
                row[index] = deck.pop()
        self.bids = ()
        players = self.players
        if len(self._asked) < players:
            self._asked = _ASKED_FOR_BIDS[players].copy()
        self._answers = [None] * players
        if self.out:
            self._answer_for_the_out()

    def _ask(self, ask: Ask) -> None:
        self._decisions, self._act = ask
        self._asked = {decision.player: decision for decision in self._decisions}
        self._answers = [None] * self.players
        if self.out:
            self._answer_for_the_out()

    def _answer_for_the_out(self) -> None:
        for decision in self._decisions:
            if decision.player in self.out:
                self._choose_default(decision, DISQUALIFIED)

    def _go_on(self) -> None:
        """All that follows from the answers, until somebody must be asked or the game ends."""
        while True:
            act = self._act
            if act is None:
                self.bids = bids = tuple(self._answers)
                decided, takings = _REVEAL[self.players](bids)
                if self._charged or self._recorded:
                    self._record()
                else:
                    self.events += decided
            else:
                self._record()
                act(self, self._answers)
                self._act = None
                self._decisions = _BID_DECISIONS[self.players]
                takings = self._takings
            if self._resolve(takings):
                if len(self.deck) < self.row.count(None):
                    self.over = True
                    self._decisions, self._asked = (), {}
                    return
                self._start_round()
            if self._asked:
                return

    def _record(self) -> None:
        """Say the answers of the set, which is whole."""
        self.events += self._decided()[self._recorded :]
        self._recorded = 0
        self._charged = {}

    def _resolve(self, takings: list[Taking]) -> bool:
        """Resolve these positions; False when a power asks before the last of them."""
        row, tableaus, events = self.row, self.tableaus, self.events
        for taking in takings:
            index, seat, moves = taking
            card = row[index]
            assert card is not None  # every position is full at the bids, and no power takes these
            row[index] = None
            events.append(moves[card])
            if seat is None:
                self.discard.append(card)
                continue
            held = tableaus[seat]
            held[card] = held.get(card, 0) + 1
            if card in POWERS:
                ask = POWERS[card](self, seat)
                if ask is not None:
                    self._takings = takings[takings.index(taking) + 1 :]
                    self._ask(ask)
                    return False
        return True

    # What powers read

    def kinds_of(self, seat: int) -> list[str]:
        """The kinds that a seat holds, in card order."""
        return sorted(self.tableaus[seat], key=_PLACE_IN_CARD_ORDER)

    def other_cards_of(self, seat: int, taken: str) -> list[str]:
        """A seat's cards in card order, every copy, but for the one of kind `taken` just taken."""
        held = self.tableaus[seat]
        return [kind for kind in self.kinds_of(seat) for _ in range(held[kind] - (kind == taken))]

    def other_kinds_of(self, seat: int, taken: str) -> list[str]:
        """The kinds of a seat's cards but for the copy of kind `taken` just taken, card order."""
        kinds = self.kinds_of(seat)
        if self.tableaus[seat][taken] == 1:
            kinds.remove(taken)
        return kinds

    # What powers do: each moves cards and says so

    def draw(self, seat: int, cause: str) -> None:
        """The top card of the deck goes to the seat's tableau."""
        # What only the seed tells cannot be said; then nothing must have happened yet.
        self.events.append(MOVED[self.deck[-1], "deck", TABLEAU[seat], cause])
        self._add(seat, self.deck.pop())

    def keep_one_of_two(self, seat: int, kept: str, cause: str) -> None:
        """One of the deck's two top cards goes to the seat's tableau; the other stays the top."""
        deck = self.deck
        top = deck[-1]
        # Who knew the top card still knows it unless a card like it was kept.
        knowers = [] if top == kept else self.known_tops()
        self._seen_at = dict.fromkeys([*knowers, seat], len(deck) - 1)
        if top == kept:
            deck.pop()
        else:
            del deck[-2]
        self._add(seat, kept)
        self.events.append(MOVED[kept, "deck", TABLEAU[seat], cause])

    def take_from_discard(self, seat: int, kind: str, cause: str) -> None:
        """The topmost copy of a kind in the discard pile goes to the seat's tableau."""
        pile = self.discard
        del pile[len(pile) - 1 - pile[::-1].index(kind)]
        self._add(seat, kind)
        self.events.append(MOVED[kind, "discard", TABLEAU[seat], cause])

    def discard_from_row(self, position: int, cause: str) -> None:
        """The card on a position, from 1, goes to the discard pile."""
        card = self.row[position - 1]
        assert card is not None  # only full positions are offered
        self.row[position - 1] = None
        self.discard.append(card)
        self.events.append(MOVED[card, ROW[position - 1], "discard", cause])

    def discard_from_tableau(self, seat: int, kind: str, cause: str) -> None:
        """One of a seat's cards goes to the discard pile."""
        self._remove(seat, kind)
        self.discard.append(kind)
        self.events.append(MOVED[kind, TABLEAU[seat], "discard", cause])

    def give(self, giver: int, taker: int, kind: str, cause: str) -> None:
        """One card goes from a tableau to another."""
        self._remove(giver, kind)
        self._add(taker, kind)
        self.events.append(MOVED[kind, TABLEAU[giver], TABLEAU[taker], cause])

    def _add(self, seat: int, kind: str) -> None:
        held = self.tableaus[seat]
        held[kind] = held.get(kind, 0) + 1

    def _remove(self, seat: int, kind: str) -> None:
        held = self.tableaus[seat]
        if held[kind] == 1:
            del held[kind]
        else:
            held[kind] -= 1
