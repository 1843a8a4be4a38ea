"""The replay page: what stands in it, and what a real browser shows of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import resources
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gonuts_cli import Game
from gonuts_cli.cli.app import run
from gonuts_cli.rules.cards import KINDS
from gonuts_cli.rules.rulings import Rulings
from gonuts_cli.rules.scoring import score
from gonuts_cli.show.html.data import game_data
from gonuts_cli.show.html.page import write_page
from gonuts_cli.show.lang import LANGUAGES
from tests.chromium import CHROMIUM, Chromium

VECTORS = Path(__file__).parent / "vectors"
LOGS = sorted((VECTORS / "games").glob("*.log.jsonl"))
EVIL = "<img src=x onerror=alert(1)>"

browser_only = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (package chromium)"),
]


class Log(NamedTuple):
    """One game's log as the reader hands it over."""

    file: str
    data: bytes
    first_line: int = 1


def log_of(name: str) -> Log:
    return Log(name, (VECTORS / "games" / f"{name}.log.jsonl").read_bytes())


def page(tmp_path: Path, *logs: Log, fault: str | None = None) -> Path:
    out = StringIO()
    assert write_page([(log, fault) for log in logs], out, lang="en") == len(logs)
    path = tmp_path / "page.html"
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def lines_of(log: Log) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.data.splitlines()]


# --- What stands in the page ---


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_data_holds_every_event_and_a_whole_game_has_no_stop(path: Path) -> None:
    log = Log(path.name, path.read_bytes())
    data = game_data(log)
    assert len(data["events"]) == len(lines_of(log)) - 2
    assert data["stop"] is None
    assert data["end"]["scores"] == lines_of(log)[-1]["scores"]


def test_offers_are_those_that_the_engine_made() -> None:
    seen = 0
    for path in LOGS:
        log = Log(path.name, path.read_bytes())
        offers = [
            [KINDS.index(kind) for kind in decision.options]
            for decisions, _ in rests(log)
            for decision in decisions
            if decision.decision == "double_chocolate"
        ]
        whole = game_data(log)
        asked_of_the_out = sum(
            isinstance(event, list) and event[1:2] == [KINDS.index("double_chocolate")]
            and event[-1] == "disqualified"
            for event in whole["events"]
        )  # fmt: skip
        if asked_of_the_out:
            continue
        assert whole["offers"] == offers
        # Without the seed, what comes from the deck later tells the same two cards.
        unfinished = game_data(Log(log.file, log.data[: log.data.rindex(b'{"event":"game_ended"')]))
        for known, inferred in zip(offers, unfinished["offers"], strict=True):
            assert inferred[1] is None or sorted(known) == sorted(inferred)
        seen += len(offers)
    assert seen > 5


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "line 3: not JSON"),
        (b"[1]", "line 3: not an event"),
        (b'{"event":"moved","card":"bagel"}', "line 3: an unknown card"),
        (b'{"event":"moved","card":"plain","from":"row:9"}', "line 3: an unknown zone"),
        (b'{"event":"moved","card":"plain"}', "line 3: no 'from'"),
        (b'{"event":"decided","decision":"bid","choose":[true]}', "line 3: position is not"),
        (b'{"event":"decided","decision":"bid","choose":[1],"player":9}', "an unknown player"),
        (b'{"event":"round_started","round":"1"}', "line 3: round is not as it should be"),
        (b"[" * 100_000, "line 3: not JSON"),
    ],
)
def test_reading_ends_at_a_line_that_is_no_event(line: bytes, why: str) -> None:
    whole = log_of("2p-0").data.splitlines(keepends=True)
    data = game_data(Log("x", b"".join([*whole[:2], line + b"\n", *whole[2:]])))
    assert len(data["events"]) == 1
    assert data["stop"]["why"].startswith(why) or why in data["stop"]["why"]


def test_a_log_that_breaks_off_is_unfinished_not_damaged() -> None:
    log = log_of("2p-0")
    assert game_data(Log("x", log.data[:2000]))["stop"] == {"why": None}
    assert game_data(Log("x", log.data[:2000]), "spoilt")["stop"] == {"why": "spoilt"}


