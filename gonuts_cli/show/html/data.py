"""A game's log as the compact data that the replay page works on.

The page is made from what a log says, also from one that is unfinished or damaged: what can be
read is shown, and where reading ended is part of the data. The page's script follows the moves;
nothing here replays the rules.

One event is one value (`model.js` reads them):

- a round that starts: its number;
- a move: `[kind, from, to, cause]`, kinds by their place in card order, then the causes
  `refill`, `collision`, `award`; zones are 0 deck, 1 discard, 1 + p for row position p, and
  10 + s for seat s's tableau;
- a decision: `[player, decision, choose]` or `[player, decision, choose, fault]`, the decision a
  kind or -1 for a bid, `choose` a list of positions, kinds or `[kind, seat]`.
"""

from __future__ import annotations

import json
from typing import Any, Protocol, TypeVar

from gonuts_cli.rules.cards import CARD_ORDER, KINDS, MAX_PLAYERS, MIN_PLAYERS
from gonuts_cli.rules.deck import shuffled_deck
from gonuts_cli.show.safe import printable

_CAUSES = {**CARD_ORDER, "refill": len(KINDS), "collision": len(KINDS) + 1, "award": len(KINDS) + 2}
_DECISIONS = {**CARD_ORDER, "bid": -1}
_DOUBLE_CHOCOLATE = CARD_ORDER["double_chocolate"]
_DECK = 0

_T = TypeVar("_T")


class LoggedGame(Protocol):
    """One game as it stands in a file: what `log.reader.read_games` gives."""

    @property
    def file(self) -> str: ...
    @property
    def first_line(self) -> int: ...
    @property
    def data(self) -> bytes: ...


class _Unreadable(Exception):
    """A line that is no event of `gonuts-log/1`; its text says why."""


def game_data(source: LoggedGame, fault: str | None = None) -> dict[str, Any]:
    """All that the page needs of one game, as values that JSON has.

    `fault` says what is wrong with the log after the lines given. `stop` is None for a whole game.
    Otherwise it is `{"why"}`: what is wrong where it ends, None when the log simply ends there.
    """
    game: dict[str, Any] = {
        "file": printable(source.file),
        "line": source.first_line,
        "game": "",
        "players": [],
        "rulings": {},
        "tags": {},
        "commitment": "",
        "events": [],
        "end": None,
        "stop": None,
    }
    lines = source.data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
        breaks_off = False
    else:
        breaks_off = True
    seed: str | None = None
    for number, raw in enumerate(lines):
        try:
            event = _parse(raw)
            if number == 0:
                game.update(_started(event))
            elif event["event"] == "game_ended":
                seed = _text(event, "seed")
                game["end"] = _ended(event, len(game["players"]))
                break
            else:
                game["events"].append(_event(event, len(game["players"])))
        except (_Unreadable, KeyError) as error:
            if breaks_off and number == len(lines) - 1:
                break  # the writer was stopped within a line: unfinished, not damaged
            why = f"no {error}" if isinstance(error, KeyError) else str(error)
            game["stop"] = {"why": printable(f"line {source.first_line + number}: {why}")}
            break
    if game["stop"] is None and (fault is not None or game["end"] is None):
        game["stop"] = {"why": None if fault is None else printable(fault)}
    game["offers"] = _offers(game["events"], seed, len(game["players"]))
    return game


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        event = json.loads(raw)
    except (ValueError, RecursionError):
        raise _Unreadable("not JSON") from None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        raise _Unreadable("not an event")
    return event


def _started(event: dict[str, Any]) -> dict[str, Any]:
    if event["event"] != "game_started":
        raise _Unreadable("not the start of a game")
    for key, known in (("format", "gonuts-log/1"), ("rules", "gonuts-rules/1")):
        if event[key] != known:
            raise _Unreadable(f"{key} is not {known}")
    players = event["players"]
    if not (isinstance(players, list) and MIN_PLAYERS <= len(players) <= MAX_PLAYERS):
        raise _Unreadable("not two to six players")
    return {
        "game": printable(_text(event, "game")),
        "players": [printable(_checked(player, str, "a player")) for player in players],
        "rulings": _texts(event, "rulings"),
        "tags": _texts(event, "tags") if "tags" in event else {},
        "commitment": printable(_text(event, "seed_commitment")),
    }


def _ended(event: dict[str, Any], players: int) -> dict[str, Any]:
    def numbers(key: str) -> list[int]:
        return [_checked(number, int, key) for number in _checked(event[key], list, key)]

    end = {key: numbers(key) for key in ("scores", "cards", "winners")}
    if len(end["scores"]) != players or any(not 0 <= seat < players for seat in end["winners"]):
        raise _Unreadable("a result that does not fit the players")
    return {**end, "seed": printable(_text(event, "seed"))}


