"""How a game of `gonuts play` went, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from gonuts_cli.arena.referee import Exchange, SeatReport
from gonuts_cli.game import Game
from gonuts_cli.show.safe import printable


def result_message(game: Game) -> dict[str, Any]:
    """The result as `--json` gives it."""
    result = game.result
    return {
        "game": game.game_id,
        "rounds": game.round,
        "players": game.names,
        "scores": result.scores,
        "cards": result.cards,
        "winners": result.winners,
        "faults": [dict(Counter(charged)) for charged in game.faults],
    }


def result_text(game: Game) -> str:
    """The result for people, a line a player in the order of their seats."""
    result = game.result
    names = [printable(name) for name in game.names]
    width = max(map(len, names))
    lines = [f"Game {printable(game.game_id)}, {game.round} rounds:"]
    for seat, name in enumerate(names):
        ending = "  wins" if seat in result.winners else ""
        ending = "  put out" if game.is_out(seat) else ending
        score, cards = result.scores[seat], result.cards[seat]
        lines.append(f"  {name:<{width}}  {score:>3} points  {cards:>2} cards{ending}")
    return "\n".join(lines)


def seats_text(game: Game, seats: Sequence[SeatReport]) -> str:
    """What the authors of the bots should know: faults, remarks, last words; "" for nothing."""
    lines: list[str] = []
    for number, (name, seat) in enumerate(zip(game.names, seats, strict=True)):
        told = [
            f"round {charge.round}, {charge.decision}: {charge.fault}: {charge.message}"
            for charge in seat.charges
        ]
        told += seat.remarks
        if seat.stale:
            told.append(f"answers to other requests, dropped: {seat.stale}")
        if not told:
            continue
        lines.append(f"{printable(name)} (seat {number}):")
        lines += [f"  {printable(text)}" for text in told]
        if seat.charges and seat.last_words:
            lines.append("  its last words on standard error:")
            lines += [f"    {printable(line)}" for line in seat.last_words.splitlines()]
    return "\n".join(lines)


class Timings:
    """Writes JSON lines of times, in milliseconds: one an exchange, and at the end one a seat."""

    def __init__(self, game: Game, write: Callable[[bytes], object]) -> None:
        self._game = game
        self._write = write

    def exchange(self, exchange: Exchange) -> None:
        """One decision, or the start of a bot (its `decision` is `hello`)."""
        line = {
            "game": self._game.game_id,
            "player": exchange.seat,
            "name": self._game.names[exchange.seat],
            "round": exchange.round,
            "decision": exchange.decision,
            "used_ms": round(exchange.used, 3),
            "referee_ms": round(exchange.added, 3),
        }
        if exchange.fault is not None:
            line["fault"] = exchange.fault
        self._put(line)

    def totals(self, seats: Sequence[SeatReport]) -> None:
        """What each seat used in the whole game, and what the referee added to it."""
        for number, seat in enumerate(seats):
            self._put(
                {
                    "game": self._game.game_id,
                    "player": number,
                    "name": self._game.names[number],
                    "decisions": len(seat.exchanges),
                    "used_ms": round(seat.used, 3),
                    "referee_ms": round(seat.added, 3),
                    "slowest_ms": round(max((e.used for e in seat.exchanges), default=0.0), 3),
                }
            )

    def _put(self, line: dict[str, Any]) -> None:
        self._write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
