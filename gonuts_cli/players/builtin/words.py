"""A built-in bot's randomness: the seat's own and nothing else (SPEC §2)."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from gonuts_cli.rules.cards import CARD_ORDER

_KINDS = 32
_ROW = 8


class SeatWords:
    """The words of `<hello's random>:<b>`, read afresh for every decision.

    Where reading begins follows from the request alone: b is 256 times the round, plus 32 for
    every empty position of the row, plus the decision's place in card order (a bid's is last).
    No two decisions of a seat in one game begin at the same b, and none needs to know what was
    drawn before: a bot that starts anew in the middle of a resumed game goes on as if it had
    always been there.
    """

    __slots__ = ("_block", "_digest", "_prefix", "_used")

    def __init__(self, random: str) -> None:
        self._prefix = f"{random}:".encode()
        self._block = 0
        """The block that is read next, when the words of the last one are used."""
        self._used = 0
        self._digest = b""

    def start(self, request: Mapping[str, Any]) -> None:
        """Go to where the words for this decision begin."""
        view = request["view"]
        decision = CARD_ORDER.get(request["decision"], _KINDS - 1)
        empty = view["row"].count(None)
        self._block = (view["round"] * _ROW + empty) * _KINDS + decision
        self._used = 32

    def below(self, k: int) -> int:
        """A number from 0 to k-1, all equally likely."""
        limit = (1 << 32) - (1 << 32) % k
        while True:
            if self._used == 32:
                self._digest = sha256(b"%b%d" % (self._prefix, self._block)).digest()
                self._block += 1
                self._used = 0
            word = int.from_bytes(self._digest[self._used : self._used + 4], "big")
            self._used += 4
            if word < limit:
                return word % k
