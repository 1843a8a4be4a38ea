"""`Game`: the library's one entry, an engine with a seed, names and a log (SPEC §9)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from operator import index
from typing import Any, Self, SupportsIndex

from mypy_extensions import mypyc_attr

from gonuts_cli.errors import UsageError
from gonuts_cli.log.encode import encode_log
from gonuts_cli.rules import deck as seeds
from gonuts_cli.rules.cards import MAX_PLAYERS, MIN_PLAYERS
from gonuts_cli.rules.engine import Engine
from gonuts_cli.rules.rulings import Rulings
from gonuts_cli.rules.texts import check_tags, check_text, shown
from gonuts_cli.rules.view import View, view


def draw_seed() -> str:
    """A seed from the operating system: 32 random bytes in hex (SPEC §2)."""
    return os.urandom(32).hex()


def _bid_of_seed(seed: str, players: int, round_number: int, seat: int) -> int:
    return seeds.default_bid(seed, round_number, seat, players)


@mypyc_attr(allow_interpreted_subclasses=True)
class Game(Engine):
    """One game, from its first round to its result.

    >>> game = Game(players=2, seed="42")
    >>> while game.pending:
    ...     for decision in game.pending:
    ...         game.choose(decision.player, decision.options[: decision.counts[0]])
    >>> game.result.scores, game.result.winners
    ([0, 0], [0, 1])
    """

    __slots__ = ("commitment", "game_id", "names", "seed", "tags")

    def __init__(
        self,
        players: SupportsIndex | None = None,
        seed: str | SupportsIndex | None = None,
        *,
        names: Sequence[str] | None = None,
        rulings: Mapping[str, str] | None = None,
        game: str | Any | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        """A new game, dealt and waiting for the first bids.

        Give `players` (2 to 6), or their `names`, or both. Without a `seed` one is drawn; a number
        is its decimal text. `game` is the game's id, by default the first 16 digits of the
        commitment. Raises UsageError (SPEC §2, §8) for what cannot be.
        """
        if not (game is None or isinstance(game, str)):
            raise UsageError(f"a game's id is a text, not {shown(game)}")
        self.names = _checked_names(players, names)
        self.seed: str | None = draw_seed() if seed is None else _checked_seed(seed)
        self.commitment = seeds.commitment(self.seed)
        self.game_id = (
            self.commitment[:16] if game is None else check_text(game, "a game's id", 128)
        )
        self.tags = check_tags(tags) if tags else {}
        count = len(self.names)
        deck = seeds.shuffled_deck(self.seed, count)
        deck.reverse()
        super().__init__(
            count,
            deck,
            partial(_bid_of_seed, self.seed, count),
            Rulings.parse(rulings) if rulings else Rulings(),
        )

    def log(self) -> bytes:
        """The whole log so far (SPEC §4); decisions asked at once are in it when all are made."""
        return encode_log(self)

    def view(self, seat: SupportsIndex) -> View:
        """What a seat may know now, in the shape of SPEC §5; UsageError for a seat that is none."""
        number = _whole(seat)
        if number is None or number not in range(self.players):
            raise UsageError(f"there is no seat {shown(seat)}; seats are 0 to {self.players - 1}")
        return view(self, number)

    def copy(self) -> Self:
        """An independent game at the same point, for search; it may look into the deck."""
        twin = super().copy()
        twin.names = self.names
        twin.seed = self.seed
        twin.commitment = self.commitment
        twin.game_id = self.game_id
        twin.tags = self.tags
        return twin

    @staticmethod
    def replay(log: bytes | Any, seed: str | SupportsIndex | None = None) -> Game:
        """The game that one log tells, dropping a line that breaks off (SPEC §9).

        An unfinished game goes on only with its `seed`; without it, it shows how things stand and
        refuses to go on. Raises LogError, which names the line, where the log is not a game's, and
        UsageError for what is not bytes.
        """
        from gonuts_cli.log.rerun import replay

        if not isinstance(log, bytes):
            raise UsageError(f"a log is bytes, not {type(log).__name__}")
        return replay(log, None if seed is None else _checked_seed(seed))


def _checked_seed(seed: str | SupportsIndex) -> str:
    """A number is its decimal text (SPEC §2)."""
    if isinstance(seed, str):
        return check_text(seed, "a seed", 128)
    number = _whole(seed)
    if number is None:
        raise UsageError(f"a seed is a text or a whole number, not {shown(seed)}")
    if number.bit_length() > 512:
        raise UsageError("a seed must have 1 to 128 characters; this number has more")
    return check_text(str(number), "a seed", 128)


def _whole(value: Any) -> int | None:
    """A whole number, also one of other libraries; None for anything else."""
    try:
        return index(value)
    except TypeError:
        return None


def _checked_names(given: Any, names: Any) -> list[str]:
    players = None if given is None else _whole(given)
    if given is not None and players is None:
        raise UsageError(f"`players` is a whole number, not {shown(given)}")
    if names is None:
        if players is None:
            raise UsageError("say how many players there are, or their names")
        names = [f"player-{seat}" for seat in range(min(players, MAX_PLAYERS + 1))]
    elif isinstance(names, str) or not isinstance(names, Sequence):
        raise UsageError(f"`names` is a list of texts, not {shown(names)}")
    elif players is not None and players != len(names):
        raise UsageError(f"{shown(players)} players, but {len(names)} names")
    if not MIN_PLAYERS <= len(names) <= MAX_PLAYERS:
        raise UsageError(f"the game is for 2 to 6 players, not {shown(players or len(names))}")
    checked = []
    for name in names:
        if not isinstance(name, str):
            raise UsageError(f"a player's name is a text, not {shown(name)}")
        checked.append(check_text(name, "a player's name", 64))
    if len(set(checked)) < len(checked):
        raise UsageError("two players have the same name; names are unique in a game")
    return checked
