"""Single events of a log in plain words: for comparing games, also damaged ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from gonuts_cli.show.lang import card_name, kinds
from gonuts_cli.show.safe import printable


class Telling:
    """Tells events with the names of one game's players, from the game's first line.

    Takes any object: what makes no sense as an event is shown as it stands.
    """

    def __init__(self, first_line: bytes) -> None:
        try:
            start = orjson.loads(first_line)
        except orjson.JSONDecodeError:
            start = None
        names = start.get("players") if isinstance(start, dict) else None
        self._names: list[Any] = names if isinstance(names, list) else []

    def event(self, event: Mapping[str, Any]) -> str:
        """One event as a sentence."""
        match event:
            case {"event": "decided", "player": seat, "decision": decision, "choose": list(choose)}:
                fault = event.get("fault")
                by = f" (the referee for it: {_plain(fault)})" if fault is not None else ""
                return f"{self._decision(seat, decision, choose)}{by}."
            case {"event": "moved", "card": card, "from": source, "to": target}:
                why = _CAUSES.get(str(event.get("cause")), f" by {_card(event.get('cause'))}")
                return f"{_card(card)} goes from {self._zone(source)} to {self._zone(target)}{why}."
            case {"event": "round_started", "round": number}:
                return f"Round {_plain(number)} starts."
            case {"event": "game_ended", "scores": list(scores), "winners": list(winners)}:
                counted = ", ".join(
                    f"{self._name(seat)} {_plain(score)}" for seat, score in enumerate(scores)
                )
                won = " and ".join(self._name(seat) for seat in winners) or "nobody"
                return f"{counted}; {won} wins after {_plain(event.get('rounds'))} rounds."
        return _plain(event)

    def _decision(self, seat: Any, decision: Any, choose: list[Any]) -> str:
        name = self._name(seat)
        if decision == "bid":
            return f"{name} bids on {', '.join(map(_plain, choose))}"
        chosen = ", ".join(self._option(option) for option in choose) or "nothing"
        return f"{name}, asked by {_card(decision)}, chooses {chosen}"

    def _option(self, option: Any) -> str:
        match option:
            case [card, seat]:
                return f"{_card(card)} and {self._name(seat)}"
            case int(position):
                return f"position {position}"
        return _card(option)

    def _zone(self, zone: Any) -> str:
        place, colon, number = str(zone).partition(":")
        if colon and place == "tableau" and number.isdecimal() and len(number) < 3:
            return self._name(int(number))
        if colon and place == "row":
            return f"position {_plain(number)}"
        return _PILES.get(place) or _plain(zone)

    def _name(self, seat: Any) -> str:
        if type(seat) is int and 0 <= seat < len(self._names):
            return printable(str(self._names[seat]))
        return f"seat {_plain(seat)}"


_PILES = {"deck": "the deck", "discard": "the discard pile"}
_CAUSES = {"refill": "", "award": ": it was the only bid", "collision": ": several bid on it"}


def _card(kind: Any) -> str:
    return card_name(kind, "en") if isinstance(kind, str) and kind in kinds() else _plain(kind)


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return printable(text if len(text) <= 80 else f"{text[:80]}…")
