"""What a person at the terminal is shown, and how what they type is read.

All of it works on the bot protocol's messages (SPEC §5): a person knows what a bot would know.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gonuts_cli.rules.rulings import DEFAULT_RULINGS, Rulings
from gonuts_cli.rules.scoring import score
from gonuts_cli.show import lang as languages
from gonuts_cli.show.lang import LANGUAGES, Lang, card_name, points_text, power_text, texts
from gonuts_cli.show.paint import PLAIN, Paint
from gonuts_cli.show.safe import printable

_BY_POSITION = ("bid", "french_cruller")
"""Decisions whose options are row positions: the person types the position itself."""


class Typed(NamedTuple):
    """What one typed line means: an answer, something to say to the person, or the wish to leave.

    `choose` is a legal answer to the decision, or None; then `say` is shown and the person is
    asked again, unless `leave`.
    """

    choose: list[Any] | None = None
    say: str = ""
    leave: bool = False


def table_text(
    view: Mapping[str, Any],
    names: Sequence[str],
    you: int,
    lang: Lang,
    rulings: Rulings = DEFAULT_RULINGS,
    paint: Paint = PLAIN,
) -> str:
    """The table as seat `you` sees it, from a `decide` message's `view`; several lines."""
    say = texts(lang)
    top = view["top"]
    deck = say.count(say.deck, view["deck"])
    if top is not None:
        deck += f" ({say.top_known.format(cards=card_name(top, lang))})"
    lines = [f"{paint.strong(say.round.format(round=view['round']))} · {deck}"]
    lines += _row(view, names, lang, paint)
    pile = [card_name(kind, lang) for kind in reversed(view["discard"])]
    lines.append(say.labelled(say.discard, ", ".join(pile) or say.nothing_there))
    points = score(view["tableaus"], rulings)
    for seat, held in enumerate(view["tableaus"]):
        who = paint.player(seat, names) + (f" ({say.you})" if seat == you else "")
        total = say.count(say.points, sum(points[seat].values()))
        lines.append(say.labelled(who, f"{held_text(held, lang) or say.holds_nothing} · {total}"))
    return "\n".join(lines)


def held_text(held: Mapping[str, int], lang: Lang) -> str:
    """The cards of a tableau in one line, "" for none."""
    return ", ".join(times(card_name(kind, lang), count) for kind, count in held.items())


def decision_text(
    request: Mapping[str, Any], names: Sequence[str], lang: Lang, paint: Paint = PLAIN
) -> str:
    """What a `decide` message asks, with numbered options and how to answer; several lines."""
    say = texts(lang)
    decision, counts = request["decision"], request["counts"]
    if decision == "bid":
        lines = [paint.strong(say.ask_bid)]
    else:
        lines = [paint.strong(languages.card_text(decision, "ask", lang))]
        for number, (option, count) in _numbered(request).items():
            name = times(_option_name(option, request, names, lang), count)
            lines.append(f"  {number:>2}  {name}")
    several = [count for count in counts if count]
    how = [
        say.type_one if several == [1] else say.type_some.format(counts=_ranges(several, say.or_))
    ]
    if 0 in counts:
        how.append(say.type_none)
    lines.append(paint.faint("; ".join([*how, say.type_help])))
    return "\n".join(lines)


def card_text(kind: str, lang: Lang) -> str:
    """A card's name and its rules in one line."""
    power = power_text(kind, lang) or f"{texts(lang).no_power}."
    return texts(lang).labelled(card_name(kind, lang), f"{points_text(kind, lang)}; {power}")


def read_typed(line: str, request: Mapping[str, Any], lang: Lang) -> Typed:
    """What a person's line means as an answer to `request`; never raises."""
    say = texts(lang)
    text = line.strip()
    if text.casefold() in ("q", "quit", "exit"):
        return Typed(leave=True)
    if not text:
        return Typed(say=say.type_help)
    if text == "?":
        shown = [card_text(kind, lang) for kind in _kinds_at_hand(request)]
        return Typed(say="\n".join([*shown, say.which_rules]))
    words = re.split(r"[\s,;]+", text.strip(",;"))
    if all(re.fullmatch("[0-9]+", word) for word in words):
        return _read_numbers([word.lstrip("0") or "0" for word in words], request, lang)
    found = find_cards(text.strip("? "), lang)
    if len(found) == 1:
        return Typed(say=card_text(found[0], lang))
    shown_text = printable(text if len(text) <= 40 else f"{text[:40]}…")
    if not found:
        return Typed(say=f"{say.not_understood.format(text=shown_text)} {say.type_help}.")
    cards = say.listed([card_name(kind, lang) for kind in found], say.or_)
    return Typed(say=say.several_cards.format(text=shown_text, cards=cards))


