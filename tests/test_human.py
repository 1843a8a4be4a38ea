"""What a person at the terminal sees, and what becomes of what they type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gonuts_cli import Game
from gonuts_cli.rules.cards import KINDS
from gonuts_cli.rules.decisions import Decision
from gonuts_cli.show.human import (
    Typed,
    card_text,
    decision_text,
    find_cards,
    read_typed,
    table_text,
)
from gonuts_cli.show.lang import LANGUAGES, Lang, card_name
from gonuts_cli.show.paint import Paint

NAMES = ["ann", "bob", "cleo", "dan", "eva", "fay"]
VIEW: dict[str, Any] = {
    "round": 3,
    "row": ["plain", None, "eclair"],
    "bids": None,
    "deck": 21,
    "top": None,
    "discard": ["glazed", "plain"],
    "tableaus": [{"plain": 2}, {}],
}


def asked(decision: str, options: list[Any], counts: list[int], **view: Any) -> dict[str, Any]:
    return {
        "type": "decide",
        "id": 1,
        "player": 0,
        "decision": decision,
        "options": options,
        "counts": counts,
        "view": {**VIEW, **view},
    }


BID = asked("bid", [1, 2, 3], [1])
MILK = asked("milk", ["glazed", "plain", "plain", "powdered"], [0, 3])
CRULLER = asked("french_cruller", [1, 3], [0, 1, 2])


def test_the_table_shows_all_that_lies_open() -> None:
    shown = table_text({**VIEW, "top": "milk", "bids": [3, 1]}, NAMES, 0, "en")
    assert shown.splitlines() == [
        "Round 3 · 21 cards in the deck (you put Milk on top)",
        "On the table:",
        "  1  Plain    1 point each; the most Plain of all bring 3 more, "
        "shared first place brings each 1 more ← bob",
        "  2  (empty)",
        "  3  Éclair   0 points ← ann",
        "Discard pile, top first: Plain, Glazed",
        "ann (you): Plain ×2 · 5 points",
        "bob: holds no cards · 0 points",
    ]


def test_names_cannot_drive_the_terminal() -> None:
    names = ["\x1b[2Jann", "b\u202eob"]
    claw = asked("bear_claw", [["plain", 1]], [1])
    shown = table_text(VIEW, names, 0, "en") + decision_text(claw, names, "en")
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\u001b[2Jann" in shown


def test_a_decision_is_numbered_and_says_how_to_answer() -> None:
    claw = asked("bear_claw", [["plain", 1], ["milk", 1], ["plain", 2]], [1])
    assert decision_text(claw, NAMES, "en").splitlines() == [
        "Which card do you grab, and from whom?",
        "   1  bob · Plain",
        "   2  bob · Milk",
        "   3  cleo · Plain",
        "Type its number; ? or a card's name for its rules, q to leave",
    ]
    assert decision_text(MILK, NAMES, "en").splitlines() == [
        "Which three cards do you pay for your Milk?",
        "   1  Glazed",
        "   2  Plain ×2",
        "   3  Powdered",
        "Type 3 numbers with spaces between them; 0 for none; "
        "? or a card's name for its rules, q to leave",
    ]


@pytest.mark.parametrize(
    ("request_", "line", "choose"),
    [
        (BID, "2", [2]),
        (BID, "  03 \n", [3]),
        (CRULLER, "0", []),
        (CRULLER, "3", [3]),
        (CRULLER, "3, 1", [3, 1]),
        (MILK, "0", []),
        (MILK, "2 1 2", ["plain", "glazed", "plain"]),
        (asked("sprinkled", [["plain", 1], ["plain", 2]], [1]), "2", [["plain", 2]]),
        (asked("red_velvet", ["plain", "glazed", "plain"], [1]), "2", ["glazed"]),
    ],
)
def test_numbers_are_an_answer(request_: dict[str, Any], line: str, choose: list[Any]) -> None:
    assert read_typed(line, request_, "en") == Typed(choose=choose)


@pytest.mark.parametrize(
    ("request_", "line", "said"),
    [
        (BID, "4", "4 is not on offer; choose from 1–3."),
        (BID, "0", "0 is not on offer; choose from 1–3."),
        (BID, "1 2", "You chose 2; choose 1 of them."),
        (CRULLER, "2", "2 is not on offer; choose from 1 and 3."),
        (MILK, "1 2", "You chose 2; choose 0 or 3 of them."),
        (MILK, "1 1 2", "You chose Glazed more often than it is there (1)."),
        (CRULLER, "1 1", "You chose Plain more often than it is there (1)."),
        (BID, "9" * 5000, "9999999999… is not on offer; choose from 1–3."),
        (BID, "-1", "“-1” is neither a number nor a card."),
        (BID, "\x1b[2J", "“\\u001b[2J” is neither a number nor a card."),
        (BID, "claw or choc", "“claw or choc” is neither a number nor a card."),
        (BID, "glaze", "“glaze” could be Glazed or Strawberry Glazed."),
    ],
)
def test_what_was_wrong_is_said(request_: dict[str, Any], line: str, said: str) -> None:
    typed = read_typed(line, request_, "en")
    assert typed.choose is None
    assert not typed.leave
    assert typed.say.startswith(said)


@pytest.mark.parametrize("line", ["q", "Q", " quit ", "exit"])
def test_q_leaves(line: str) -> None:
    assert read_typed(line, BID, "en") == Typed(leave=True)


@pytest.mark.parametrize("line", ["eclair", "ÉCLAIR", "? éclair", "eclair?", "écl"])
def test_a_cards_name_tells_its_rules(line: str) -> None:
    assert read_typed(line, BID, "en") == Typed(say=card_text("eclair", "en"))


def test_a_question_mark_tells_the_rules_of_the_cards_at_hand() -> None:
    said = read_typed("?", asked("red_velvet", ["milk", "plain"], [1]), "en").say.splitlines()
    assert said[:-1] == [card_text(kind, "en") for kind in ("eclair", "plain", "milk")]
    assert said[-1] == "Type a card's name to read its rules."


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_card_is_found_by_its_name_and_by_its_kind(kind: str, lang: Lang) -> None:
    assert find_cards(card_name(kind, lang), lang) == [kind]
    assert find_cards(kind, lang) == [kind]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_decision_of_whole_games_can_be_shown_and_answered(lang: Lang) -> None:
    shown = set()
    for request in whole_game(4) if lang == "fr" else whole_game(6):
        assert table_text(request["view"], NAMES, request["player"], lang)
        lines = decision_text(request, NAMES, lang).splitlines()
        assert len(lines) >= 2
        for line in ("1", "0", "?", "1 2 3", "2"):
            typed = read_typed(line, request, lang)
            assert (typed.choose is None) == bool(typed.say)
            if typed.choose is not None:
                decision = Decision(
                    request["player"],
                    request["decision"],
                    tuple(
                        tuple(option) if isinstance(option, list) else option
                        for option in request["options"]
                    ),
                    tuple(request["counts"]),
                )
                decision.check(typed.choose)
        shown.add(request["decision"])
    assert len(shown) > 3


@given(st.text(), st.sampled_from([BID, MILK, CRULLER]), st.sampled_from(LANGUAGES))
def test_any_line_gets_an_answer(line: str, request: dict[str, Any], lang: Lang) -> None:
    typed = read_typed(line, request, lang)
    assert typed.leave or typed.say or typed.choose is not None
    assert "\x1b" not in typed.say


def test_colour_only_where_asked() -> None:
    assert "\x1b[" not in table_text(VIEW, NAMES, 0, "en")
    assert "\x1b[" in table_text(VIEW, NAMES, 0, "en", paint=Paint(colour=True))


def whole_game(players: int) -> Iterator[dict[str, Any]]:
    """The requests of a game whose answers go through the options in turn."""
    game = Game(players=players, seed="human")
    turn = 0
    while game.pending:
        for decision in game.pending:
            yield {
                "player": decision.player,
                "decision": decision.decision,
                "options": [list(o) if isinstance(o, tuple) else o for o in decision.options],
                "counts": list(decision.counts),
                "view": game.view(decision.player),
            }
            turn += 1
            count = decision.counts[turn % len(decision.counts)]
            start = turn % len(decision.options)
            rolled = decision.options[start:] + decision.options[:start]
            game.choose(decision.player, rolled[:count])
