"""tournament.toml: what it says is what is played, and what is wrong is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonuts_cli.arena.config import OPTIONS, load, parse
from gonuts_cli.arena.settings import BotSettings, Settings, differences
from gonuts_cli.errors import GonutsError, UnreadableInput, UsageError

EXAMPLE = Path(__file__).parent.parent / "docs" / "tournament.toml"
HERE = Path("/somewhere/tournament.toml")


def test_a_whole_file_is_read() -> None:
    config = parse(
        """
        deals = 100
        stop_when_decided = 0.95
        out = "results"
        sandbox_read = ["lib"]
        [rulings]
        twist_empty = "others_pass"
        [[bot]]
        name = "ann"
        command = "python3 'my bot.py'"
        folder = "ann"
        team = "t"
        [[bot]]
        name = "bob 🍩"
        command = ["./bob", "--fast"]
        [[bot]]
        name = "greedy"
        command = "builtin:greedy"
        """,
        HERE,
    )
    assert config.options == {
        "deals": 100,
        "stop_when_decided": 0.95,
        "out": "/somewhere/results",
        "sandbox_read": ["/somewhere/lib"],
    }
    assert config.rulings == {"twist_empty": "others_pass"}
    assert config.bots == [
        BotSettings("ann", "process", ("python3", "my bot.py"), "/somewhere/ann", "t"),
        BotSettings("bob 🍩", "process", ("./bob", "--fast"), "/somewhere", own=False),
        BotSettings("greedy", "builtin", ("greedy",)),
    ]


def test_the_example_is_a_whole_configuration() -> None:
    config = load(EXAMPLE)
    assert len(config.bots) >= 2
    text = EXAMPLE.read_text()
    assert all(option in text for option in OPTIONS), "every option is shown"


@pytest.mark.parametrize(
    ("text", "line", "remedy"),
    [
        ("deals = 10\ntabel = 4", 2, "did you mean table?"),
        ("\n\ndeals = 'many'", 3, "a whole number from 1 to 1000000000"),
        ("deals = 0", 1, "from 1 to"),
        ("move_ms = 1000000001", 1, "from 1 to 1000000000"),
        ("cpu_seconds = 18446744073709551616", 1, "from 1 to 1000000000"),
        ("workers = 1025", 1, "from 1 to 1024"),
        ("pin = 1", 1, "true or false"),
        ("deals = 10\nstop-when-decided = 0.9", 2, "did you mean stop_when_decided?"),
        ("[rulings]\n\ntwist_empty = 'never'", 3, "cancel or others_pass"),
        ("[rulings]\ntwist = 'cancel'", 2, "there are"),
        ("rulings.twist_empty = 'never'", 1, "cancel or others_pass"),
        ("rulings = 1", 1, "[rulings]"),
        ("[bot]\nname = 'a'", 1, "[[bot]]"),
        ("[[bot]]\nname = 'a'\ncommand = 'x'\n[[bot]]\nname = 'b'", 4, "add command"),
        ("[[bot]]\nname = 'a'\ncommand = 'x'\n[[bot]]\nname = 2\ncommand = 'y'", 5, "in quotes"),
        ("[[bot]]\ncommand = 'x'\nname = ''", 3, "1 to 64"),
        ("[[bot]]\nname = 'a'\ncommand = \"x 'y\"", 3, "cannot be split"),
        ("[[bot]]\nname = 'a'\ncommand = []", 3, "list of them"),
        ("[[bot]]\nname = 'a'\ncommand = 'human'", 3, "played by programs"),
        ("[[bot]]\nname = 'a'\ncommand = 'x'\nteams = 't'", 4, "did you mean team?"),
        ("[[bot]]\nname = 'a'\ncommand = 'x'\nmove_ms = 9", 4, "stand above the first [[bot]]"),
        ("deals = 10\nseed = ", 2, "TOML"),
        ("deals = 10\ndeals = 11", 2, "TOML"),
        ("sandbox_read = [1]", 1, "a list of texts"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text, HERE)
    assert f"line {line}" in str(caught.value)
    assert remedy in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="nowhere"):
        load(tmp_path / "nowhere.toml")
    bad = tmp_path / "latin.toml"
    bad.write_bytes(b"# fine\nseed = '\xe9'")
    with pytest.raises(UnreadableInput, match="line 2"):
        load(bad)


def settings(**changes: object) -> Settings:
    bots = (BotSettings("a", "builtin", ("random",)), BotSettings("b", "process", ("b",)))
    whole: dict[str, object] = {"bots": bots, "table": 2, "seed": "1", **changes}
    return Settings(**whole)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"bots": (BotSettings("a", "builtin", ("random",)),)},
        {"bots": (BotSettings("a", "builtin", ("random",)),) * 2},
        {"table": 1},
        {"table": 7},
        {"table": 3},
        {"seed": ""},
        {"rulings": {"twist_empty": "no"}},
        {"stop_when_decided": 1.0},
        {"stop_when_decided": 0.0},
    ],
)
def test_settings_that_cannot_be_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(GonutsError):
        settings(**changes)


def test_settings_survive_the_way_to_a_worker() -> None:
    import json

    whole = settings(rulings={"twist_empty": "others_pass"}, stop_when_decided=0.9)
    assert Settings.from_json(json.loads(json.dumps(whole.to_json()))) == whole


def test_what_differs_is_said_in_words() -> None:
    before = settings().fingerprint()
    other = (BotSettings("a", "builtin", ("random",)), BotSettings("c", "process", ("c",)))
    assert differences(before, settings().fingerprint()) == []
    assert differences(before, settings(seed="2").fingerprint()) == ["the seed"]
    assert "1" not in before.values(), "the seed is not in it"
    assert differences(before, settings(bots=other).fingerprint()) == [
        "bot 'b' is gone",
        "bot 'c' is new",
    ]
    assert differences(before, settings(fresh_bots=True).fingerprint()) == [
        "fresh_bots: False before, True now"
    ]
    turned = settings(bots=settings().bots[::-1])
    assert differences(before, turned.fingerprint()) == ["the order of the bots"]
    unusual = settings(rulings={"twist_empty": "others_pass"}).fingerprint()
    assert differences(unusual, before) == [
        "rulings.twist_empty: others_pass before, the default now"
    ]


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    there = BotSettings("a", "builtin", ("random",))
    for bot in (
        BotSettings("b", "process", ("no-such-program-anywhere",)),
        BotSettings("b", "process", ("./bot",), str(tmp_path)),
        BotSettings("b", "process", ("sh",), str(tmp_path / "gone")),
        BotSettings("b", "builtin", ("nobody",)),
    ):
        with pytest.raises(UsageError, match=r"'b'|builtin:nobody"):
            settings(bots=(there, bot)).require_commands()
    (tmp_path / "bot").write_text("#!/bin/sh\n")
    (tmp_path / "bot").chmod(0o755)
    settings(
        bots=(there, BotSettings("b", "process", ("./bot",), str(tmp_path)))
    ).require_commands()
