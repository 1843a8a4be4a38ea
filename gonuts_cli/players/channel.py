"""Driving a game on standard input, a JSON line an answer (SPEC §6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import orjson

from gonuts_cli.errors import UnfinishedGame
from gonuts_cli.players import messages
from gonuts_cli.players.hub import Hub
from gonuts_cli.players.lines import NoObject, excerpt, read_object
from gonuts_cli.players.messages import Seen
from gonuts_cli.players.terminal import Line, Table, TerminalSeat
from gonuts_cli.rules.decisions import Decision, IllegalChoice


class Channel(Table):
    """The `stdin` seats; `prompt`, if given, gets a `decide` message whenever one is asked."""

    def __init__(
        self, hub: Hub, prompt: Callable[[bytes], object] | None = None, descriptor: int = 0
    ) -> None:
        super().__init__(hub, descriptor)
        self._prompt = prompt
        self._prompted = 0

    def ask(self, seat: TerminalSeat, decision: Decision, seen: Seen) -> None:
        """Prompt, and wait for the line."""
        super().ask(seat, decision, seen)
        if self._prompt is not None:
            self._prompted += 1
            message = messages.decide(self._prompted, decision, seen.json)
            self._prompt(orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE))

    def take(self, line: Line) -> None:
        """Read one answer; raises UnfinishedGame that names a line that is none."""
        try:
            answer = read_object(line.text)
        except NoObject as error:
            self._refuse(line, f"this is {error}: {excerpt(line.text)}")
        player, choose = answer.get("player"), answer.get("choose")
        if type(player) is not int:
            self._refuse(line, f"`player` must be a seat's number: {excerpt(line.text)}")
        if player not in self.asked:
            self._refuse(line, f"seat {_number(player)} is not asked now; {self._who_is_asked()}")
        seat, decision = self.asked[player]
        if answer.get("decision", decision.decision) != decision.decision:
            asked = f"{decision.decision} is asked, and not this `decision`"
            self._refuse(line, f"{asked}: {excerpt(line.text)}")
        if type(choose) is not list:
            self._refuse(line, f"`choose` must be a list of options: {excerpt(line.text)}")
        try:
            decision.check(choose)
        except IllegalChoice as error:
            self._refuse(line, f"seat {player}, {decision.decision}: {error}")
        del self.asked[player]
        seat.answer(choose)

    def end(self) -> None:
        """The game is over; raises UnfinishedGame when lines go on."""
        line = self.lines.leftover()
        if line is not None:
            self._refuse(line, f"the game is over before this line: {excerpt(line.text)}")

    def _who_is_asked(self) -> str:
        asked = ", ".join(f"{seat} ({d.decision})" for seat, (_, d) in self.asked.items())
        return f"still to answer on standard input: {asked}"

    def _refuse(self, line: Line, why: str) -> NoReturn:
        raise UnfinishedGame(f"standard input, line {line.number}: {why}")


def _number(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 20 else f"{text[:20]}…"
