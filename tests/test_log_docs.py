"""The worked examples in docs/ are true: every line and number is compared with the program."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from struct import unpack

from gonuts_cli import Game
from gonuts_cli.log.audit import audit_game
from gonuts_cli.log.compact import expand_game
from gonuts_cli.rules import deck
from gonuts_cli.rules.cards import sorted_deck

DOCS = Path(__file__).parent.parent / "docs"
FORMAT = (DOCS / "log-format.md").read_text()
SEEDS = (DOCS / "seeds.md").read_text()


def blocks(text: str) -> list[bytes]:
    return [block.encode() for block in re.findall(r"```json\n(.*?)```", text, re.S)]


def test_the_example_game_stands_in_the_format_as_it_is_played() -> None:
    *quoted, compact = blocks(FORMAT)
    log = expand_game(compact)
    assert len(quoted) == 6
    for block in quoted:
        assert block in log
    assert log.startswith(quoted[0])
    assert log.endswith(quoted[4])
    assert f"{len(compact)} bytes instead of {len(log)}" in FORMAT
    assert audit_game(log).ok
    assert Game.replay(log).log() == log


def test_the_words_and_the_first_swaps() -> None:
    block = sha256(b"gonuts-deck/1:42:0")
    assert block.hexdigest() in SEEDS
    cards = list(sorted_deck(2))
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \| `(\w+)` \| `(\w+)` \|$", SEEDS, re.M)
    assert len(rows) == 4
    for row, word in zip(rows, unpack(">8I", block.digest()), strict=False):
        i, told_word, j = map(int, row[:3])
        assert (told_word, j) == (word, word % (i + 1))
        assert word < 2**32 // (i + 1) * (i + 1)
        assert row[3:] == (cards[i], cards[j])
        cards[i], cards[j] = cards[j], cards[i]
    top = ",\\s".join(f"`{card}`" for card in deck.shuffled_deck("42", 2)[:6])
    assert re.search(top, SEEDS)


def test_the_other_numbers() -> None:
    for told in (deck.commitment("42"), deck.bot_random("42", 0), deck.deal_seed("42", 0, 1)):
        assert told in SEEDS
    assert deck.Words(deck.bot_random("42", 0)).below(5) == 3
    (word,) = unpack(">I", sha256(b"gonuts-default/1:42:1:1:0").digest()[:4])
    assert f"the first word is {word}, below(3) is {word % 3}" in SEEDS
    assert deck.default_bid("42", 1, 1, 2) == 1 + word % 3 == 2
