"""The one shape of all decisions: choose some of these options (SPEC §3)."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from gonuts_cli.rules.events import Choice


class IllegalChoice(ValueError):
    """An answer that the decision does not allow; the text says what would have been right."""


class NotAsked(ValueError):
    """An answer of a player who has nothing to decide now."""


class Decision(NamedTuple):
    """What one player is asked.

    `decision` is `bid` or the kind whose power asks; `options` are positions (int), kinds (str)
    or pairs of kind and seat (str, int); `counts` says how many of them may be chosen.
    """

    player: int
    decision: str
    options: tuple[Any, ...]
    counts: tuple[int, ...]

    @property
    def default(self) -> Choice:
        """The answer that is always legal: the first `counts[0]` options."""
        return self.options[: self.counts[0]]

    def check(self, choose: object) -> Choice:
        """The legal answer `choose` as a tuple; lists and tuples are equally good.

        Raises IllegalChoice. Values are equal when their JSON type and value are.

        >>> bid = Decision(0, "bid", (1, 2, 3), (1,))
        >>> bid.check([2])
        (2,)
        >>> bid.check([True])
        Traceback (most recent call last):
        ...
        gonuts_cli.rules.decisions.IllegalChoice: true is not one of the options 1, 2, 3
        """
        if not isinstance(choose, (list, tuple)):
            raise IllegalChoice(f"`choose` must be a list of options, not {_show(choose)}")
        if len(choose) not in self.counts:
            allowed = " or ".join(map(str, self.counts))
            raise IllegalChoice(f"`choose` has {len(choose)} options where {allowed} may be chosen")
        if len(choose) == 1:
            return (self._option(choose[0]),)
        answer = tuple(map(self._option, choose))
        for option in answer:
            if answer.count(option) > self.options.count(option):
                raise IllegalChoice(f"{_show(option)} is chosen more often than it is offered")
        return answer

    def _option(self, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            if len(value) == 2 and type(value[0]) is str and type(value[1]) is int:
                pair = tuple(value)
                if pair in self.options:
                    return pair
        elif (type(value) is str or type(value) is int) and value in self.options:
            return value
        offered = ", ".join(map(_show, self.options[:12]))
        more = ", …" if len(self.options) > 12 else ""
        raise IllegalChoice(f"{_show(value)} is not one of the options {offered}{more}")


def _show(value: Any) -> str:
    """`value` as JSON of at most 60 characters, whatever it is."""
    try:
        text = json.dumps(value, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError):
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
