"""`gonuts rules`: the cards as people and programs read them."""

from __future__ import annotations

import json

import pytest

from gonuts_cli.cli.app import run
from gonuts_cli.rules.cards import CARDS, KINDS
from gonuts_cli.show.lang import LANGUAGES, Lang, card_name, points_text, power_text


def test_all_cards_grouped_by_the_players_they_come_in_with(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert run(["rules"]) == 0
    shown = capfd.readouterr().out
    headings = [line for line in shown.splitlines() if line.startswith("From")]
    assert headings == [f"From {players} players on" for players in (2, 3, 4, 5)]
    assert "  French Cruller  1/2/3/4/4 copies" in shown.splitlines()
    assert "  Milk  1 copy" in shown.splitlines()
    assert "\x1b" not in shown


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_card_is_shown_with_its_texts(lang: Lang, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--lang", lang]) == 0
    shown = capfd.readouterr().out
    for kind in KINDS:
        for text in (card_name(kind, lang), points_text(kind, lang), power_text(kind, lang)):
            assert text in shown


def test_a_deck_of_so_many_players(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--players", "4"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "The 61 cards of a game for 4 players"
    assert "  French Cruller  3 copies" in lines
    assert not any("Raspberry" in line for line in lines)


def test_json_has_a_line_a_kind(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--json", "--lang", "de"]) == 0
    cards = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [card["kind"] for card in cards] == list(KINDS)
    milk = cards[KINDS.index("milk")]
    assert list(milk) == ["kind", "name", "from_players", "copies", "points", "power"]
    assert milk["name"] == "Milch"
    assert milk["copies"] == {"2": 0, "3": 0, "4": 1, "5": 1, "6": 1}
    assert cards[KINDS.index("plain")]["power"] is None


@pytest.mark.parametrize("players", range(2, 7))
def test_json_of_a_deck(players: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "-p", str(players), "--json"]) == 0
    cards = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    copies = {card["kind"]: card["copies"][str(players)] for card in cards}
    assert copies == {
        kind: card.copies_for(players) for kind, card in CARDS.items() if card.copies_for(players)
    }


@pytest.mark.parametrize("wrong", [["-p", "1"], ["-p", "7"], ["--lang", "es"], ["-p", "many"]])
def test_what_cannot_be_is_refused(wrong: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", *wrong]) == 2
    caught = capfd.readouterr()
    assert not caught.out
    assert caught.err
