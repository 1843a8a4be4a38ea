"""The engine: a table on which a game is played, one answer at a time (SPEC §1, §3, §7).

A round is a pipeline of stages: refill, bid, reveal, resolve position by position, end or go on.
Between answers the table rests at a set of decisions asked at once; when the last of them is
answered everything that follows happens by itself, up to the next set or the end. The engine says
what happened in `events` and holds no clock, file or randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

from gonuts_cli.rules.cards import CARD_ORDER, POWERS
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
)
from gonuts_cli.rules.powers import Ask
from gonuts_cli.rules.rulings import DEFAULT_RULINGS, Rulings
from gonuts_cli.rules.scoring import score, winners

COUNTED_FAULTS = ("timeout", "malformed", "illegal")
"""Faults of which three put a seat out (SPEC §7)."""
FATAL_FAULTS = ("crashed", "flooded", "no_start")
"""Faults of which one puts a seat out (SPEC §7)."""
DISQUALIFIED = "disqualified"
"""What the decisions of a seat that is out carry (SPEC §7)."""
FAULTS = (*COUNTED_FAULTS, *FATAL_FAULTS, DISQUALIFIED)

DefaultBid = Callable[[int, int], int]
"""The position bid for a seat at fault, from the round and the seat (SPEC §2)."""

_BID_DECISIONS = {
    players: {
        seat: Decision(seat, "bid", tuple(range(1, players + 2)), (1,)) for seat in range(players)
    }
    for players in range(2, 7)
}


class Result(NamedTuple):
    """How a game ended, every list by seat; `points` are by kind, `winners` ascend."""

    scores: list[int]
    cards: list[int]
    winners: list[int]
    points: list[dict[str, int]]


class Engine:
    """A table of `players` seats with its deck.

    The zones are `deck` and `discard` (lists of kinds, the top last), `row` (kinds or None by
    position) and `tableaus` (counts by kind, by seat). Read them; only the engine changes them.
    """

    __slots__ = (
        "_act",
        "_answers",
        "_open",
        "_position",
        "_recorded",
        "bids",
        "deck",
        "default_bid",
        "discard",
        "events",
        "faults",
        "known_top",
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
        self.bids: list[int] = []
        """The revealed bids of this round by seat; empty before that."""
        self.known_top: list[str | None] = [None] * players
        """The card on the deck, for a seat that knows it because it put it back."""
        self.events: list[Event] = []
        self.faults: list[list[str]] = [[] for _ in range(players)]
        """The faults charged to each seat, in order, without `disqualified`."""
        self.out: set[int] = set()
        """The seats that the referee put out (SPEC §7)."""
        self.over = False
        self._open: dict[int, Decision] = {}
        self._answers: list[Decided | None] = [None] * players
        self._act: Ask | None = None
        self._position = 0
        self._recorded = 0
        self._start_round()

    # What a game shows

    @property
    def pending(self) -> tuple[Decision, ...]:
        """The decisions asked now, in seat order; empty when the game is over.

        A seat that is out is never asked: its decisions are made for it as they come (SPEC §7).
        """
        return tuple(self._open.values())

    @property
    def result(self) -> Result:
        """How the game ended; raises ValueError while it goes on."""
        if not self.over:
            raise ValueError("the game is not over: it has no result yet")
        points = score(self.tableaus, self.rulings)
        scores = [sum(by_kind.values()) for by_kind in points]
        cards = [sum(held.values()) for held in self.tableaus]
        return Result(scores, cards, winners(scores, cards, self.out), points)

    def is_out(self, seat: int) -> bool:
        """Whether the referee put the seat out (SPEC §7)."""
        return seat in self.out

    def default_for(self, decision: Decision) -> Choice:
        """What is chosen for the player of a pending decision at a fault (SPEC §2, §3)."""
        if decision.decision == "bid":
            return (self.default_bid(self.round, decision.player),)
        return decision.default

    def copy(self) -> Self:
        """An independent game at the same point."""
        twin = object.__new__(type(self))
        twin.players = self.players
        twin.rulings = self.rulings
        twin.default_bid = self.default_bid
        twin.deck = self.deck[:]
        twin.discard = self.discard[:]
        twin.row = self.row[:]
        twin.tableaus = [held.copy() for held in self.tableaus]
        twin.round = self.round
        twin.bids = self.bids
        twin.known_top = self.known_top[:]
        twin.events = self.events[:]
        twin.faults = [charged[:] for charged in self.faults]
        twin.out = self.out.copy()
        twin.over = self.over
        twin._open = self._open.copy()
        twin._answers = self._answers[:]
        twin._act = self._act
        twin._position = self._position
        twin._recorded = self._recorded
        return twin

    # What players do

    def choose(
        self, player: int, choose: Sequence[Any] | None = None, *, fault: str | None = None
    ) -> None:
        """Answer for `player`: with some of the options, or with the `fault` charged to it.

        A fault chooses the default. `fault="disqualified"` says again what the engine does by
        itself for a seat that is out, so that the decisions of a log can be fed back one by one.
        Raises NotAsked or IllegalChoice (both ValueError) and then leaves the game as it was.
        """
        if fault is not None:
            return self._charge(player, choose, fault)
        decision = self._open.get(player)
        if decision is None:
            raise self._not_asked(player)
        # Most answers are good bids: those take the shortest way, every other is checked in full.
        if (
            self._act is None
            and (type(choose) is tuple or type(choose) is list)
            and len(choose) == 1
            and type(bid := choose[0]) is int
            and 0 < bid <= self.players + 1
        ):
            answer = BIDS[player][bid]
        else:
            answer = Decided(decision.player, decision.decision, decision.check(choose))
        del self._open[player]
        self._answers[player] = answer
        if not self._open:
            self._go_on()
        return None

    def _charge(self, player: int, choose: object, fault: str) -> None:
        if choose is not None:
            raise IllegalChoice(
                "give what was chosen or the fault, not both: a fault has a default"
            )
        if fault == DISQUALIFIED and player in self.out and player not in self._open:
            return
        decision = self._open.get(player)
        if decision is None:
            raise self._not_asked(player)
        if fault not in FAULTS:
            raise IllegalChoice(f"no fault is called {fault!r}; there are {', '.join(FAULTS)}")
        if fault == DISQUALIFIED:
            raise IllegalChoice(f"seat {player} is not out: it cannot be disqualified")
        if fault == "no_start" and (self.round > 1 or decision.decision != "bid"):
            raise IllegalChoice("no_start is charged at a seat's first decision only")
        answer = Decided(decision.player, decision.decision, self.default_for(decision), fault)
        charged = self.faults[player]
        charged.append(fault)
        if fault in FATAL_FAULTS or len(charged) == 3:
            self.out.add(player)
        del self._open[player]
        self._answers[player] = answer
        if not self._open:
            self._go_on()

    def answered(self) -> list[Decided]:
        """The answers that the open set has already, in seat order; not yet in `events`."""
        return [answer for answer in self._answers if answer is not None] if self._open else []

    def record_open_set(self, count: int) -> None:
        """Say in `events` now the first `count` answers of the open set, in seat order.

        A log that broke off within a set has recorded some of it, and what is recorded stands (SPEC
        §8). The rest of the set is said when it is whole, as always.
        """
        if count > 0:
            self.events += [answer for answer in self._answers if answer is not None][:count]
            self._recorded = count

    def _not_asked(self, player: int) -> NotAsked:
        if self.over:
            return NotAsked("the game is over: nobody is asked")
        asked = " and ".join(map(str, self._open))
        return NotAsked(f"player {player!r} is not asked now; asked is {asked}")

    # How a round runs

    def _start_round(self) -> None:
        self.round += 1
        events = self.events
        events.append(ROUNDS[self.round])
        row, deck = self.row, self.deck
        for index, card in enumerate(row):
            if card is None:
                row[index] = card = deck.pop()
                events.append(REFILLED[index][card])
        self.known_top = [None] * self.players
        self.bids = []
        self._act = None
        self._open = _BID_DECISIONS[self.players].copy()
        self._answers = [None] * self.players
        if self.out:
            self._answer_for_the_out()

    def _ask(self, ask: Ask) -> None:
        self._act = ask
        self._open = {decision.player: decision for decision in ask.decisions}
        self._answers = [None] * self.players
        if self.out:
            self._answer_for_the_out()

    def _answer_for_the_out(self) -> None:
        for seat in self.out.intersection(self._open):
            decision = self._open.pop(seat)
            self._answers[seat] = Decided(
                seat, decision.decision, self.default_for(decision), DISQUALIFIED
            )

    def _go_on(self) -> None:
        """All that follows from the answers, until somebody must be asked or the game ends."""
        while not self._open and not self.over:
            decided = [answer for answer in self._answers if answer is not None]
            self.events += decided[self._recorded :] if self._recorded else decided
            self._recorded = 0
            if self._act is None:
                self.bids = [answer.choose[0] for answer in decided]
                self._position = 0
            else:
                self._act.act(self, {answer.player: answer.choose for answer in decided})
            if not self._resolve_positions():
                continue
            if len(self.deck) < self.row.count(None):
                self.over = True
            else:
                self._start_round()

    def _resolve_positions(self) -> bool:
        """Resolve the positions that are left; False when a power asks first."""
        row, bids, events = self.row, self.bids, self.events
        for index in range(self._position, self.players + 1):
            bidders = bids.count(index + 1)
            if not bidders:
                continue
            card = row[index]
            assert card is not None  # every position is full at the bids, and no power takes these
            row[index] = None
            if bidders > 1:
                self.discard.append(card)
                events.append(COLLIDED[index][card])
                continue
            seat = bids.index(index + 1)
            tableau = self.tableaus[seat]
            tableau[card] = tableau.get(card, 0) + 1
            events.append(AWARDED[index][seat][card])
            power = POWERS.get(card)
            if power is not None:
                ask = power(self, seat)
                if ask is not None:
                    self._position = index + 1
                    self._ask(ask)
                    return False
        return True

    # What powers read

    def opponents(self, seat: int) -> list[int]:
        """The other seats, ascending."""
        return [other for other in range(self.players) if other != seat]

    def kinds_of(self, seat: int) -> list[str]:
        """The kinds that a seat holds, in card order."""
        return sorted(self.tableaus[seat], key=CARD_ORDER.__getitem__)

    def other_cards_of(self, seat: int, taken: str) -> list[str]:
        """A seat's cards in card order, every copy, but for the one of kind `taken` just taken."""
        held = self.tableaus[seat]
        return [kind for kind in self.kinds_of(seat) for _ in range(held[kind] - (kind == taken))]

    def other_kinds_of(self, seat: int, taken: str) -> list[str]:
        """The kinds of a seat's cards but for the copy of kind `taken` just taken, card order."""
        held = self.tableaus[seat]
        return [kind for kind in self.kinds_of(seat) if kind != taken or held[kind] > 1]

    # What powers do: each moves cards and says so

    def draw(self, seat: int, cause: str) -> None:
        """The top card of the deck goes to the seat's tableau."""
        card = self.deck.pop()
        self.known_top = [None] * self.players
        self._add(seat, card)
        self.events.append(MOVED[card, "deck", TABLEAU[seat], cause])

    def keep_one_of_two(self, seat: int, kept: str, cause: str) -> None:
        """One of the deck's two top cards goes to the seat's tableau; the other stays the top."""
        deck = self.deck
        if deck[-1] == kept:
            deck.pop()
        else:
            del deck[-2]
        # Who knew the top card still knows it unless a card like it was kept.
        self.known_top = [None if top == kept else top for top in self.known_top]
        self.known_top[seat] = deck[-1]
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
