"""Seeds: the words they give, the deck, and all else that follows from them (SPEC §2)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from struct import Struct

from gonuts_cli.rules.cards import MAX_PLAYERS, MIN_PLAYERS, deck_size, sorted_deck

_EIGHT_WORDS = Struct(">8I").unpack
_TWO_TO_32 = 1 << 32
_SHUFFLES = {
    deck_size(players): [
        (size, _TWO_TO_32 - _TWO_TO_32 % size) for size in range(deck_size(players), 1, -1)
    ]
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)
}
"""For each size of deck the steps of its shuffle: `below(size)`, and the words that it takes."""


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
    stream = words(f"gonuts-deck/1:{seed}")
    # `Words.below`, written out: the shuffle is a tenth of what a game costs.
    for word, (size, limit) in zip(stream, _SHUFFLES[len(deck)], strict=False):
        while word >= limit:
            word = next(stream)
        j = word % size
        deck[size - 1], deck[j] = deck[j], deck[size - 1]
    return deck


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
