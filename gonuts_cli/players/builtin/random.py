"""`random`: any legal answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gonuts_cli.players.builtin.words import SeatWords


class RandomBot:
    """Chooses how many, all allowed counts equally likely, then which, all options equally."""

    def __init__(self, hello: Mapping[str, Any]) -> None:
        self._words = SeatWords(hello["random"])

    def choose(self, request: Mapping[str, Any]) -> list[Any]:
        words = self._words
        words.start(request)
        options, counts = request["options"], request["counts"]
        count = counts[0] if len(counts) == 1 else counts[words.below(len(counts))]
        if count == 1:
            return [options[words.below(len(options))]]
        left = list(options)
        return [left.pop(words.below(len(left))) for _ in range(count)]
