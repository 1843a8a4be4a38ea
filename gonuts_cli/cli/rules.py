"""`gonuts rules`: the cards, what they do and what they count (SPEC §1, §8)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from gonuts_cli.cli.common import write_json
from gonuts_cli.errors import UsageError
from gonuts_cli.rules.cards import CARDS, MAX_PLAYERS, MIN_PLAYERS, Card, deck_size
from gonuts_cli.show.lang import Lang, card_name, points_text, power_text, texts
from gonuts_cli.show.paint import Paint


def rules(
    players: Annotated[
        int | None,
        typer.Option("--players", "-p", metavar="N", help="Only the deck of so many players."),
    ] = None,
    lang: Annotated[Lang, typer.Option("--lang", help="The language of the texts.")] = "en",
    json: Annotated[bool, typer.Option("--json", help="JSON lines, one a kind.")] = False,
) -> None:
    """Show the cards.

    Copies in the deck, points at the end, and powers.
    """
    if players is not None and not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise UsageError(f"the game is for {MIN_PLAYERS} to {MAX_PLAYERS} players, not {players}")
    tables = range(MIN_PLAYERS, MAX_PLAYERS + 1) if players is None else [players]
    cards = [card for card in CARDS.values() if card.copies_for(tables[-1])]
    if json:
        for card in cards:
            write_json(
                {
                    "kind": card.kind,
                    "name": card_name(card.kind, lang),
                    "from_players": card.from_players,
                    "copies": {str(table): card.copies_for(table) for table in tables},
                    "points": points_text(card.kind, lang),
                    "power": power_text(card.kind, lang) or None,
                }
            )
        return
    print("\n".join(_lines(cards, tables, lang, Paint.of(sys.stdout))))


def _lines(cards: Sequence[Card], tables: Sequence[int], lang: Lang, paint: Paint) -> Iterator[str]:
    say = texts(lang)
    if len(tables) == 1:
        size = say.count(say.cards, deck_size(tables[0]))
        yield paint.strong(say.rules_title.format(cards=size, players=tables[0]))
    heading = 0
    for card in cards:
        if len(tables) > 1 and card.from_players > heading:
            if heading:
                yield ""
            heading = card.from_players
            yield paint.strong(say.rules_from.format(players=heading))
        copies = paint.faint(_copies(card, tables, lang))
        yield f"  {paint.card(card_name(card.kind, lang))}  {copies}"
        yield f"      {points_text(card.kind, lang)}"
        power = power_text(card.kind, lang)
        if power:
            yield f"      {power}"


def _copies(card: Card, tables: Sequence[int], lang: Lang) -> str:
    """How many there are; by player count, where that differs."""
    say = texts(lang)
    counts = [card.copies_for(table) for table in tables if table >= card.from_players]
    if len(set(counts)) == 1:
        return say.count(say.copies, counts[0])
    return say.copies[1].format(n="/".join(map(str, counts)))
