"""Every language has every text, and the texts agree with the rules' table."""

from __future__ import annotations

import dataclasses
import re
from string import Formatter
from typing import Any

import pytest

from gonuts_cli.rules.cards import KINDS, POWERS
from gonuts_cli.show import lang as languages
from gonuts_cli.show.lang import LANGUAGES, Lang, card_name, points_text, power_text, texts
from gonuts_cli.show.lang.texts import Texts

PARTS = ("power", "points", "ask", "did", "nothing", "itself", "last")


def braces(text: Any) -> list[str]:
    return sorted({name for _, name, _, _ in Formatter().parse(text) if name})


def test_there_are_four_languages() -> None:
    assert LANGUAGES == ("en", "fr", "it", "de")
    assert len({texts(lang).language for lang in LANGUAGES}) == 4


def test_exactly_the_kinds_of_the_rules_have_texts_in_card_order() -> None:
    assert languages.kinds() == KINDS


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_card_has_a_name_and_its_texts(kind: str, lang: Lang) -> None:
    assert card_name(kind, lang).strip()
    assert points_text(kind, lang).strip()
    assert bool(power_text(kind, lang)) == (kind in POWERS)
    for part in PARTS:
        text = languages.card_text(kind, part, lang)
        assert bool(text) == bool(languages.card_text(kind, part, "en")), part
        assert braces(text) == braces(languages.card_text(kind, part, "en")), part
        assert text == text.strip()
    if kind in POWERS:
        assert languages.card_text(kind, "did", lang)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_names_tell_the_kinds_apart(lang: Lang) -> None:
    assert len({card_name(kind, lang).casefold() for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_points_texts_state_the_same_numbers_in_all_languages(kind: str, lang: Lang) -> None:
    def numbers(text: str) -> list[str]:
        return sorted(set(re.findall(r"(?<!\d)-?\d+", re.sub(r"1-6", "1 6", text))))

    assert numbers(points_text(kind, lang)) == numbers(points_text(kind, "en"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_sentence_is_there_and_fills_in_what_the_english_one_does(lang: Lang) -> None:
    for field in dataclasses.fields(Texts):
        ours, english = getattr(texts(lang), field.name), getattr(texts("en"), field.name)
        if field.name in ("language", "zero_is_singular"):
            continue
        if isinstance(english, dict):
            assert ours.keys() == english.keys()
            pairs = [(ours[key], english[key]) for key in english]
        elif isinstance(english, tuple):
            assert len(ours) == 2
            pairs = list(zip(ours, english, strict=True))
        else:
            pairs = [(ours, english)]
        for text, reference in pairs:
            assert text.strip(), field.name
            assert braces(text) == braces(reference), field.name


@pytest.mark.parametrize("lang", [lang for lang in LANGUAGES if lang != "en"])
def test_no_sentence_was_left_in_english(lang: Lang) -> None:
    same = {
        field.name
        for field in dataclasses.fields(Texts)
        if getattr(texts(lang), field.name) == getattr(texts("en"), field.name)
    }
    assert same <= {"zero_is_singular", "points", "label"}


def test_counts_take_the_singular_where_the_language_does() -> None:
    assert [texts("en").count(texts("en").cards, n) for n in (0, 1, 2)] == [
        "0 cards",
        "1 card",
        "2 cards",
    ]
    assert texts("fr").count(texts("fr").cards, 0) == "0 carte"
    assert texts("de").count(texts("de").points, -1) == "-1 Punkt"


def test_lists_read_as_sentences_do() -> None:
    assert texts("en").listed([]) == ""
    assert texts("it").listed(["ann"]) == "ann"
    assert texts("fr").listed(["ann", "bob"]) == "ann et bob"
    assert texts("en").listed(["1", "2", "3"], "or") == "1, 2 or 3"
