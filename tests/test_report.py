"""report.html: everything on one page, nothing from elsewhere, whatever the names hold."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gonuts_cli.arena.names import file_names
from gonuts_cli.arena.results import Count
from gonuts_cli.game import Game
from gonuts_cli.log.reader import RawGame
from gonuts_cli.show.report import report_page
from gonuts_cli.show.standings import pairs_text, standings_text

EVIL = "<script>alert(1)</script>"
TURNED = "a\u202eb"


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.words += data


def add_game(counted: Count, names: list[str], deal: int, fault: bool = True) -> None:
    game = Game(names=names, seed=str(deal), game=f"{deal}.0", tags={"deal": str(deal)})
    while game.pending:
        for decision in game.pending:
            if fault and decision.player == 0:
                game.choose(0, fault="crashed")
            else:
                game.choose(decision.player, decision.options[-decision.counts[-1] :])
    counted.add(RawGame("x", deal, 1, 0, game.log()))


def count(names: list[str], deals: int, fault: bool = True) -> Count:
    counted = Count(kinds=True)
    for deal in range(deals):
        add_game(counted, names, deal, fault)
    return counted


@pytest.fixture
def counted() -> Count:
    return count([EVIL, TURNED, "ann"], 5)


def test_it_shows_the_ranking_and_asks_nothing_of_a_network(counted: Count, tmp_path: Path) -> None:
    ranking = counted.ranking()
    text = report_page(ranking, counted, tmp_path, sandbox=False)
    page = Page(text)
    assert "script" not in page.tags
    assert page.addresses == ["data:,"]
    assert "default-src 'none'" in text
    assert not re.search(r"https?:|@import|url\(", text)
    for part in ("Standings", "Who finished ahead of whom", "Points by kind", "by seat", "Faults"):
        assert part in page.words
    for standing in ranking.standings:
        assert f"{standing.win_share.value:.3f}" in page.words
        assert f"{standing.rating.value:.0f}" in page.words
    assert "5 crashed" in page.words
    assert EVIL in page.words
    assert "a\\u202eb" in page.words
    assert TURNED not in text


def test_points_by_kind_add_up_to_the_points(counted: Count) -> None:
    for standing in counted.ranking().standings:
        total = sum(counted.points_by_kind[standing.name].values())
        assert total / standing.games == pytest.approx(standing.points.value)


def test_last_words_are_those_of_the_bot_and_harmless(counted: Count, tmp_path: Path) -> None:
    folder = tmp_path / "stderr"
    folder.mkdir()
    (evil,) = file_names([EVIL])
    (folder / f"{evil}.0.txt").write_bytes(b"early\n" * 100 + b"</pre><img src=x>\x1b[31m\xff\n")
    (folder / "ann.0.txt").write_text("ann had no fault")
    page = Page(report_page(counted.ranking(), counted, tmp_path, sandbox=True))
    assert "</pre><img src=x>\\u001b[31m\ufffd" in page.words
    assert "img" not in page.tags
    assert "ann had no fault" not in page.words


def test_games_are_linked_when_there_is_a_page_that_shows_them(
    counted: Count, tmp_path: Path
) -> None:
    (tmp_path / "replay.html").write_text("")
    page = Page(report_page(counted.ranking(), counted, tmp_path, sandbox=None))
    assert page.addresses[1:] == [f"replay.html#{place}-0" for place in range(1, 6)]


def test_one_deal_and_no_faults(tmp_path: Path) -> None:
    counted = count(["a", "b"], 1, fault=False)
    ranking = counted.ranking()
    text = report_page(ranking, counted, tmp_path, sandbox=True)
    assert "There were none." in text
    assert "there is no interval" in text
    assert "[" not in standings_text(ranking).splitlines()[1]


def test_standings_in_text_hold_nothing_that_acts(counted: Count) -> None:
    ranking = counted.ranking()
    text = standings_text(ranking) + pairs_text(ranking)
    assert TURNED not in text
    assert "5 crashed" in text


@pytest.mark.parametrize("bots", [2, 6, 7, 15, 16, 32])
def test_the_columns_of_many_bots_stand_in_several_tables(bots: int, tmp_path: Path) -> None:
    names = [f"bot-{number}" for number in range(bots)]
    counted = Count(kinds=True)
    for deal in range(bots):
        add_game(counted, [names[deal], names[deal - 1]], deal, fault=False)
    text = report_page(counted.ranking(), counted, tmp_path, sandbox=None)
    tables = [re.findall(r'<th scope="col".*?</th>', head) for head in text.split("<thead>")]
    pairs = [re.findall(r">(\d+)</th>", "".join(columns)) for columns in tables]
    assert [int(one) for columns in pairs for one in columns] == [*range(1, bots + 1)]
    assert max(map(len, pairs)) <= 15
    kinds = [re.findall(r'class="bot">(\d+) <bdi>', "".join(columns)) for columns in tables]
    assert [int(one) for columns in kinds for one in columns] == [*range(1, bots + 1)]
    assert max(map(len, kinds)) <= 6
