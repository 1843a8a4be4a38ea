"""The second opinion: count a game's scores again from its `moved` lines alone (SPEC §4).

This module knows what a card is worth from its own table and imports nothing of the engine, so that
a mistake in the rules' code cannot hide itself here. It moves cards between zones as the log says,
refuses a move of a card that is not where the move says (or that the deck never had), and at the
end counts scores, cards and winners and compares them with what `game_ended` records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

_FORMAT = "gonuts-log/1"
_RULES = "gonuts-rules/1"

# kind -> copies in the decks of 2, 3, 4, 5 and 6 players, in card order (SPEC §1)
_COPIES: dict[str, tuple[int, int, int, int, int]] = {
    "chocolate_frosted": (3, 3, 3, 3, 3),
    "donut_holes": (6, 6, 6, 6, 6),
    "eclair": (3, 3, 3, 3, 3),
    "french_cruller": (1, 2, 3, 4, 4),
    "glazed": (5, 5, 5, 5, 5),
    "jelly_filled": (6, 6, 6, 6, 6),
    "maple_bar": (2, 2, 2, 2, 2),
    "plain": (7, 7, 7, 7, 7),
    "powdered": (4, 4, 4, 4, 4),
    "boston_cream": (0, 6, 6, 6, 6),
    "double_chocolate": (0, 2, 2, 2, 2),
    "red_velvet": (0, 2, 2, 2, 2),
    "sprinkled": (0, 2, 2, 2, 2),
    "bear_claw": (0, 0, 2, 2, 2),
    "cinnamon_twist": (0, 0, 2, 2, 2),
    "coffee": (0, 0, 2, 2, 2),
    "day_old_donuts": (0, 0, 1, 1, 1),
    "milk": (0, 0, 1, 1, 1),
    "old_fashioned": (0, 0, 2, 2, 2),
    "maple_frosted": (0, 0, 0, 2, 2),
    "mucho_matcha": (0, 0, 0, 2, 2),
    "raspberry_frosted": (0, 0, 0, 2, 2),
    "strawberry_glazed": (0, 0, 0, 2, 2),
}

# What each further copy adds to what the copies before it gave.
_STEPS: dict[str, tuple[int, ...]] = {
    "donut_holes": (1, 2, 3, 4, 5, 0),
    "jelly_filled": (0, 5, 0, 5, 0, 5),
    "boston_cream": (0, 6, -6, 15, -15, 25),
    "french_cruller": (2,) * 4,
    "glazed": (2,) * 5,
    "plain": (1,) * 7,
    "powdered": (3,) * 4,
    "red_velvet": (-2,) * 2,
    "sprinkled": (2,) * 2,
    "bear_claw": (-2,) * 2,
    "cinnamon_twist": (1,) * 2,
    "day_old_donuts": (-7,),
    "milk": (5,),
    "strawberry_glazed": (-2,) * 2,
}
_BITTER = ("red_velvet", "bear_claw", "day_old_donuts", "strawberry_glazed")

_COUNTED_FAULTS = frozenset({"timeout", "malformed", "illegal"})  # three of them put a seat out
_FATAL_FAULTS = frozenset({"crashed", "flooded", "no_start"})  # one is enough (SPEC §7)


class Audit(NamedTuple):
    """What counting again came to, for one game.

    `line` counts in the file, from 1: the line at fault, or the game's first line when all is well.
    `error` is a stable code: `broken` (a line that cannot be read), `format` (a format or rules of
    another version), `incomplete` (the end is missing), `move` (a card is not where a move says, or
    cannot go there), `scores`, `cards` or `winners` (the count differs from what is recorded).
    `points` are points by kind for every kind held, in card order. Where the game could not be
    followed to its end, `tableaus`, `points`, `scores` and `winners` are empty; `recorded` are the
    scores that the log claims, empty when it claims none that are numbers.
    """

    game: str | None
    line: int
    ok: bool
    error: str | None
    message: str | None
    players: tuple[str, ...] = ()
    tableaus: tuple[dict[str, int], ...] = ()
    points: tuple[dict[str, int], ...] = ()
    scores: tuple[int, ...] = ()
    recorded: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()


class _Bad(Exception):
    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error = error
        self.message = message


def count_points(
    tableaus: Sequence[Mapping[str, int]], *, maple_frosted_tie: str = "shared"
) -> list[dict[str, int]]:
    """Points by kind for each tableau, for every kind it holds, in card order (SPEC §1).

    Each tableau is given as counts by kind; kinds counted 0 are as good as absent.
    """
    sizes = [sum(tableau.values()) for tableau in tableaus]
    plains = [tableau.get("plain", 0) for tableau in tableaus]
    fewest, most_plain = min(sizes), max(plains)
    lonely = sizes.count(fewest) == 1
    table: list[dict[str, int]] = []
    for size, tableau in zip(sizes, tableaus, strict=True):
        held = [kind for kind in _COPIES if tableau.get(kind, 0) > 0]
        has_fewest = size == fewest and (lonely or maple_frosted_tie == "shared")
        # cards that are worth the same each, or nothing when their condition fails
        each = {
            "coffee": sum(tableau.get(kind, 0) for kind in _BITTER),
            "maple_bar": 3 if len(held) >= 7 else 0,
            "mucho_matcha": 3 if len(held) <= 6 else 0,
            "old_fashioned": 5 if size <= 9 else 0,
            "maple_frosted": 5 if has_fewest else 0,
        }
        row = {
            kind: sum(_STEPS.get(kind, ())[: tableau[kind]]) + each.get(kind, 0) * tableau[kind]
            for kind in held
        }
        if most_plain and tableau.get("plain") == most_plain:
            row["plain"] += 3 if plains.count(most_plain) == 1 else 1
        table.append(row)
    return table


def count_winners(
    scores: Sequence[int], cards: Sequence[int], out: frozenset[int]
) -> tuple[int, ...]:
    """Seats that win: most points, then most cards, then all of those; never a seat in `out`."""
    ranked = [
        (score, size, seat)
        for seat, (score, size) in enumerate(zip(scores, cards, strict=True))
        if seat not in out
    ]
    if not ranked:
        return ()
    best = max(ranked)[:2]
    return tuple(seat for score, size, seat in ranked if (score, size) == best)


def audit_game(data: bytes, first_line: int = 1) -> Audit:
    """Count one game again from its lines; `first_line` is where it starts in its file.

    Never raises for what the log holds: a game that cannot be followed has `ok` false.
    """
    return _Count(first_line).run(data)


class _Count:
    """The cards of one game while its lines are followed."""

    def __init__(self, first_line: int) -> None:
        self.first_line = first_line
        self.line = first_line
        self.game: str | None = None
        self.players: tuple[str, ...] = ()
        self.tie = "shared"
        self.round = 0
        self.zones: dict[str, dict[str, int]] = {}
        self.faults: dict[int, int] = {}
        self.tableaus: tuple[dict[str, int], ...] = ()
        self.points: tuple[dict[str, int], ...] = ()
        self.scores: tuple[int, ...] = ()
        self.recorded: tuple[int, ...] = ()
        self.winners: tuple[int, ...] = ()

    def run(self, data: bytes) -> Audit:
        error: str | None = None
        message: str | None = None
        try:
            self._follow(data)
            self.line = self.first_line
        except _Bad as bad:
            error, message = bad.error, bad.message
        return Audit(
            self.game,
            self.line,
            error is None,
            error,
            message,
            self.players,
            self.tableaus,
            self.points,
            self.scores,
            self.recorded,
            self.winners,
        )

    def _follow(self, data: bytes) -> None:
        lines = data.split(b"\n")
        rest = lines.pop()  # what stands after the last line end
        breaks_off = "the log breaks off in the middle of a line"
        if not lines:
            raise _Bad("incomplete", breaks_off if rest else "there is nothing here")
        self._start(_object(lines[0]))
        for number in range(1, len(lines)):
            line = lines[number]
            self.line = self.first_line + number
            if line.startswith(b'{"event":"game_ended"'):
                self._end(_object(line))
                if number + 1 < len(lines) or rest:
                    self.line += 1
                    raise _Bad("broken", "this line comes after the end of the game")
                return
            step = _step(line)
            if step.event == "moved":
                self._move(step.card, step.source, step.target)
            elif step.fault:
                self._fault(step.number, step.fault)
            elif step.event == "round_started":
                self.round = step.number
        self.line += 1
        ends = "the log ends before the game does: there is no game_ended line"
        raise _Bad("incomplete", breaks_off if rest else ends)

    def _start(self, start: dict[str, Any]) -> None:
        if start.get("event") != "game_started":
            raise _Bad("broken", "a game must begin with its game_started line")
        game = start.get("game")
        self.game = game if isinstance(game, str) else None
        if start.get("format") != _FORMAT or start.get("rules") != _RULES:
            raise _Bad("format", f"only {_FORMAT} with {_RULES} can be counted here")
        names, rulings = start.get("players"), start.get("rulings")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise _Bad("broken", "players must be a list of names")
        if not 2 <= len(names) <= 6:
            raise _Bad("broken", f"a game has 2 to 6 players, not {len(names)}")
        if not isinstance(rulings, dict):
            raise _Bad("broken", "rulings must be an object")
        tie = rulings.get("maple_frosted_tie", "shared")
        if tie not in ("shared", "none"):
            raise _Bad("broken", "maple_frosted_tie must be shared or none")
        self.tie = tie
        self.players = tuple(names)
        seats = range(len(names))
        deck = {kind: copies[len(names) - 2] for kind, copies in _COPIES.items()}
        self.zones = {"deck": deck, "discard": {}}
        self.zones.update((f"row:{seat + 1}", {}) for seat in range(len(names) + 1))
        self.zones.update((f"tableau:{seat}", {}) for seat in seats)
        self.faults = dict.fromkeys(seats, 0)

    def _move(self, card: str, source: str, target: str) -> None:
        left, arrived = self.zones.get(source), self.zones.get(target)
        if left is None or arrived is None:
            raise self._wrong(f"there is no {source if left is None else target} at this table")
        if card not in _COPIES:
            raise self._wrong(f"there is no card called {card}")
        here = left.get(card, 0)
        if not here:
            if source == "deck":
                all_copies = _COPIES[card][len(self.players) - 2]
                raise self._wrong(
                    f"{card} is drawn, but a deck for {len(self.players)} has {all_copies} of it"
                    " and they have all been drawn"
                    if all_copies
                    else f"{card} is drawn, but a deck for {len(self.players)} has none"
                )
            held = ", ".join(kind for kind, copies in left.items() if copies) or "nothing"
            raise self._wrong(
                f"{card} is moved from {source}, but it is not there: {source} holds {held}"
            )
        if target == "deck":
            raise self._wrong(f"{card} is put on the deck, where no card ever goes")
        if target.startswith("row:") and any(arrived.values()):
            raise self._wrong(f"{card} is put on {target}, which holds a card already")
        left[card] = here - 1
        arrived[card] = arrived.get(card, 0) + 1

    def _wrong(self, what: str) -> _Bad:
        return _Bad("move", f"round {self.round}: {what}")

    def _fault(self, seat: int, word: str) -> None:
        if seat not in self.faults:
            raise _Bad("broken", f"there is no seat {seat} at this table")
        if word in _COUNTED_FAULTS:
            self.faults[seat] += 1
        elif word in _FATAL_FAULTS:
            self.faults[seat] += 3
        elif word != "disqualified":
            raise _Bad("broken", f"there is no fault called {word}")

    def _end(self, end: dict[str, Any]) -> None:
        recorded = {key: _whole_numbers(end.get(key)) for key in ("scores", "cards", "winners")}
        self.recorded = recorded["scores"] or ()
        self.tableaus = tuple(
            {kind: zone[kind] for kind in _COPIES if zone.get(kind)}
            for zone in (self.zones[f"tableau:{seat}"] for seat in range(len(self.players)))
        )
        self.points = tuple(count_points(self.tableaus, maple_frosted_tie=self.tie))
        self.scores = tuple(sum(points.values()) for points in self.points)
        cards = tuple(sum(tableau.values()) for tableau in self.tableaus)
        out = frozenset(seat for seat, weight in self.faults.items() if weight >= 3)
        self.winners = count_winners(self.scores, cards, out)
        for key, counted in (("scores", self.scores), ("cards", cards), ("winners", self.winners)):
            if recorded[key] != counted:
                raise _Bad(key, self._difference(key, recorded[key], counted))

    def _difference(
        self, key: str, recorded: tuple[int, ...] | None, counted: tuple[int, ...]
    ) -> str:
        if recorded is None:
            return f"{key} must be a list of whole numbers"
        if key == "winners":
            names = " and ".join(self.players[seat] for seat in counted) or "nobody"
            return (
                f"the log names seats {list(recorded)} as winners, but {names} won: {list(counted)}"
            )
        if len(recorded) != len(counted):
            return f"{key} has {len(recorded)} entries for {len(counted)} players"
        unit = "points" if key == "scores" else "cards"
        return "; ".join(
            f"{name} has {ours} {unit}, but the log says {theirs}"
            for name, ours, theirs in zip(self.players, counted, recorded, strict=True)
            if ours != theirs
        )


def _whole_numbers(value: object) -> tuple[int, ...] | None:
    if isinstance(value, list) and all(type(item) is int for item in value):
        return tuple(value)
    return None


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as broken:
        raise _Bad("broken", f"this is no JSON object: {broken}") from None
    if not isinstance(value, dict):
        raise _Bad("broken", "this is no JSON object")
    return value


class _Step(NamedTuple):
    """What one line between the first and the last says; `number` is a seat or a round."""

    event: str
    card: str = ""
    source: str = ""
    target: str = ""
    number: int = 0
    fault: str = ""


# The lines between a game's first and last come from a small vocabulary ("plain from the deck to
# row:1"), so remembering what a line's bytes mean spares nearly all the decoding.
@lru_cache(maxsize=8192)
def _step(line: bytes) -> _Step:
    step = _object(line)
    match step:
        case {"event": "moved", "card": str(card), "from": str(source), "to": str(target)}:
            return _Step("moved", card, source, target)
        case {"event": "decided", "player": seat, "fault": str(word)} if type(seat) is int and word:
            return _Step("decided", number=seat, fault=word)
        case {"event": "decided", "fault": _}:
            raise _Bad("broken", "a fault needs a seat and a word")
        case {"event": "decided"}:
            return _Step("decided")
        case {"event": "round_started", "round": number} if type(number) is int:
            return _Step("round_started", number=number)
    raise _Bad("broken", f"a game has no line like this: event {str(step.get('event'))[:40]!r}")
