"""Seeds: the words they give, the deck, and all else that follows from them (SPEC §2)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from operator import mod
from struct import Struct, unpack
from typing import Final

from gonuts_cli.rules.cards import sorted_deck

_WORDS_A_BLOCK: Final = 8
_EIGHT_WORDS: Final = Struct(f">{_WORDS_A_BLOCK}I").unpack
_TWO_TO_32: Final = 1 << 32


def _hex(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def words(prefix: str) -> Iterator[int]:
    """The unsigned 32-bit words of SHA-256 of `<prefix>:0`, `<prefix>:1`, …, without end."""
    start = f"{prefix}:".encode()
    block = 0
    while True:
        yield from _EIGHT_WORDS(sha256(b"%b%d" % (start, block)).digest())
        block += 1


class Words:
    """A stream of words with the `below` of SPEC §2; `prefix` stands before `:<b>`."""

    __slots__ = ("_next",)

    def __init__(self, prefix: str) -> None:
        self._next = words(prefix).__next__

    def below(self, k: int) -> int:
        """A number from 0 to k-1, all equally likely; takes one word, rarely more.

        >>> 0 <= Words("gonuts-deck/1:42").below(37) < 37
        True
        """
        limit = _TWO_TO_32 - _TWO_TO_32 % k
        word = self._next()
        while word >= limit:
            word = self._next()
        return word % k


def shuffled_deck(seed: str, players: int) -> list[str]:
    """The deck of a game, its top first."""
    deck = list(sorted_deck(players))
    for last, pick in zip(range(len(deck) - 1, 0, -1), _picks(seed, len(deck)), strict=True):
        deck[last], deck[pick] = deck[pick], deck[last]
    return deck


def _picks(seed: str, size: int) -> list[int]:
    """`below(size)`, `below(size - 1)`, …, `below(2)` of the deck's words."""
    prefix = f"gonuts-deck/1:{seed}"
    blocks = -(-size // _WORDS_A_BLOCK)
    digests = [sha256(f"{prefix}:{block}".encode()).digest() for block in range(blocks)]
    drawn = unpack(f">{_WORDS_A_BLOCK * blocks}I", b"".join(digests))
    below = range(size, 1, -1)
    # `below(k)` refuses only words among the last k there are: without one, each takes one word.
    if max(drawn) < _TWO_TO_32 - size:
        return list(map(mod, drawn, below))
    return list(map(Words(prefix).below, below))


def commitment(seed: str) -> str:
    """What is published of a seed before the game ends: it binds the seed, and hides it."""
    return _hex(f"gonuts-commit/1:{seed}")


def bot_random(seed: str, seat: int) -> str:
    """A seat's own randomness, given to its bot in `hello` (SPEC §5)."""
    return _hex(f"gonuts-bot/1:{seed}:{seat}")


def deal_seed(tournament_seed: str, deal: int, rotation: int) -> str:
    """The seed of a tournament's game `<deal>.<rotation>`, both counted from 0."""
    return _hex(f"gonuts-deal/1:{tournament_seed}:{deal}:{rotation}")


def default_bid(seed: str, round_number: int, seat: int, players: int) -> int:
    """The position that the referee bids for a seat at fault (SPEC §2, §7)."""
    return 1 + Words(f"gonuts-default/1:{seed}:{round_number}:{seat}").below(players + 1)
