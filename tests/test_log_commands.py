"""`gonuts log list|extract|compact|expand|diff|stats`."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
import zstandard

from gonuts_cli import Game
from gonuts_cli.cli.app import run
from gonuts_cli.log import diff
from gonuts_cli.log.compact import compact_game, is_compact
from gonuts_cli.log.diff import Placed, difference, pairs

VECTORS = Path(__file__).parent / "vectors" / "games"
LOGS = sorted(VECTORS.glob("*.log.jsonl"))
ALL = b"".join(path.read_bytes() for path in LOGS)
GOOD = LOGS[0].read_bytes()
UNFINISHED = GOOD[:5000]

Capture = pytest.CaptureFixture[str]


def parsed(text: str) -> list[dict]:
    return [json.loads(line) for line in text.split("\n")[:-1]]


def played(seed: str, choices: dict[int, int] | None = None, **options: object) -> bytes:
    """A game in which each bid is the first position, but those in `choices` (by their number)."""
    game = Game(seed=seed, **{"players": 2, **options})  # type: ignore[arg-type]
    number = 0
    while game.pending:
        for decision in game.pending:
            choose = decision.options[: decision.counts[0]]
            if decision.decision == "bid":
                number += 1
                choose = ((choices or {}).get(number, 1 + decision.player),)
            game.choose(decision.player, choose)
    return game.log()


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "archive.jsonl"
    path.write_bytes(ALL)
    return path


class TestList:
    def test_a_line_a_game(self, archive: Path, capfd: Capture) -> None:
        assert run(["log", "list", str(archive)]) == 0
        out, err = capfd.readouterr()
        assert err == ""
        assert len(out.splitlines()) == len(LOGS)
        assert out.splitlines()[0] == (
            f"{archive}:1: game c121435f1652f1c4: player-0 25*, player-1 21, 19 rounds"
        )

    @pytest.mark.parametrize("form", ["plain", "compact"])
    def test_json_says_where_a_game_stands(self, form: str, archive: Path, capfd: Capture) -> None:
        if form == "compact":
            archive.write_bytes(b"".join(compact_game(path.read_bytes()) for path in LOGS))
        data = archive.read_bytes()
        assert run(["log", "list", "--json", str(archive)]) == 0
        found = parsed(capfd.readouterr().out)
        assert len(found) == len(LOGS)
        for game, path in zip(found, LOGS, strict=True):
            lines = path.read_bytes().splitlines()
            start, end = json.loads(lines[0]), json.loads(lines[-1])
            assert (game["game"], game["players"]) == (start["game"], start["players"])
            assert [game[key] for key in ("rounds", "scores", "winners")] == [
                end[key] for key in ("rounds", "scores", "winners")
            ]
            assert data[game["offset"] :].startswith(b'{"event":"game_started"')
            assert data[: game["offset"]].count(b"\n") + 1 == game["line"]

    def test_an_unfinished_game_is_listed_as_such(self, tmp_path: Path, capfd: Capture) -> None:
        (tmp_path / "a.jsonl").write_bytes(UNFINISHED)
        assert run(["log", "list", str(tmp_path)]) == 1
        assert capfd.readouterr().out.endswith("player-0, player-1, unfinished\n")

    @pytest.mark.parametrize(
        "ending",
        ['"winners":[5]', '"winners":{}', '"rounds":"x"', '"scores":[1]', '"scores":[0.5,1]'],
    )
    def test_an_ending_that_makes_no_sense_is_named(
        self, ending: str, tmp_path: Path, capfd: Capture
    ) -> None:
        key = ending.partition(":")[0]
        value = r"(\[[^]]*\]|\d+)"
        (tmp_path / "a.jsonl").write_text(
            re.sub(f"{key}:{value}(?=.*digest)", ending, GOOD.decode()) + GOOD.decode()
        )
        assert run(["log", "list", str(tmp_path)]) == 1
        out, err = capfd.readouterr()
        assert "a.jsonl:130:" in err
        assert len(out.splitlines()) == 1


class TestExtract:
    def extracted(self, capfd: Capture, *arguments: str) -> list[bytes]:
        assert run(["log", "extract", *arguments]) == 0
        out = capfd.readouterr().out.encode()
        return [
            b'{"event":"game_started"' + game for game in out.split(b'{"event":"game_started"')[1:]
        ]

    @pytest.mark.parametrize(
        ("options", "wanted"),
        [
            (["--game", "vector/3"], lambda log: b'"game":"vector/3"' in log),
            (
                ["--game", "vector/3", "--game", "vector/4"],
                lambda log: b'"game":"vector/3"' in log or b'"game":"vector/4"' in log,
            ),
            (["--player", "player-5"], lambda log: b'"player-5"' in log),
            (["--fault", "any"], lambda log: b'"fault"' in log),
            (["--fault", "flooded"], lambda log: b'"flooded"' in log),
            (
                ["--fault", "crashed", "--fault", "no_start", "--player", "player-3"],
                lambda log: (b"crashed" in log or b"no_start" in log) and b"player-3" in log,
            ),
        ],
    )
    def test_what_matches_comes_out_as_it_stands(
        self, options: list[str], wanted: object, archive: Path, capfd: Capture
    ) -> None:
        expected = [path.read_bytes() for path in LOGS if wanted(path.read_bytes())]  # type: ignore[operator]
        assert self.extracted(capfd, str(archive), *options) == expected
        assert 0 < len(expected) < len(LOGS)

    def test_winner_and_tags(self, tmp_path: Path, capfd: Capture) -> None:
        games = [
            played("1", names=["ann", "bob"], tags={"site": "here", "fault": "timeout"}),
            played("2", names=["ann", "bob"], tags={"site": "there"}),
            played("3", names=["ann", "bob"]),
        ]
        path = tmp_path / "a.jsonl"
        path.write_bytes(b"".join(games))
        assert self.extracted(capfd, str(path), "--tag", "site") == games[:2]
        assert self.extracted(capfd, str(path), "--tag", "site=there") == games[1:2]
        for name in ("ann", "bob"):
            won = [
                game
                for game in games
                if ["ann", "bob"].index(name) in json.loads(game.splitlines()[-1])["winners"]
            ]
            if won:
                assert self.extracted(capfd, str(path), "--winner", name) == won
        assert run(["log", "extract", str(path), "--fault", "any"]) == 1
        assert "no game matches" in capfd.readouterr().err

    def test_a_compact_game_stays_compact(self, tmp_path: Path, capfd: Capture) -> None:
        path = tmp_path / "a.jsonl"
        compact = [compact_game(log.read_bytes()) for log in LOGS]
        path.write_bytes(b"".join(compact))
        found = self.extracted(capfd, str(path), "--fault", "any")
        assert found == [
            game for game, log in zip(compact, LOGS, strict=True) if "faulty" in log.name
        ]

    def test_no_fault_is_called_so(self, archive: Path, capfd: Capture) -> None:
        assert run(["log", "extract", str(archive), "--fault", "tired"]) == 2
        assert "there are timeout" in capfd.readouterr().err

    def test_a_game_that_breaks_off_does_not_swallow_the_next(
        self, tmp_path: Path, capfd: Capture
    ) -> None:
        one, other = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
        one.write_bytes(UNFINISHED)
        other.write_bytes(GOOD)
        assert self.extracted(capfd, str(one), str(other), "--player", "player-0") == [
            UNFINISHED + b"\n",
            GOOD,
        ]


class TestForms:
    @pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
    def test_there_and_back(self, suffix: str, archive: Path, tmp_path: Path) -> None:
        packed, unpacked = tmp_path / f"c.jsonl{suffix}", tmp_path / f"e.jsonl{suffix}"
        assert run(["log", "compact", str(archive), "-o", str(packed)]) == 0
        assert run(["log", "expand", str(packed), "--out", str(unpacked)]) == 0
        read = {
            "": bytes,
            ".gz": gzip.decompress,
            ".zst": lambda data: zstandard.ZstdDecompressor().stream_reader(data).read(),
        }[suffix]
        assert read(unpacked.read_bytes()) == ALL
        compact = read(packed.read_bytes())
        assert is_compact(compact)
        assert len(compact) * 4 < len(ALL)

    def test_output_bytes_follow_from_the_input(self, archive: Path, tmp_path: Path) -> None:
        for suffix in (".gz", ".zst"):
            made = []
            for name in ("one", "two"):
                path = tmp_path / f"{name}.jsonl{suffix}"
                assert run(["log", "compact", str(archive), "-o", str(path)]) == 0
                made.append(path.read_bytes())
            assert made[0] == made[1]

    def test_what_is_damaged_is_kept_as_it_is(self, tmp_path: Path, capfd: Capture) -> None:
        forged = GOOD.replace(b'"cards":[', b'"cards":[1')
        mixed = tmp_path / "mixed.jsonl"
        mixed.write_bytes(GOOD + forged + GOOD[:-30] + b"\n" + GOOD + b"junk\n" + UNFINISHED)
        assert run(["log", "compact", str(mixed)]) == 1
        out, err = capfd.readouterr()
        assert out.encode().count(compact_game(GOOD)) == 2
        assert forged in out.encode()
        assert len(err.splitlines()) == 4
        assert all("kept as it is" in line for line in err.splitlines())
        packed = tmp_path / "packed.jsonl"
        packed.write_bytes(out.encode())
        assert run(["log", "expand", str(packed)]) == 0
        assert capfd.readouterr().out.encode() == mixed.read_bytes()

    def test_a_damaged_compact_game_is_kept_and_named(self, tmp_path: Path, capfd: Capture) -> None:
        compact = compact_game(GOOD)
        damaged = compact.replace(b'"answers":[', b'"answers":[9,')
        path = tmp_path / "a.jsonl"
        path.write_bytes(compact + damaged + compact)
        assert run(["log", "expand", str(path)]) == 1
        out, err = capfd.readouterr()
        assert out.encode() == GOOD + damaged + GOOD
        assert "a.jsonl:5: kept as it is: round 1: " in err

    def test_what_is_too_long_to_be_kept_is_left_out_aloud(
        self, tmp_path: Path, capfd: Capture
    ) -> None:
        path = tmp_path / "a.jsonl"
        path.write_bytes(GOOD + b"x" * 2_000_000 + b"\n" + GOOD)
        assert run(["log", "compact", str(path)]) == 1
        out, err = capfd.readouterr()
        assert out.encode() == compact_game(GOOD) * 2
        assert "a.jsonl:131: left out: " in err


class TestOutput:
    def test_a_file_is_not_replaced_unasked(self, archive: Path, capfd: Capture) -> None:
        assert run(["log", "compact", str(archive), "-o", str(archive)]) == 2
        assert "the file exists; --force replaces it" in capfd.readouterr().err
        assert archive.read_bytes() == ALL

    def test_a_file_may_be_replaced_by_what_is_read_from_it(self, archive: Path) -> None:
        assert run(["log", "compact", str(archive), "-o", str(archive), "--force"]) == 0
        assert run(["log", "expand", str(archive), "-o", str(archive), "--force"]) == 0
        assert archive.read_bytes() == ALL
        assert [path.name for path in archive.parent.iterdir()] == ["archive.jsonl"]

    def test_nothing_is_left_behind_by_a_failure(
        self, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
    ) -> None:
        def interrupted(data: bytes) -> bytes:
            raise KeyboardInterrupt

        monkeypatch.setattr("gonuts_cli.cli.log_forms.compact_game", interrupted)
        assert run(["log", "compact", str(archive), "-o", str(tmp_path / "out.jsonl")]) == 130
        assert [path.name for path in tmp_path.iterdir()] == ["archive.jsonl"]

    def test_a_full_disk_is_said(self, archive: Path, capfd: Capture) -> None:
        assert run(["log", "expand", str(archive), "-o", "/dev/full"]) == 2
        err = capfd.readouterr().err
        assert "No space left" in err
        assert "Traceback" not in err


class TestDiff:
    def said(self, capfd: Capture, status: int, *arguments: str | Path) -> str:
        assert run(["log", "diff", *map(str, arguments)]) == status
        out, err = capfd.readouterr()
        assert err == ""
        return out

    def test_the_first_decision_where_two_games_part(self, tmp_path: Path, capfd: Capture) -> None:
        a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
        a.write_bytes(played("7", names=["ann", "bob"]))
        b.write_bytes(played("7", {6: 1}, names=["ann", "bob"]))
        said = self.said(capfd, 1, a, b)
        assert "They part at 3:2 (round 3, at its decision 2)." in said
        assert re.search(r"^A, line \d+: bob bids on 2\.$", said, re.M)
        assert re.search(r"^B, line \d+: bob bids on 1\.$", said, re.M)
        assert re.search(r"position 1 to ann: it was the only bid\.$", said, re.M)
        assert re.search(r"position 1 to the discard pile: several bid on it\.$", said, re.M)
        assert (
            len(re.findall(r"In the end: ann -?\d+, bob -?\d+; .* after \d+ rounds\.$", said, re.M))
            == 2
        )
        (line,) = parsed(self.said(capfd, 1, a, b, "--json"))
        assert (line["at"], line["setup"]) == ("3:2", {})
        assert line["a_part"]["event"]["choose"] == [2]
        assert line["b_part"]["event"]["choose"] == [1]

    def test_a_decision_of_a_power_counts_within_its_round(self) -> None:
        log = (VECTORS / "4p-0.log.jsonl").read_bytes()
        lines = log.splitlines(keepends=True)
        powers = [n for n, line in enumerate(lines) if b"decided" in line and b'"bid"' not in line]
        number = powers[0]
        changed = lines.copy()
        changed[number] = lines[number].replace(b"}\n", b',"fault":"timeout"}\n')
        found = difference(log, b"".join(changed))
        assert found is not None
        before = lines[:number]
        rounds = sum(b"round_started" in line for line in before)
        last = max(n for n, line in enumerate(before) if b"round_started" in line)
        ordinal = sum(b'"decided"' in line for line in before[last:]) + 1
        assert (found.round, found.decision) == (rounds, ordinal)

    def test_the_same_game_in_both_forms_is_the_same(self, tmp_path: Path, capfd: Capture) -> None:
        path = tmp_path / "c.jsonl"
        path.write_bytes(compact_game(GOOD))
        assert self.said(capfd, 0, path, LOGS[0]) == "1 the same, 0 different\n"
        assert self.said(capfd, 0, path, LOGS[0], "--json") == ""

    def test_other_decks_part_before_any_decision(self, capfd: Capture) -> None:
        said = self.said(capfd, 1, LOGS[0], LOGS[1])
        assert "The seed commitment:" in said
        assert "They part at 1:1 (round 1, before its decision 1)." in said

    def test_only_the_setup_differs(self, tmp_path: Path, capfd: Capture) -> None:
        log = GOOD.replace(b"player-0", b"\\u202eann")
        (tmp_path / "a.jsonl").write_bytes(log)
        said = self.said(capfd, 1, LOGS[0], tmp_path / "a.jsonl")
        assert "Every other line is the same." in said
        assert '"\\u202eann"' in said

    def test_one_breaks_off(self, tmp_path: Path, capfd: Capture) -> None:
        cut = GOOD.rpartition(b'{"event":"round_started"')[0]
        (tmp_path / "a.jsonl").write_bytes(cut)
        said = self.said(capfd, 1, LOGS[0], tmp_path / "a.jsonl")
        assert "B has no line here: its log ends." in said

    def test_archives(self, tmp_path: Path, capfd: Capture) -> None:
        a = [played(str(n), game=f"g{n}") for n in range(8)]
        b = [a[3], a[0], a[1], played("2", {5: 3}, game="g2"), *a[4:7], played("x", game="new")]
        for name, games in (("a", a), ("b", b)):
            (tmp_path / name).mkdir()
            (tmp_path / name / "games.jsonl").write_bytes(b"".join(games))
        said = self.said(capfd, 1, tmp_path / "a", tmp_path / "b").splitlines()
        assert said[-1] == "6 the same, 3 different"
        assert re.search(r"game g2 and .*:\d+ part at 3:1$", said[0])
        assert sorted(line.split(":")[0] for line in said[1:3]) == ["only in A", "only in B"]
        assert {"g7", "new"} == {line.split()[-1] for line in said[1:3]}

    def test_games_far_apart_are_still_paired(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(diff, "WINDOW", 3)

        def placed(name: str, order: list[int], changed: int) -> list[Placed]:
            return [
                Placed(str(n), name, at, b"%d%s\n" % (n, b"!" * (n == changed)))
                for at, n in enumerate(order, 1)
            ]

        found = list(pairs(placed("a", list(range(20)), -1), placed("b", [*range(19, -1, -1)], 2)))
        assert len(found) == 20
        assert [pair.a.id for pair in found if pair.a and pair.b and not pair.same] == ["2"]
        assert any(pair.far for pair in found)
        assert all(pair.a.id == pair.b.id for pair in found if pair.a and pair.b)

    def test_games_with_the_same_id_are_paired_in_order(self) -> None:
        a = [Placed("x", "a", n, b"%d" % n) for n in range(3)]
        b = [Placed("x", "b", n, b"%d" % n) for n in range(4)]
        found = list(pairs(a, b))
        assert [pair.same for pair in found] == [True, True, True, False]
        assert found[-1].a is None

    def test_damage_is_compared_too(self, tmp_path: Path, capfd: Capture) -> None:
        lines = GOOD.splitlines(keepends=True)
        lines[11] = b'\x1b[2J{"event":[]}\n'
        (tmp_path / "a.jsonl").write_bytes(b"".join(lines))
        said = self.said(capfd, 1, LOGS[0], tmp_path / "a.jsonl")
        assert "They part at 2:1" in said
        assert "\x1b" not in said


class TestStats:
    def rows(self, capfd: Capture, *paths: str | Path) -> list[dict]:
        assert run(["log", "stats", "--json", *map(str, paths)]) == 0
        return parsed(capfd.readouterr().out)

    def test_figures_are_what_counting_by_hand_gives(self, capfd: Capture) -> None:
        rows = self.rows(capfd, *LOGS)
        for players in range(2, 7):
            logs = [
                [json.loads(line) for line in path.read_text().split("\n")[:-1]]
                for path in LOGS
                if path.name.startswith(f"{players}p")
            ]
            mine = [row for row in rows if row["players"] == players]
            (games,) = [row for row in mine if row["table"] == "games"]
            moves = [line for log in logs for line in log if line["event"] == "moved"]
            rounds = [log[-1]["rounds"] for log in logs]
            assert games["games"] == len(logs)
            assert games["rounds"] == pytest.approx(sum(rounds) / len(logs), abs=1e-6)
            assert (games["shortest"], games["longest"]) == (min(rounds), max(rounds))
            collisions = [move for move in moves if move["cause"] == "collision"]
            assert games["collisions_a_round"] == pytest.approx(
                len(collisions) / sum(rounds), abs=1e-6
            )
            faults = Counter(
                (log[0]["players"][line["player"]], line["fault"])
                for log in logs
                for line in log
                if "fault" in line
            )
            assert games["faults"] == faults.total()
            assert {
                (row["name"], row["fault"]): row["count"]
                for row in mine
                if row["table"] == "faults"
            } == faults
            lengths = {r["rounds"]: r["games"] for r in mine if r["table"] == "lengths"}
            assert lengths == Counter(rounds)
            for row in mine:
                if row["table"] == "kinds":
                    taken = [m for m in moves if m["cause"] == "award" and m["card"] == row["kind"]]
                    hit = [m for m in collisions if m["card"] == row["kind"]]
                    assert (row["taken"], row["collided"]) == (len(taken), len(hit))
                    assert row["bid_on"] == row["taken"] + row["collided"] <= row["offered"]

    def test_offers_are_counted_once_a_round_for_each_card(
        self, tmp_path: Path, capfd: Capture
    ) -> None:
        path = tmp_path / "a.jsonl"
        path.write_bytes(played("5", {}, players=3))
        rows = self.rows(capfd, path)
        (games,) = [row for row in rows if row["table"] == "games"]
        offered = sum(row["offered"] for row in rows if row["table"] == "kinds")
        assert offered == 4 * games["rounds"]

    def test_seats_and_shared_wins(self, tmp_path: Path, capfd: Capture) -> None:
        path = tmp_path / "a.jsonl"
        games = [played(str(n), names=["ann", "bob"]) for n in range(6)]
        games += [played(str(n), names=["bob", "ann"]) for n in range(6, 9)]
        path.write_bytes(b"".join(games))
        rows = [row for row in self.rows(capfd, path) if row["table"] == "seats"]
        by_key = {(row["name"], row["seat"]): row for row in rows}
        assert by_key["ann", 0]["games"] == by_key["bob", 1]["games"] == 6
        assert by_key["ann", "all"]["games"] == 9
        wins = sum(row["win_share"] * row["games"] for row in rows if row["seat"] == "all")
        assert wins == pytest.approx(9, abs=1e-4)
        ends = [json.loads(game.splitlines()[-1]) for game in games[:6]]
        assert by_key["ann", 0]["points"] == pytest.approx(
            sum(end["scores"][0] for end in ends) / 6, abs=1e-6
        )

    def test_bad_games_are_named_and_not_counted(self, archive: Path, capfd: Capture) -> None:
        forged = GOOD.replace(b'"winners":[0]', b'"winners":[1]')
        archive.write_bytes(GOOD + forged + UNFINISHED)
        assert run(["log", "stats", "--json", str(archive)]) == 1
        out, err = capfd.readouterr()
        assert parsed(out)[0]["games"] == 1
        assert [line.split(": ")[1] for line in err.splitlines()] == [
            f"{archive}:260",
            f"{archive}:{260 + UNFINISHED.count(chr(10).encode()) + 1}",
        ]

    def test_names_in_csv_cannot_drive_a_terminal(self, tmp_path: Path, capfd: Capture) -> None:
        game = Game(names=["a\u202e", "b\u2066"], seed="names")
        while game.pending:
            for decision in game.pending:
                game.choose(decision.player, decision.options[: decision.counts[0]])
        path = tmp_path / "names.jsonl"
        path.write_bytes(game.log())
        assert run(["log", "stats", "--csv", str(path)]) == 0
        out = capfd.readouterr().out
        assert "a\\u202e" in out
        assert not {"\u202e", "\u2066"} & set(out)

    def test_csv_has_every_figure(self, archive: Path, capfd: Capture) -> None:
        rows = self.rows(capfd, archive)
        assert run(["log", "stats", "--csv", str(archive)]) == 0
        lines = list(csv.DictReader(io.StringIO(capfd.readouterr().out)))
        assert list(lines[0]) == ["table", "players", "key", "seat", "figure", "value"]
        keys = {"games": 2, "seats": 4, "kinds": 3, "lengths": 3, "faults": 4}
        figures = sum(len(row) - keys[row["table"]] for row in rows)
        assert len(lines) == figures

    def test_the_page_is_whole_and_names_cannot_become_markup(
        self, archive: Path, capfd: Capture
    ) -> None:
        name = "<img src=x onerror=alert(1)>"
        archive.write_bytes(ALL + played("1", names=[name, "bob\u202e"]))
        page = archive.parent / "page.html"
        assert run(["log", "stats", "--html", str(page), str(archive)]) == 0
        text = page.read_text()
        assert name not in text
        assert "&lt;img src=x" in text
        assert "\u202e" not in text
        assert "http" not in re.sub("http-equiv", "", text)
        drawn = [table for table in text.split("<table")[1:] if "<svg" in table]
        assert len(drawn) == 4 * 5
        for drawing in re.findall(r"<svg.*?</svg>", text, re.S):
            for bar in ElementTree.fromstring(drawing).iter("rect"):
                start, width = (float(bar.get(key, "0%")[:-1]) for key in ("x", "width"))
                assert 0 <= width <= 100
                assert 0 <= start <= 100.1 - width
        assert run(["log", "stats", "--html", str(page), str(archive)]) == 2
        assert "--force" in capfd.readouterr().err

    def test_one_form_at_a_time(self, archive: Path, capfd: Capture) -> None:
        assert run(["log", "stats", "--json", "--csv", str(archive)]) == 2
        assert "choose one" in capfd.readouterr().err

    def test_the_table_for_people(self, archive: Path, capfd: Capture) -> None:
        assert run(["log", "stats", str(archive)]) == 0
        out = capfd.readouterr().out
        assert out.count(" players: games ") == 5
        assert "Strawberry Glazed" in out
