"""People at the terminal: they see the table, type numbers, and may ask for a card's rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from gonuts_cli.errors import UnfinishedGame
from gonuts_cli.players import messages
from gonuts_cli.players.base import READY, Ready
from gonuts_cli.players.hub import Hub
from gonuts_cli.players.messages import Seen
from gonuts_cli.players.terminal import Line, Table, TerminalSeat
from gonuts_cli.rules.decisions import Decision
from gonuts_cli.rules.rulings import Rulings
from gonuts_cli.show.human import decision_text, read_typed, table_text
from gonuts_cli.show.lang import Lang
from gonuts_cli.show.paint import PLAIN, Paint
from gonuts_cli.show.text import Story


class HumanTable(Table):
    """The `human` seats, asked one after the other; `show` gets what they are to see."""

    def __init__(
        self,
        hub: Hub,
        show: Callable[[str], object],
        lang: Lang,
        paint: Paint = PLAIN,
        descriptor: int = 0,
    ) -> None:
        super().__init__(hub, descriptor)
        self._show = show
        self._lang: Lang = lang
        self._paint = paint
        self._names: list[str] = []
        self._rulings = Rulings()
        self._story: Story | None = None
        self._requests: dict[int, dict[str, Any]] = {}

    def begin(self, hello: Mapping[str, Any]) -> Ready:
        """One person hears the events, for all who sit at this terminal."""
        first = not self._names
        self._names = hello["players"]
        self._rulings = Rulings.parse(hello["rulings"])
        return Ready(events=True) if first else READY

    def tell(self, line: bytes) -> None:
        """Tell what happened as a story."""
        message = orjson.loads(line)
        if message["type"] != "event":
            return
        event = message["event"]
        if self._story is None:
            self._story = Story(event, self._lang, self._paint)
            return
        for beat in self._story.feed(event):
            self._say("\n".join(beat.lines))

    def ask(self, seat: TerminalSeat, decision: Decision, seen: Seen) -> None:
        """Keep the question until it is its turn."""
        super().ask(seat, decision, seen)
        # Through JSON, so that a person's answer is read from what any bot would get.
        request = orjson.loads(orjson.dumps(messages.decide(0, decision, seen.view)))
        self._requests[decision.player] = request
        if len(self.asked) == 1:
            self._question(decision.player)

    def take(self, line: Line) -> None:
        """Read what was typed; ask again until it is an answer."""
        player, (seat, _) = next(iter(self.asked.items()))
        request = self._requests[player]
        typed = read_typed(line.text.decode("utf-8", "replace"), request, self._lang)
        if typed.leave:
            raise UnfinishedGame("you left the game; its log tells what was played")
        if typed.choose is None:
            self._say(typed.say)
            return
        del self.asked[player]
        seat.answer(typed.choose)
        if self.asked:
            self._question(next(iter(self.asked)))

    def _question(self, player: int) -> None:
        request = self._requests[player]
        self._say(
            table_text(request["view"], self._names, player, self._lang, self._rulings, self._paint)
        )
        self._say(decision_text(request, self._names, self._lang, self._paint))

    def _say(self, text: str) -> None:
        self._show(f"{text}\n")