def _event(event: dict[str, Any], players: int) -> int | list[Any]:
    what = event["event"]
    if what == "round_started":
        return _checked(event["round"], int, "round")
    if what == "moved":
        return [
            _known(CARD_ORDER, event["card"], "card"),
            _zone(event["from"], players),
            _zone(event["to"], players),
            _known(_CAUSES, event["cause"], "cause"),
        ]
    if what != "decided":
        raise _Unreadable("an unknown event")
    decision = _known(_DECISIONS, event["decision"], "decision")
    chosen = [_option(option, players) for option in _checked(event["choose"], list, "choose")]
    if decision == -1 and (len(chosen) != 1 or not isinstance(event["choose"][0], int)):
        raise _Unreadable("a bid that is not one position")
    decided = [_seat(event["player"], players), decision, chosen]
    return [*decided, printable(_text(event, "fault"))] if "fault" in event else decided


def _option(option: Any, players: int) -> int | list[int]:
    if isinstance(option, str):
        return _known(CARD_ORDER, option, "card")
    if isinstance(option, list):
        if len(option) != 2:
            raise _Unreadable("a choice that is no pair")
        return [_known(CARD_ORDER, option[0], "card"), _seat(option[1], players)]
    position = _checked(option, int, "position")
    if not 1 <= position <= players + 1:
        raise _Unreadable("an unknown position")
    return position


def _zone(zone: Any, players: int) -> int:
    if zone == "deck":
        return _DECK
    if zone == "discard":
        return 1
    where, _, number = _checked(zone, str, "zone").partition(":")
    if number in {str(seat) for seat in range(players)} and where == "tableau":
        return 10 + int(number)
    if number in {str(position) for position in range(1, players + 2)} and where == "row":
        return 1 + int(number)
    raise _Unreadable("an unknown zone")


def _seat(seat: Any, players: int) -> int:
    if not 0 <= _checked(seat, int, "player") < players:
        raise _Unreadable("an unknown player")
    return int(seat)


def _known(table: dict[str, int], key: Any, what: str) -> int:
    if not isinstance(key, str) or key not in table:
        raise _Unreadable(f"an unknown {what}")
    return table[key]


def _checked(value: Any, kind: type[_T], what: str) -> _T:
    if type(value) is not kind:  # `True` is no int here
        raise _Unreadable(f"{what} is not as it should be")
    return value


def _text(event: dict[str, Any], key: str) -> str:
    return _checked(event[key], str, key)


def _texts(event: dict[str, Any], key: str) -> dict[str, str]:
    pairs: dict[str, Any] = _checked(event[key], dict, key)
    return {printable(name): printable(_checked(text, str, key)) for name, text in pairs.items()}


def _offers(events: list[Any], seed: str | None, players: int) -> list[list[int | None]]:
    """The two cards of every Double Chocolate decision, in order: what the log does not say.

    The seed of a finished game tells them, top first. Without it the card put back is the next
    that comes from the deck, if one came (the order is then unknown: the kept card stands first);
    None stands for a card that nothing tells.
    """
    offers: list[list[int | None]] = []
    deck: list[int] | None = None
    if seed is not None:
        deck = [CARD_ORDER[kind] for kind in _deck_of(seed, players)]
    for place, event in enumerate(events):
        if isinstance(event, int):
            continue
        if isinstance(event[2], list):
            if event[1] == _DOUBLE_CHOCOLATE:
                offer = _from_deck(deck, event[2]) or [*event[2][:1], _next_drawn(events, place)]
                offers.append(offer)
        elif event[1] == _DECK and deck is not None:
            if event[0] in deck[:2]:
                deck.remove(event[0])
            else:
                deck = None  # the log and its seed do not belong together
    return offers


def _deck_of(seed: str, players: int) -> list[str]:
    try:
        return shuffled_deck(seed, players)
    except UnicodeEncodeError:
        return []  # a lone surrogate: no seed that a game could have


def _from_deck(deck: list[int] | None, chosen: list[int]) -> list[int | None] | None:
    if deck is None or len(deck) < 2 or len(chosen) != 1 or chosen[0] not in deck[:2]:
        return None
    return [deck[0], deck[1]]


def _next_drawn(events: list[Any], decided_at: int) -> int | None:
    drawn = [
        event[0]
        for event in events[decided_at + 1 :]
        if isinstance(event, list) and not isinstance(event[2], list) and event[1] == _DECK
    ]
    return drawn[1] if len(drawn) > 1 else None
