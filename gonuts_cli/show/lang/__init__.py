"""The languages of everything that is shown to people: the cards' texts and the sentences.

A card's texts stand together in `card_texts.json` (its name in `show/card_names.json`): for
each language `points`; with a power also `power` (what it does), `did` (told when it acted) and,
where they can come up, `ask` (the decision), `nothing` (it found nothing to do), `itself` (the
card goes away by its own power) and `last` (it took the deck's last card).
This package knows nothing of the rules.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module, resources
from typing import Any, Literal, get_args

from gonuts_cli.show.lang.texts import Texts

Lang = Literal["en", "fr", "it", "de"]
LANGUAGES: tuple[Lang, ...] = get_args(Lang)


@cache
def texts(lang: Lang) -> Texts:
    """The sentences of a language."""
    table: Texts = import_module(f"gonuts_cli.show.lang.{lang}").TEXTS
    return table


def card_name(kind: str, lang: Lang) -> str:
    """What a kind of card is called; it is never inflected and takes no article."""
    name: str = _names()[kind][lang]
    return name


def power_text(kind: str, lang: Lang) -> str:
    """What the card does when it is taken from the row, as a whole sentence; "" if nothing."""
    return card_text(kind, "power", lang)


def points_text(kind: str, lang: Lang) -> str:
    """What the card counts at the end, as a phrase such as "2 points each"."""
    return card_text(kind, "points", lang)


def card_text(kind: str, part: str, lang: Lang) -> str:
    """One of the card's texts (the parts are named above); "" where the card has none.

    `did`, `nothing`, `itself` and `last` have braces to be filled: `{player}` (whose power acts),
    `{cards}`, `{other}` (the opponent whom it concerns).
    """
    text: str = _card_texts()[kind][lang].get(part, "")
    return text


def kinds() -> tuple[str, ...]:
    """The kinds that have texts, in card order."""
    return tuple(_card_texts())


@cache
def _names() -> dict[str, Any]:
    return _load("gonuts_cli.show", "card_names.json")


@cache
def _card_texts() -> dict[str, Any]:
    return _load("gonuts_cli.show.lang", "card_texts.json")


def _load(package: str, name: str) -> dict[str, Any]:
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
