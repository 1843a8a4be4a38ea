"""The table of sentences that every language fills (the cards' own are in `card_texts.json`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Plural = tuple[str, str]
"""A text with `{n}` for one and for many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """All sentences of one language, except the cards'. Braces name what is filled in.

    A language that lacks one cannot be made; a test compares the braces with the English ones.
    """

    language: str
    zero_is_singular: bool
    and_: str
    label: str

    # How many
    cards: Plural
    points: Plural
    rounds: Plural
    deck: Plural

    # Replay
    title: str
    seats: str
    rulings: str
    round: str
    row: str
    row_empty: str
    bids: str
    nobody_bid: str
    award: str
    collision_two: str
    collision_many: str
    collision_all: str
    passed: str
    standing: str
    lead: str
    end: str
    final: str
    holds_nothing: str
    wins: str
    shared_win: str
    nobody_wins: str
    out: str
    put_out: str
    referee_chose: str
    faults: dict[str, str]
    unfinished: str
    step_keys: str

    # The rules of the cards
    rules_title: str
    rules_from: str
    copies: Plural
    no_power: str

    # The human seat
    you: str
    discard: str
    nothing_there: str
    top_known: str
    ask_bid: str
    type_one: str
    type_some: str
    type_none: str
    type_help: str
    which_rules: str
    not_understood: str
    several_cards: str
    not_offered: str
    wrong_count: str
    too_often: str
    or_: str

    def count(self, forms: Plural, n: int) -> str:
        """`forms` filled with `n`, in the singular or plural that this language wants.

        >>> from gonuts_cli.show.lang import texts
        >>> [texts("fr").count(texts("fr").points, n) for n in (0, 1, 2)]
        ['0 point', '1 point', '2 points']
        """
        singular = n in (-1, 0, 1) if self.zero_is_singular else n in (-1, 1)
        return forms[0 if singular else 1].format(n=n)

    def labelled(self, what: str, rest: str) -> str:
        """`what`, a colon, and what belongs to it.

        >>> from gonuts_cli.show.lang import texts
        >>> texts("en").labelled("Bids", "1"), texts("fr").labelled("Enchères", "1")
        ('Bids: 1', 'Enchères : 1')
        """
        return self.label.format(what=what, rest=rest)

    def listed(self, items: Sequence[str], last: str | None = None) -> str:
        """The items as a sentence lists them; `last` stands before the last one ("and").

        >>> from gonuts_cli.show.lang import texts
        >>> texts("de").listed(["ann", "bob", "cleo"])
        'ann, bob und cleo'
        """
        word = self.and_ if last is None else last
        if len(items) < 2:
            return "".join(items)
        return f"{', '.join(items[:-1])} {word} {items[-1]}"
