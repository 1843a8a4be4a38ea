"""Writing the replay page: template, style, script, drawings, texts and games in one file.

The page asks nothing of any network: its policy allows the one script and the one style that
stand in it, by their digests, and nothing else. Games stand in it as JSON that no parser of HTML
can take for markup; its script shows their texts as text nodes only.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import asdict
from hashlib import sha256
from importlib import resources
from typing import Any, TextIO

from gonuts_cli.rules.cards import CARDS, KINDS, MAX_PLAYERS, MIN_PLAYERS, deck_size
from gonuts_cli.show.html.data import LoggedGame, game_data
from gonuts_cli.show.lang import LANGUAGES, Lang, card_name, card_text, texts

_SCRIPTS = ("model.js", "words.js", "table.js", "page.js")
_CARD_TEXTS = ("power", "points", "did", "nothing", "itself", "last")
# What the page takes from the sentences that all replays share; the rest is in `texts.json`.
_SHARED = frozenset(
    {
        "language",
        "zero_is_singular",
        "cards",
        "points",
        "rounds",
        "deck",
        "discard",
        "title",
        "seats",
        "round",
        "row",
        "award",
        "collision_two",
        "collision_many",
        "collision_all",
        "passed",
        "end",
        "final",
        "holds_nothing",
        "wins",
        "shared_win",
        "nobody_wins",
        "out",
        "put_out",
        "referee_chose",
        "faults",
        "unfinished",
        "copies",
        "you",
    }
)


def write_page(games: Iterable[tuple[LoggedGame, str | None]], out: TextIO, *, lang: Lang) -> int:
    """Write one page that shows `games`; how many there are. Nothing is written when it is 0.

    With every game stands what is wrong with its log after the lines given, or None. `lang` is
    the language that the page opens in; all are in it. Games are taken and written one by one.
    """
    head, tail = _frame(lang)
    written = 0
    for game, fault in games:
        if not written:
            out.write(head)
        data = _embedded(game_data(game, fault))
        out.write(f'<script type="application/json" class="game">{data}</script>\n')
        written += 1
    if written:
        out.write(tail)
    return written


def _frame(lang: Lang) -> tuple[str, str]:
    """What stands before the games, and after them."""
    script = '(() => {\n"use strict";\n' + "".join(map(_file, _SCRIPTS)) + "})();\n"
    style = _file("page.css")
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    page = _file("template.html").replace("[[policy]]", policy)
    parts = {
        "[[style]]": style,
        "[[drawings]]": _file("donuts.svg"),
        "[[setup]]": _embedded(_setup(lang)),
        "[[script]]": script,
    }
    for mark, text in parts.items():
        page = page.replace(mark, text)
    head, _, tail = page.partition("[[games]]\n")
    return head, tail


def _setup(lang: Lang) -> dict[str, Any]:
    own = json.loads(_file("texts.json"))
    players = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    return {
        "lang": lang,
        "kinds": KINDS,
        "decks": {n: deck_size(n) for n in players},
        "copies": {n: [card.copies_for(n) for card in CARDS.values()] for n in players},
        "names": {one: {kind: card_name(kind, one) for kind in KINDS} for one in LANGUAGES},
        "cards": {one: {kind: _card_texts(kind, one) for kind in KINDS} for one in LANGUAGES},
        "texts": {
            one: {
                **{name: text for name, text in asdict(texts(one)).items() if name in _SHARED},
                **{name: by_language[one] for name, by_language in own.items()},
            }
            for one in LANGUAGES
        },
    }


def _card_texts(kind: str, lang: Lang) -> dict[str, str]:
    found = {part: card_text(kind, part, lang) for part in _CARD_TEXTS}
    return {part: text for part, text in found.items() if text}


def _embedded(value: Any) -> str:
    """JSON in ASCII in which no `<`, `>` or `&` stands: inert inside a `<script>` element."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