def find_cards(text: str, lang: Lang) -> list[str]:
    """The kinds that a typed text may mean: by whole name (any language), else by part of it."""
    wanted = _plain_letters(text)
    if not wanted:
        return []
    whole = [kind for kind in languages.kinds() if wanted in _names(kind)]
    if whole:
        return whole
    return [kind for kind in languages.kinds() if wanted in _plain_letters(card_name(kind, lang))]


def _names(kind: str) -> set[str]:
    return {_plain_letters(name) for name in (kind, *(card_name(kind, at) for at in LANGUAGES))}


def _read_numbers(numbers: list[str], request: Mapping[str, Any], lang: Lang) -> Typed:
    say = texts(lang)
    counts = request["counts"]
    offered = {str(number): entry for number, entry in _numbered(request).items()}
    if numbers == ["0"] and 0 in counts:
        return Typed(choose=[])
    for number in numbers:
        if number not in offered:
            there = _ranges([int(known) for known in offered], say.and_)
            shown = number if len(number) <= 10 else f"{number[:10]}…"
            return Typed(say=say.not_offered.format(number=shown, offered=there))
    if len(numbers) not in counts:
        allowed = _ranges(counts, say.or_)
        return Typed(say=say.wrong_count.format(n=len(numbers), counts=allowed))
    for number, times in Counter(numbers).items():
        option, count = offered[number]
        if times > count:
            name = _option_name(option, request, None, lang)
            return Typed(say=say.too_often.format(cards=name, n=count))
    return Typed(choose=[offered[number][0] for number in numbers])


def _numbered(request: Mapping[str, Any]) -> dict[int, tuple[Any, int]]:
    """Number to type -> (option, how often it is offered), in the order of the options."""
    options = request["options"]
    if request["decision"] in _BY_POSITION:
        return {position: (position, 1) for position in options}
    distinct: list[Any] = []
    for option in options:
        if option not in distinct:
            distinct.append(option)
    return {n: (option, options.count(option)) for n, option in enumerate(distinct, 1)}


def _option_name(
    option: Any, request: Mapping[str, Any], names: Sequence[str] | None, lang: Lang
) -> str:
    if isinstance(option, int):
        kind = request["view"]["row"][option - 1]
        return str(option) if kind is None else card_name(kind, lang)
    if isinstance(option, str):
        return card_name(option, lang)
    kind, seat = option
    who = "" if names is None else f"{printable(names[seat])} · "
    return who + card_name(kind, lang)


def _row(view: Mapping[str, Any], names: Sequence[str], lang: Lang, paint: Paint) -> list[str]:
    say = texts(lang)
    cards = [say.row_empty if kind is None else card_name(kind, lang) for kind in view["row"]]
    width = max(map(len, cards))
    lines = [f"{say.row}:"]
    for position, (kind, name) in enumerate(zip(view["row"], cards, strict=True), 1):
        padded = f"{name:<{width}}"
        about = "" if kind is None else points_text(kind, lang)
        bidders = [seat for seat, bid in enumerate(view["bids"] or ()) if bid == position]
        if bidders:
            about = f"{about} ← " + ", ".join(paint.player(seat, names) for seat in bidders)
        shown = paint.faint(padded) if kind is None else paint.card(padded)
        lines.append(f"  {position}  {shown}  {about}".rstrip())
    return lines


def _kinds_at_hand(request: Mapping[str, Any]) -> list[str]:
    """The kinds on the row and among the options, in card order: what a person wonders about."""
    seen = {kind for kind in request["view"]["row"] if kind is not None}
    for option in request["options"]:
        if not isinstance(option, int):
            seen.add(option if isinstance(option, str) else option[0])
    return [kind for kind in languages.kinds() if kind in seen]


def _ranges(numbers: Iterable[int], last: str) -> str:
    """Ascending numbers in words: a run of three or more as "1–4", else listed.

    >>> _ranges([1, 2, 3], "or"), _ranges([0, 3], "or"), _ranges([1, 4, 5, 6], "and")
    ('1–3', '0 or 3', '1, 4, 5 and 6')
    """
    found = list(numbers)
    if len(found) > 2 and found[-1] - found[0] == len(found) - 1:
        return f"{found[0]}–{found[-1]}"
    shown = [str(number) for number in found]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def _plain_letters(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if character.isalnum())


def times(name: str, count: int) -> str:
    """A card's name, and how many where there are several."""
    return name if count == 1 else f"{name} ×{count}"