def test_text_of_a_log_is_inert_in_the_page(tmp_path: Path) -> None:
    text = page(tmp_path, evil_log()).read_text(encoding="utf-8")
    assert "<img" not in text
    assert "</script><b>" not in text
    assert "\u2028" not in text
    assert "\u202e" not in text


def evil_log() -> Log:
    # JSON may write what no text may hold: a log from elsewhere can hold a lone surrogate.
    names = [EVIL, "</script><b>\u202eevil\u2028"]
    game = Game(names=["a", "b"], seed="evil", tags={"event": "<!--<script>"})
    while game.pending:
        for decision in game.pending:
            game.choose(decision.player, decision.options[: decision.counts[0]])
    head, rest = game.log().split(b"\n", 1)
    started = json.loads(head) | {"players": names, "game": "\ud800&<"}
    return Log("<i>.jsonl", json.dumps(started).encode() + b"\n" + rest)


def test_no_games_give_no_page() -> None:
    out = StringIO()
    assert write_page([], out, lang="en") == 0
    assert out.getvalue() == ""


def test_the_command_writes_what_it_can_and_says_what_is_wrong(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    good, bad = log_of("2p-0").data, log_of("3p-0").data.replace(b"eclair", b"bagel", 5)
    log, html = tmp_path / "two.jsonl", tmp_path / "page.html"
    log.write_bytes(bad + good)
    assert run(["replay", str(log), "--html", str(html)]) == 1
    assert "two.jsonl:4:" in capfd.readouterr().err
    text = html.read_text("utf-8")
    games = [json.loads(game) for game in re.findall(r'class="game">(.*)</script>', text)]
    assert [game["players"] for game in games] == [
        ["player-0", "player-1", "player-2"],
        ["player-0", "player-1"],
    ]
    assert "two.jsonl:4:" in games[0]["stop"]["why"]
    assert games[1]["stop"] is None
    # A page that is there stays as it is when there is no game to show.
    log.write_bytes(b"nothing\n")
    assert run(["replay", str(log), "--html", str(html)]) == 1
    assert html.read_text("utf-8") == text
    assert sorted(tmp_path.iterdir()) == [html, log]


def test_every_kind_is_drawn_once() -> None:
    drawings = resources.files("gonuts_cli.show.html").joinpath("donuts.svg").read_text("utf-8")
    drawn = re.findall(r'<symbol id="donut-(\w+)"', drawings)
    assert drawn == list(KINDS)
    bodies = re.findall(r"<symbol.*?</symbol>", drawings)
    uncoloured = {
        re.sub(r'id="[^"]*"|#[0-9a-f]{3,6}', "", body, flags=re.IGNORECASE) for body in bodies
    }
    assert len(uncoloured) == len(KINDS), "two kinds differ by colour alone"


def test_every_text_is_there_in_every_language_with_the_same_braces() -> None:
    texts = json.loads(
        resources.files("gonuts_cli.show.html").joinpath("texts.json").read_text("utf-8")
    )
    for key, by_language in texts.items():
        assert tuple(by_language) == LANGUAGES, key
        braces = {tuple(sorted(re.findall(r"{\w+}", str(text)))) for text in by_language.values()}
        assert len(braces) == 1, key


def test_the_page_of_a_big_game_is_small(tmp_path: Path) -> None:
    one = page(tmp_path, log_of("6p-4")).stat().st_size
    two = page(tmp_path, log_of("6p-4"), log_of("6p-3")).stat().st_size
    assert one < 200_000
    assert two - one < 8_000


# --- What the engine and the log's lines say, to compare with ---


def rests(log: Log) -> Iterator[tuple[Any, list[Any]]]:
    """Every point at which the engine asks: the decisions, and each seat's view."""
    lines = lines_of(log)
    start, end = lines[0], lines[-1]
    game = Game(names=start["players"], seed=end["seed"], rulings=start["rulings"])
    made = (
        line for line in lines if line["event"] == "decided" and line.get("fault") != "disqualified"
    )
    while pending := game.pending:
        yield pending, [game.view(seat) for seat in range(game.players)]
        for _ in pending:
            line = next(made)
            if "fault" in line:
                game.choose(line["player"], fault=line["fault"])
            else:
                game.choose(line["player"], untuple(line["choose"]))
    assert list(game.result.scores) == end["scores"]


def untuple(choose: list[Any]) -> tuple[Any, ...]:
    return tuple(tuple(one) if isinstance(one, list) else one for one in choose)


def decision_sets(log: Log) -> list[list[dict[str, Any]]]:
    """The decisions as the page groups them; asked at once are bids, and passes of one Twist."""
    sets: list[list[dict[str, Any]]] = []
    before: dict[str, Any] = {}
    for line in lines_of(log):
        if line["event"] == "decided":
            joint = line["decision"] in ("bid", "cinnamon_twist")
            if joint and before.get("decision") == line["decision"]:
                sets[-1].append(line)
            else:
                sets.append([line])
        before = line
    return sets


def positions(log: Log) -> list[str]:
    """ROUND or ROUND:DECISION of every set of decisions, for `--at`."""
    sizes = iter([len(group) for group in decision_sets(log)])
    found, round_, ordinal, left = [], 0, 0, 0
    for line in lines_of(log):
        if line["event"] == "round_started":
            round_, ordinal = line["round"], 0
        elif line["event"] == "decided":
            ordinal += 1
            if left == 0:
                found.append(str(round_) if ordinal == 1 else f"{round_}:{ordinal}")
                left = next(sizes)
            left -= 1
    return found


def folded(log: Log) -> list[dict[str, Any]]:
    """The table after every line, from the moves alone."""
    lines = lines_of(log)
    players = len(lines[0]["players"])
    zones: dict[str, list[str]] = {"discard": []}
    zones |= {f"row:{p}": [] for p in range(1, players + 2)}
    zones |= {f"tableau:{seat}": [] for seat in range(players)}
    deck, round_ = {2: 37, 3: 50, 4: 61, 5: 70, 6: 70}[players], 0
    rulings = Rulings.parse(lines[0]["rulings"])
    states = []
    for line in lines:
        if line["event"] == "round_started":
            round_ = line["round"]
        if line["event"] == "moved":
            if line["from"] == "deck":
                deck -= 1
            else:
                zone = zones[line["from"]]
                del zone[len(zone) - 1 - zone[::-1].index(line["card"])]
            zones[line["to"]].append(line["card"])
        tableaus = [
            {kind: zones[f"tableau:{seat}"].count(kind) for kind in KINDS
             if kind in zones[f"tableau:{seat}"]}
            for seat in range(players)
        ]  # fmt: skip
        states.append(
            {
                "round": round_,
                "row": [(zones[f"row:{p}"] or [None])[0] for p in range(1, players + 2)],
                "discard": list(zones["discard"]),
                "deck": deck,
                "tableaus": tableaus,
                "points": [sum(points.values()) for points in score(tableaus, rulings)],
            }
        )
    return states


# What a person sees, read from the elements that show it.
READ = """
const read = () => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const seats = all("#seats .seat");
  const number = (text) => Number(text.replace("\u2212", "-").match(/-?\\d+/)[0]);
  return {
    type: document.getElementById("game").dataset.type,
    at: document.getElementById("at").textContent,
    round: number(document.getElementById("round").textContent + " 0"),
    row: all("#row > li").map((li) => li.dataset.card || null),
    discard: all("#discard li").map((li) => li.dataset.card).reverse(),
    deck: number(document.querySelector("#deck .size").textContent),
    top: document.getElementById("deck").dataset.top || null,
    offer: all("#deck [data-offer]").map((e) => e.dataset.offer),
    tableaus: seats.map((seat) => Object.fromEntries(
      all(".tableau > li", seat).map((li) => [li.dataset.card,
        number((li.querySelector(".times") ?? {textContent: "1"}).textContent)]))),
    drawn: all(".tile use").map((use) => use.getAttribute("href")),
    points: seats.map((seat) => number(seat.querySelector(".score strong").textContent)),
    bids: seats.map((seat) => {
      const bid = seat.querySelector("[data-bid]");
      return bid && number(bid.textContent);
    }),
    said: all("#said > p").map((p) => p.textContent).join(" "),
  };
};
"""
SHOWN = ("round", "row", "discard", "deck", "tableaus", "points")


def step_through(browser: Chromium, view: str = "") -> list[dict[str, Any]]:
    """Go from the first step to the last with the button, and read every step."""
    return browser.run(
        "(() => {"
        + READ
        + f"""
        const view = document.getElementById("view");
        view.value = {json.dumps(view)};
        view.dispatchEvent(new Event("change"));
        document.getElementById("first").click();
        const steps = [read()];
        const next = document.getElementById("next");
        while (next.getAttribute("aria-disabled") !== "true") {{
          next.click();
          steps.push(read());
        }}
        return steps; }})()"""
    )


@pytest.fixture(scope="module")
def one_browser() -> Iterator[Chromium]:
    with Chromium() as browser:
        yield browser


@pytest.fixture
def browser(one_browser: Chromium) -> Iterator[Chromium]:
    """The browser; afterwards nothing may have left the page, complained or popped up."""
    one_browser.screen(1440, 900, prefers_reduced_motion="reduce")
    one_browser.errors.clear()
    yield one_browser
    assert all(url.startswith(("file:", "about:", "data:")) for url in one_browser.requests)
    assert len([url for url in one_browser.requests if url.startswith("file:")]) == 1
    assert one_browser.errors == []
    assert one_browser.dialogs == []


class TestInBrowser:
    pytestmark = browser_only

    @pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
    def test_every_step_shows_the_state_that_the_engine_has(
        self, browser: Chromium, tmp_path: Path, path: Path
    ) -> None:
        log = Log(path.name, path.read_bytes())
        browser.open(page(tmp_path, log))
        steps = step_through(browser)
        states = iter(folded(log))
        for step in steps:  # every step is, in order, the table after some line of the log
            shown = {key: step[key] for key in SHOWN}
            assert any(shown == state for state in states), step["said"]
        assert next(states, None) is None
        sets = decision_sets(log)
        together = [group for group in sets if group[0]["decision"] in ("bid", "cinnamon_twist")]
        hidden = [step for step in steps if step["type"] in ("laid", "picked")]
        assert len(hidden) == len(together)

    @pytest.mark.parametrize("name", ["2p-4", "4p-3", "5p-faulty", "6p-0", "6p-4"])
    def test_before_every_decision_each_seat_sees_what_it_may_know(
        self, browser: Chromium, tmp_path: Path, name: str
    ) -> None:
        log = log_of(name)
        browser.open(page(tmp_path, log))
        public = step_through(browser)
        players = len(lines_of(log)[0]["players"])
        by_seat = [step_through(browser, str(seat)) for seat in range(players)]
        at = iter(range(len(public)))
        asked = iter(rests(log))
        for place, group in zip(positions(log), decision_sets(log), strict=True):
            # The last step at which this decision is the next: here it is asked.
            i = next(i for i in at if public[i]["at"] == place != public[i + 1]["at"])
            if all(line.get("fault") == "disqualified" for line in group):
                continue
            decisions, views = next(asked)
            assert decisions[0].decision == group[0]["decision"]
            for seat, view in enumerate(views):
                shown = by_seat[seat][i]
                for key in ("round", "row", "discard", "deck", "tableaus", "top"):
                    assert shown[key] == view[key], (place, seat, key)
                assert shown["bids"] == (view["bids"] or [None] * players), (place, seat)
        assert next(asked, None) is None

    def test_the_count_in_the_page_is_the_rules_count(
        self, browser: Chromium, tmp_path: Path
    ) -> None:
        browser.open(page(tmp_path, log_of("2p-0")))
        model = resources.files("gonuts_cli.show.html").joinpath("model.js").read_text("utf-8")
        cases = [json.loads(line) for line in (VECTORS / "scores.jsonl").read_text().splitlines()]
        counted = browser.run(
            "(() => {"
            + model
            + f"""
            return {json.dumps(cases)}.map(({{tableaus, rulings}}) =>
              count(tableaus.map((held) => KINDS.map((kind) => held[kind] ?? 0)), rulings)
                .map((seat) => Object.fromEntries(seat.flatMap((entry, kind) =>
                  entry === null ? [] : [[KINDS[kind], entry.points]])))); }})()"""
        )
        for case, points in zip(cases, counted, strict=True):
            held = [
                {kind: n for kind, n in seat.items() if case["tableaus"][place].get(kind)}
                for place, seat in enumerate(case["points"])
            ]
            assert points == held, case

    def test_a_name_is_shown_as_just_that(self, browser: Chromium, tmp_path: Path) -> None:
        browser.open(page(tmp_path, evil_log()))
        browser.click("#about summary")
        for lang in LANGUAGES:
            choose(browser, "language", lang)
            step_through(browser)
            for selector in ("#seats .seat-0 .who", "#counted caption bdi"):
                assert browser.run(f"document.querySelector('{selector}').textContent") == EVIL
        assert browser.run("document.querySelector('.seat-1 .who').textContent") == (
            r"</script><b>\u202eevil\u2028"
        )
        assert "<!--<script>" in browser.run("document.getElementById('facts').textContent")
        assert browser.run("document.title").endswith(r"\ud800&<")
        assert browser.run("document.images.length + document.querySelectorAll('b, i').length") == 0

    def test_markup_cannot_be_made_of_text_at_all(self, browser: Chromium, tmp_path: Path) -> None:
        browser.open(page(tmp_path, log_of("2p-0")))
        refused = browser.run(
            "(() => { try { document.body.innerHTML = '<p>'; } catch (e) { return e.name; } })()"
        )
        assert refused == "TypeError"
        browser.errors.clear()  # the browser reports what it refused

    def test_only_those_who_saw_it_see_the_offer_of_double_chocolate(
        self, browser: Chromium, tmp_path: Path
    ) -> None:
        log = log_of("4p-3")
        lines = lines_of(log)
        chosen = [line for line in lines if line.get("decision") == "double_chocolate"]
        browser.open(page(tmp_path, log))
        views = {view: step_through(browser, view) for view in ("", "0", "1", "2", "3")}
        offered = {
            view: [step["offer"] for step in steps if step["offer"]]
            for view, steps in views.items()
        }
        assert len(offered[""]) == len(chosen) > 0
        for seat in "0123":
            own = [line["choose"] for line in chosen if line["player"] == int(seat)]
            assert len(offered[seat]) == len(own)
            for cards, kept in zip(offered[seat], own, strict=True):
                assert len(cards) == 2
                assert set(kept) <= set(cards)

    def test_bids_lie_face_down_but_for_the_eyes_of_their_own_seat(
        self, browser: Chromium, tmp_path: Path
    ) -> None:
        log = log_of("3p-4")
        bids = [
            [line["choose"][0] for line in group]
            for group in decision_sets(log)
            if group[0]["decision"] == "bid"
        ]
        browser.open(page(tmp_path, log))
        for view in ("", "0", "1", "2"):
            steps = step_through(browser, view)
            laid = [step["bids"] for step in steps if step["type"] == "laid"]
            turned = [step["bids"] for step in steps if step["type"] == "turned"]
            assert turned == bids
            assert laid == [
                [bid if str(seat) == view else None for seat, bid in enumerate(group)]
                for group in bids
            ]

    def test_keys(self, browser: Chromium, tmp_path: Path) -> None:
        browser.open(page(tmp_path, log_of("2p-0")))
        at = "Number(document.getElementById('game').dataset.step)"
        assert browser.run(at) == 1
        browser.press("ArrowRight")
        browser.press("ArrowRight")
        assert browser.run(at) == 3
        browser.press("ArrowLeft")
        assert browser.run(at) == 2
        browser.press("ArrowRight", shift=True)
        assert browser.run("document.getElementById('round').textContent") == "Round 2"
        browser.press("ArrowRight", shift=True)
        browser.press("ArrowLeft", shift=True)
        assert browser.run("document.getElementById('round').textContent") == "Round 2"
        browser.press("End")
        assert browser.run("document.getElementById('game').dataset.type") == "end"
        browser.press("Home")
        assert browser.run(at) == 0

    def test_it_plays_by_itself_and_stops_at_the_end(
        self, browser: Chromium, tmp_path: Path
    ) -> None:
        browser.open(page(tmp_path, log_of("2p-0")))
        choose(browser, "speed", "10")
        slider = "document.getElementById('slider')"
        browser.run(
            f"{slider}.value = {slider}.max - 2; {slider}.dispatchEvent(new Event('input'))"
        )
        browser.press(" ")
        ended = browser.run(
            """new Promise((resolve) => {
              const play = document.getElementById("play");
              const look = () => play.getAttribute("aria-pressed") === "false"
                && resolve(document.getElementById("game").dataset.type);
              new MutationObserver(look).observe(play, { attributes: true });
            })"""
        )
        assert ended == "end"

    def test_mouse_and_touch(self, browser: Chromium, tmp_path: Path) -> None:
        browser.screen(390, 844, phone=True, prefers_reduced_motion="reduce")
        browser.open(page(tmp_path, log_of("6p-4")))
        at = "Number(document.getElementById('game').dataset.step)"
        browser.click("#next")
        assert browser.run(at) == 2
        browser.swipe((300, 300), (100, 310))
        assert browser.run(at) == 3
        browser.swipe((100, 300), (300, 310))
        browser.swipe((200, 300), (210, 100))  # that was scrolling
        assert browser.run(at) == 2
        browser.click("#rounds li:nth-child(5) button")
        assert browser.run("document.getElementById('round').textContent") == "Round 5"

    @pytest.mark.parametrize("lang", LANGUAGES)
    def test_every_sentence_is_whole_in_every_language_and_fits_a_phone(
        self, browser: Chromium, tmp_path: Path, lang: str
    ) -> None:
        browser.screen(390, 844, phone=True, prefers_reduced_motion="reduce")
        for name in ("5p-faulty", "6p-4"):
            browser.open(page(tmp_path, log_of(name)))
            choose(browser, "language", lang)
            assert browser.run("document.documentElement.lang") == lang
            for step in step_through(browser):
                assert not re.search(r"[{}]|undefined|\bnull\b|NaN|\[object", step["said"]), step
                assert step["said"].strip()
            browser.run("window.dispatchEvent(new Event('beforeprint'))")
            assert not re.search(
                r"[{}]|undefined|\bnull\b|NaN|\[object",
                browser.run("document.querySelector('main#game').textContent"),
            )
            assert browser.run("document.documentElement.scrollWidth") <= 390

    def test_faults_are_told_where_they_happen(self, browser: Chromium, tmp_path: Path) -> None:
        log = log_of("4p-faulty")
        browser.open(page(tmp_path, log))
        told = "\n".join(step["said"] for step in step_through(browser))
        faulty = [line["fault"] for line in lines_of(log) if "fault" in line]
        assert told.count("The referee chooses for") == len(faulty)
        assert told.count("does not answer in time") == faulty.count("timeout")
        assert told.count("is put out of the game") == len(
            {line["player"] for line in lines_of(log) if line.get("fault") == "disqualified"}
        )
        seen = "\n".join(step["said"] for step in step_through(browser, "1"))
        assert seen.count("The referee chooses for") == len(faulty)

    def test_unfinished_and_damaged_logs_say_so(self, browser: Chromium, tmp_path: Path) -> None:
        whole = log_of("3p-0")
        for cut in (300, 2000, 2500, 9000):
            browser.open(page(tmp_path, Log("cut", whole.data[:cut])))
            steps = step_through(browser)
            assert "the game has no end" in steps[-1]["said"]
            assert steps[-1]["type"] == "stopped"
        lines = whole.data.splitlines(keepends=True)
        browser.open(page(tmp_path, Log("bad", b"".join([*lines[:50], b"?\n", *lines[50:]]))))
        assert "line 51: not JSON" in step_through(browser)[-1]["said"]
        browser.open(page(tmp_path, Log("bad", b"".join([*lines[:2], *lines[3:]]))))
        assert re.search(r"Line \d+ .*not there", step_through(browser)[-1]["said"])
        browser.open(page(tmp_path, Log("bad", lines[1])))
        assert "not the start of a game" in step_through(browser)[-1]["said"]
        browser.open(page(tmp_path, Log("bad", b"".join(lines[:7])), fault="7: not so"))
        assert "damaged after this: 7: not so" in step_through(browser)[-1]["said"]

    def test_an_archive_is_a_list(self, browser: Chromium, tmp_path: Path) -> None:
        logs = [Log(path.name, path.read_bytes()) for path in LOGS]
        browser.open(page(tmp_path, *logs, Log("cut", logs[0].data[:3000])))
        rows = "document.querySelectorAll('#games tr').length"
        assert browser.run(rows) == len(logs) + 1
        assert browser.run("document.querySelectorAll('#games .flag').length") == 1
        browser.run(
            "document.getElementById('find').value = 'zoë 5'; "
            "document.getElementById('find').dispatchEvent(new Event('input'))"
        )
        assert browser.run(rows) == 1
        browser.click("#games button")
        assert browser.run("document.querySelectorAll('#seats .seat').length") == 6
        browser.click("#to-list")
        assert browser.run("document.getElementById('list').hidden") is False
        browser.open(tmp_path / "page.html", "#3-7")
        assert browser.run("document.getElementById('game').dataset.step") == "7"

    def test_everything_that_acts_has_a_name(self, browser: Chromium, tmp_path: Path) -> None:
        browser.open(page(tmp_path, log_of("4p-1")))
        browser.send("Accessibility.enable")
        nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
        acting = [
            node
            for node in nodes
            if node.get("role", {}).get("value")
            in ("button", "combobox", "slider", "searchbox", "DisclosureTriangle")
        ]
        assert len(acting) > 20
        assert all(node["name"]["value"].strip() for node in acting)
        assert browser.run("document.getElementById('said').getAttribute('aria-live')") == "polite"
        focused = browser.run(
            """[...document.querySelectorAll("button, select, input, summary")]
              .filter((e) => e.checkVisibility() && !e.disabled).every((e) => {
                e.focus({ focusVisible: true });
                return getComputedStyle(e).outlineStyle === "solid"; })"""
        )
        assert focused

    def test_light_and_dark_can_be_read(self, browser: Chromium, tmp_path: Path) -> None:
        path = page(tmp_path, log_of("4p-1"))
        for scheme in ("light", "dark"):
            browser.screen(1440, 900, prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            browser.open(path)
            seen = [lightness(browser)]
            for choice in ("light", "dark"):
                choose(browser, "colours", choice)
                seen.append(lightness(browser))
                assert min(browser.run(CONTRASTS)) >= 4.5
            assert seen[0] == (seen[1] if scheme == "light" else seen[2])
            assert seen[1] > 0.8 > 0.1 > seen[2]

    def test_on_paper_the_whole_game_is_told(self, browser: Chromium, tmp_path: Path) -> None:
        browser.open(page(tmp_path, log_of("6p-4")))
        assert browser.pdf().startswith(b"%PDF-")
        assert browser.run("document.querySelectorAll('#transcript h3').length") == browser.run(
            "document.querySelectorAll('#rounds li').length"
        )


def choose(browser: Chromium, select: str, value: str) -> None:
    browser.run(
        f"(() => {{ const e = document.getElementById({select!r}); e.value = {value!r}; "
        "e.dispatchEvent(new Event('change')); })()"
    )


LUMINANCE = """
const luminance = (color) => {
  const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
"""
# The contrast (as WCAG counts it) of every text on the first ground behind it that is not clear.
CONTRASTS = (
    "(() => {"
    + LUMINANCE
    + """
    const ground = (e) => {
      const color = getComputedStyle(e).backgroundColor;
      return color === "rgba(0, 0, 0, 0)" && e.parentElement ? ground(e.parentElement) : color;
    };
    return [...document.querySelectorAll("main *, nav *, header *")]
      .filter((e) => e.checkVisibility() && !e.disabled && !e.closest("[aria-disabled=true]")
        && [...e.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
      .map((e) => [luminance(getComputedStyle(e).color), luminance(ground(e))])
      .map((pair) => pair.sort((a, b) => a - b))
      .map(([dark, light]) => (light + 0.05) / (dark + 0.05)); })()"""
)


def lightness(browser: Chromium) -> float:
    """How light the page's ground is, 0 to 1."""
    return float(
        browser.run(
            "(() => {" + LUMINANCE + "return luminance(getComputedStyle(document.body)"
            ".backgroundColor); })()"
        )
    )
