"""The pages on a phone, in the dark and on paper, with the worst names that there can be."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from gonuts_cli import Game
from gonuts_cli.arena.results import Count
from gonuts_cli.cli.app import run
from gonuts_cli.log.reader import RawGame
from gonuts_cli.show.html.page import write_page
from gonuts_cli.show.report import report_page
from tests.chromium import CHROMIUM, Chromium
from tests.looks import A4, beyond, cut, faint
from tests.test_report import add_game, count

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (package chromium)"),
]

NAMES = [
    "W" * 64,
    "Donaudampfschifffahrtsgesellschaftskapitän und seine 23 Gebäcke",
    "<script>alert(1)</script>&amp;'\"</td></table>",
    "名前が長い日本語のボット、とても長い名前です",
    "بوت عربي مع اسم طويل جدا",
    "a b c " * 10,
]
MANY = [f"{number} {NAMES[number % 6]}"[:64] for number in range(32)]
PAGES = ("report.html", "many.html", "stats.html", "replay.html", "replay.html#1-30")
MODES = ("light", "dark")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("looks")
    game = Game(names=NAMES, seed="looks")
    while game.pending:
        for decision in game.pending:
            if decision.player == 0:
                game.choose(0, fault="crashed")
            else:
                game.choose(decision.player, decision.options[: decision.counts[0]])
    raw = RawGame("games.jsonl", 0, 1, 0, game.log())
    (folder / "games.jsonl").write_bytes(raw.data)
    out = StringIO()
    write_page([(raw, None)] * 3, out, lang="en")
    (folder / "replay.html").write_text(out.getvalue(), encoding="utf-8")
    assert run(["log", "stats", "--html", str(folder / "stats.html"), str(folder)]) == 0
    (folder / "stderr").mkdir()
    (folder / "stderr" / f"{'W' * 64}.0.txt").write_text("E" * 300)
    many = Count(kinds=True)
    for deal in range(32):
        add_game(many, [MANY[deal - seat] for seat in range(4)], deal)
    for name, counted in (("report.html", count(NAMES, 3)), ("many.html", many)):
        page = report_page(counted.ranking(), counted, folder, sandbox=False)
        (folder / name).write_text(page, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as one:
        yield one


def show(browser: Chromium, folder: Path, page: str) -> None:
    name, mark, place = page.partition("#")
    browser.open(folder / name, mark + place)


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("page", PAGES)
def test_a_phone_shows_the_page_without_scrolling_it_sideways(
    browser: Chromium, folder: Path, page: str, width: int
) -> None:
    browser.screen(width, 700, phone=True)
    show(browser, folder, page)
    assert browser.run("innerWidth") == width
    assert beyond(browser) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("page", PAGES)
def test_every_text_can_be_read(browser: Chromium, folder: Path, page: str, mode: str) -> None:
    browser.screen(1280, 800, prefers_color_scheme=mode)
    show(browser, folder, page)
    assert beyond(browser) == []
    assert faint(browser) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("page", PAGES)
def test_paper_holds_everything_in_dark_ink(
    browser: Chromium, folder: Path, page: str, mode: str
) -> None:
    browser.screen(A4, 1000, paper=True, prefers_color_scheme=mode)
    show(browser, folder, page)
    assert beyond(browser) == []
    assert cut(browser) == []
    assert faint(browser) == []


def test_who_chose_dark_colours_prints_in_dark_ink(browser: Chromium, folder: Path) -> None:
    browser.screen(A4, 1000, paper=True)
    show(browser, folder, "replay.html#1-30")
    browser.run("document.documentElement.dataset.colours = 'dark'")
    assert faint(browser) == []


def test_the_printed_list_of_games_is_not_followed_by_an_empty_game(
    browser: Chromium, folder: Path
) -> None:
    browser.screen(A4, 1000, paper=True)
    show(browser, folder, "replay.html")
    assert browser.run("document.getElementById('list').checkVisibility()")
    for gone in ("game", "find", "more"):
        assert not browser.run(f"document.getElementById('{gone}').checkVisibility()")


def test_colours_are_printed_and_links_that_paper_cannot_follow_are_not(
    browser: Chromium, folder: Path
) -> None:
    browser.screen(A4, 1000, paper=True)
    show(browser, folder, "report.html")
    style = "getComputedStyle(document.querySelector('.heat td.for')).printColorAdjust"
    assert browser.run(style) == "exact"
    assert not browser.run("document.querySelector('a').checkVisibility()")


@pytest.mark.parametrize("page", ["report.html", "many.html", "stats.html"])
def test_the_title_does_not_have_a_sheet_of_its_own(
    browser: Chromium, folder: Path, page: str
) -> None:
    browser.screen(A4, 1000, paper=True)
    show(browser, folder, page)
    assert browser.run("getComputedStyle(document.querySelector('h2')).breakBefore") == "auto"
    assert browser.run("document.querySelector('h2').getBoundingClientRect().top") < 200
    assert browser.run("getComputedStyle(document.querySelector('h2')).breakAfter") == "avoid"
    assert browser.run("getComputedStyle(document.querySelector('tbody tr')).breakInside") == (
        "avoid"
    )
