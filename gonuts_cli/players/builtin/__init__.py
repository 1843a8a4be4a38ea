"""The bots that come with gonuts: `builtin:random`, `builtin:greedy`, `builtin:sly`.

They are given the protocol's messages (SPEC §5) as JSON gives them and see nothing else. Their
answers follow from `hello` and the request alone, so a bot may be made anew at any decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from gonuts_cli.players.builtin.greedy import GreedyBot
from gonuts_cli.players.builtin.random import RandomBot
from gonuts_cli.players.builtin.sly import SlyBot


class Bot(Protocol):
    """A bot in this process; made for one game with the `hello` of its seat."""

    def __init__(self, hello: Mapping[str, Any]) -> None: ...

    def choose(self, request: Mapping[str, Any]) -> list[Any]:
        """The answer to a `decide` message: what its `choose` holds."""
        ...


BUILTINS: dict[str, type[Bot]] = {
    "random": RandomBot,
    "greedy": GreedyBot,
    "sly": SlyBot,
}
"""Name, as it stands after `builtin:`, to the bot."""
