"""A game told in a few lines a round: what lay there, who bid what, what came of it.

The story is told from the lines of a log, or from the events that a seat is sent while a game
goes on. It is told in beats: what a reader takes in at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gonuts_cli.rules.cards import CARD_ORDER
from gonuts_cli.rules.engine import COUNTED_FAULTS, DISQUALIFIED
from gonuts_cli.rules.rulings import Rulings
from gonuts_cli.rules.scoring import score
from gonuts_cli.show.human import times
from gonuts_cli.show.lang import Lang, card_name, card_text, points_text, texts
from gonuts_cli.show.paint import Paint
from gonuts_cli.show.safe import printable

_TOO_MANY_FAULTS = 3  # counted faults that put a seat out (SPEC §7)


class Beat(NamedTuple):
    """A few lines of the story, the round that they belong to (0 before the first), and the
    tableaus as they are then, by seat."""

    round: int
    lines: tuple[str, ...]
    tableaus: tuple[Mapping[str, int], ...]


class _Taken(NamedTuple):
    """A card taken by a bid, whose power may still be acting."""

    kind: str
    seat: int
    position: int
    copies: int
    """How many of its kind the seat holds with it."""


class Story:
    """One game, told as its events come (dicts as a log's lines have them, SPEC §4).

    The events must be those of a game that the rules give; where a log stops being that, stop
    telling and call `breaks_off`.
    """

    def __init__(self, started: Mapping[str, Any], lang: Lang, paint: Paint) -> None:
        """A story of the game that the `game_started` line `started` opens."""
        self._started = started
        self._names: list[str] = started["players"]
        self._rulings = Rulings.parse(started["rulings"])
        self._lang: Lang = lang
        self._say = texts(lang)
        self._paint = paint
        seats = range(len(self._names))
        self._round = 0
        self._decided = 0
        self._row: list[str | None] = [None] * (len(self._names) + 1)
        self._tableaus: list[dict[str, int]] = [{} for _ in seats]
        self._bids: list[int] = []
        self._faults = [0] * len(self._names)
        self._out: set[int] = set()
        self._leader: int | None = None
        self._taken: _Taken | None = None
        self._acts: list[Mapping[str, Any]] = []
        self._places: list[str] = []
        self._told_faults: list[str] = []

    def opening(self) -> Beat:
        """Which game this is, and who plays."""
        say, started = self._say, self._started
        lines = [
            self._paint.strong(say.title.format(game=printable(started["game"]))),
            say.seats.format(players=self._all(range(len(self._names)))),
        ]
        if started["rulings"]:
            chosen = ", ".join(f"{name} {value}" for name, value in started["rulings"].items())
            lines.append(say.rulings.format(rulings=chosen))
        return self._beat(lines)

    def feed(self, event: Mapping[str, Any]) -> list[Beat]:
        """What there is to tell when `event` has happened."""
        kind = event["event"]
        if kind == "round_started":
            beats = self._end_of_round()
            self._round, self._decided, self._bids = event["round"], 0, []
            return beats
        if kind == "decided":
            return self._decide(event)
        if kind == "moved":
            return self._move(event)
        return [*self._end_of_round(), *self._final(event)]

    def breaks_off(self) -> list[Beat]:
        """The story's last words where a game has no end: what is known, and no more."""
        beats = []
        if self._bids and len(self._bids) < len(self._names):
            beats.append(self._bids_beat())
        if self._taken is not None:
            beats.append(self._taken_beat(whole=False))
        standing = self._standing() if self._bids else []
        return [*beats, self._beat([*standing, self._say.unfinished])]

    # Following the events

    def _decide(self, event: Mapping[str, Any]) -> list[Beat]:
        beats = []
        self._decided += 1
        seat, fault = event["player"], event.get("fault")
        if fault is not None:
            self._tell_fault(seat, fault)
        if event["decision"] != "bid":
            self._acts.append(event)
            self._places.append(f"{self._round}:{self._decided}")
            return []
        if not self._bids:
            beats.append(self._row_beat())
        self._bids.append(event["choose"][0])
        if len(self._bids) == len(self._names):
            beats.append(self._bids_beat())
        return beats

    def _tell_fault(self, seat: int, fault: str) -> None:
        who = self._player(seat)
        told = self._say.referee_chose.format(player=who)
        if fault == DISQUALIFIED:
            if self._decided > len(self._names):  # at bids the list of bids says that it is out
                self._told_faults.append(self._paint.faint(told))
            return
        told = f"{self._say.faults[fault].format(player=who)} {told}"
        self._faults[seat] += 1
        if fault not in COUNTED_FAULTS or self._faults[seat] == _TOO_MANY_FAULTS:
            self._out.add(seat)
            told += f" {self._say.put_out.format(player=who)}"
        self._told_faults.append(f"{self._paint.fault('!')} {told}")

    def _move(self, event: Mapping[str, Any]) -> list[Beat]:
        cause, card = event["cause"], event["card"]
        beats: list[Beat] = []
        if cause in ("award", "collision"):
            beats += self._end_of_power()
        source, _, place = event["from"].partition(":")
        if source == "row":
            self._row[int(place) - 1] = None
        elif source == "tableau":
            self._lose(int(place), card)
        target, _, there = event["to"].partition(":")
        if target == "row":
            self._row[int(there) - 1] = card
        elif target == "tableau":
            held = self._tableaus[int(there)]
            held[card] = held.get(card, 0) + 1
        if cause == "award":
            seat = int(there)
            self._taken = _Taken(card, seat, int(place), self._tableaus[seat][card])
        elif cause == "collision":
            beats.append(self._collision_beat(card, int(place)))
        elif cause != "refill":
            self._acts.append(event)
        return beats

    def _lose(self, seat: int, card: str) -> None:
        held = self._tableaus[seat]
        held[card] -= 1
        if not held[card]:
            del held[card]

    def _end_of_power(self) -> list[Beat]:
        return [] if self._taken is None else [self._taken_beat(whole=True)]

    def _end_of_round(self) -> list[Beat]:
        beats = self._end_of_power()
        if self._round:
            beats.append(self._beat(self._standing()))
        return beats

    # Telling

    def _row_beat(self) -> Beat:
        heading = self._say.round.format(round=self._round)
        cards = [
            f"{position} {self._card(kind)}"
            for position, kind in enumerate(self._row, 1)
            if kind is not None
        ]
        row = self._say.labelled(self._say.row, " · ".join(cards))
        return self._beat(["", self._paint.strong(heading), f"  {row}"])

    def _bids_beat(self) -> Beat:
        """Bids, faults and what nobody wants; also of a round that breaks off in its bids."""
        bids = []
        for seat, bid in enumerate(self._bids):
            out = f" ({self._say.out})" if seat in self._out else ""
            bids.append(f"{self._player(seat)} {bid}{out}")
        places = f"[{self._round}:1–{self._round}:{len(self._bids)}]"
        told = self._say.labelled(self._say.bids, " · ".join(bids))
        lines = [f"  {told}  {self._paint.faint(places)}"]
        lines += self._take_faults()
        unwanted = Counter(
            kind
            for position, kind in enumerate(self._row, 1)
            if kind is not None and position not in self._bids
        )
        if unwanted and len(self._bids) == len(self._names):
            cards = [times(self._card(kind), count) for kind, count in unwanted.items()]
            listed = self._say.listed(cards, self._say.or_)
            lines.append(f"  {self._say.nobody_bid.format(cards=listed)}")
        return self._beat(lines)

    def _collision_beat(self, card: str, position: int) -> Beat:
        bidders = [seat for seat, bid in enumerate(self._bids) if bid == position]
        if len(bidders) == 2:
            sentence = self._say.collision_two
        elif len(bidders) < len(self._names):
            sentence = self._say.collision_many
        else:
            sentence = self._say.collision_all
        told = sentence.format(players=self._all(bidders), cards=self._card(card))
        return self._beat([f"  {position}  {told}"])

    def _taken_beat(self, *, whole: bool) -> Beat:
        """A card that is taken, and what its power did; not `whole` where the log breaks off."""
        taken = self._taken
        assert taken is not None
        award = self._say.award.format(
            player=self._player(taken.seat), cards=self._card(taken.kind)
        )
        lines = [f"  {taken.position}  {award}", *self._take_faults()]
        told = self._power(taken, whole)
        if told and self._places:
            told[-1] += "  " + self._paint.faint(f"[{', '.join(self._places)}]")
        lines += [f"     ↳ {line}" for line in told]
        self._taken, self._acts, self._places = None, [], []
        return self._beat(lines)

    def _power(self, taken: _Taken, whole: bool) -> list[str]:
        moves = [act for act in self._acts if act["event"] == "moved"]
        asked = len(moves) < len(self._acts)
        own = f"tableau:{taken.seat}"
        told = []
        if moves and self._goes_itself(taken, moves[0]):
            told.append(self._fill(taken, "itself", [self._card(taken.kind)], ""))
            moves = moves[1:]
        elif not moves and whole:
            told += filter(None, [self._fill(taken, "nothing", [], "")])
        if not moves:
            return told
        if taken.kind == "cinnamon_twist":
            return [*told, self._fill(taken, "did", [", ".join(map(self._pass, moves))], "")]
        other = ""
        ends = {moves[0]["from"], moves[0]["to"]} - {own}
        for end in ends:
            if end.startswith("tableau:"):
                other = self._player(_seat(end))
        last = taken.kind == "double_chocolate" and not asked
        cards = [self._card(move["card"]) for move in moves]
        return [*told, self._fill(taken, "last" if last else "did", cards, other)]

    def _goes_itself(self, taken: _Taken, move: Mapping[str, Any]) -> bool:
        """Whether the card goes away by its own power, not another copy of it."""
        return (
            move["card"] == taken.kind
            and move["to"] == "discard"
            and bool(card_text(taken.kind, "itself", self._lang))
            and (taken.copies == 1 or taken.kind == "cinnamon_twist")
        )

    def _fill(self, taken: _Taken, part: str, cards: Sequence[str], other: str) -> str:
        return card_text(taken.kind, part, self._lang).format(
            player=self._player(taken.seat), cards=self._say.listed(cards), other=other
        )

    def _pass(self, move: Mapping[str, Any]) -> str:
        return self._say.passed.format(
            player=self._player(_seat(move["from"])),
            cards=self._card(move["card"]),
            other=self._player(_seat(move["to"])),
        )

    def _standing(self) -> list[str]:
        points = [sum(by_kind.values()) for by_kind in score(self._tableaus, self._rulings)]
        order = sorted(range(len(points)), key=lambda seat: -points[seat])
        line = " · ".join(f"{self._player(seat)} {points[seat]}" for seat in order)
        lines = [f"  {self._say.labelled(self._say.standing, line)}"]
        first, second = order[:2]
        if points[first] > points[second] and first != self._leader:
            self._leader = first
            lines.append(f"  {self._say.lead.format(player=self._player(first))}")
        return lines

    def _final(self, ended: Mapping[str, Any]) -> Iterator[Beat]:
        say = self._say
        rounds = say.count(say.rounds, ended["rounds"])
        yield self._beat(["", say.end.format(rounds=rounds)])
        points = score(self._tableaus, self._rulings)
        scores, cards = ended["scores"], ended["cards"]
        order = sorted(range(len(scores)), key=lambda seat: (-scores[seat], -cards[seat]))
        lines = ["", self._paint.strong(say.final)]
        for seat in order:
            out = f" ({say.out})" if seat in self._out else ""
            total = self._paint.strong(say.count(say.points, scores[seat]))
            held = say.count(say.cards, cards[seat])
            lines.append(f"  {say.labelled(f'{self._player(seat)}{out}', f'{total}, {held}')}")
            lines += _count_lines(self._tableaus[seat], points[seat], self._lang)
        winners = ended["winners"]
        if not winners:
            lines.append(say.nobody_wins)
        elif len(winners) == 1:
            lines.append(say.wins.format(player=self._player(winners[0])))
        else:
            lines.append(say.shared_win.format(players=self._all(winners)))
        yield self._beat(lines)

    def _beat(self, lines: Iterable[str]) -> Beat:
        return Beat(self._round, tuple(lines), tuple(dict(held) for held in self._tableaus))

    def _take_faults(self) -> list[str]:
        told = [f"  {line}" for line in self._told_faults]
        self._told_faults = []
        return told

    def _player(self, seat: int) -> str:
        return self._paint.player(seat, self._names)

    def _all(self, seats: Iterable[int]) -> str:
        return self._say.listed([self._player(seat) for seat in seats])

    def _card(self, kind: str) -> str:
        return self._paint.card(card_name(kind, self._lang))


def _seat(zone: str) -> int:
    return int(zone.partition(":")[2])


def _count_lines(held: Mapping[str, int], points: Mapping[str, int], lang: Lang) -> list[str]:
    """A line a kind: how many, the points, the rule."""
    kinds = sorted(held, key=CARD_ORDER.__getitem__)
    names = {kind: f"{held[kind]} × {card_name(kind, lang)}" for kind in kinds}
    width = max(map(len, names.values()), default=0)
    return [
        f"    {name:<{width}}  {points[kind]:>3}  ({points_text(kind, lang)})"
        for kind, name in names.items()
    ]
