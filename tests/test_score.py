"""`gonuts score`: what it writes for a line, and what it says of a bad one."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gonuts_cli.cli import score as command
from gonuts_cli.cli.score import score_line
from gonuts_cli.errors import GonutsError, UnreadableInput

VECTORS = (Path(__file__).parent / "vectors" / "scores.jsonl").read_bytes().splitlines()


class Pipes:
    """Standard input, output and error as `gonuts score` finds them."""

    def __init__(self, given: bytes) -> None:
        self.stdin = io.TextIOWrapper(io.BytesIO(given))
        self.stdout = io.TextIOWrapper(io.BytesIO())
        self.stderr = io.StringIO()

    def written(self) -> list[bytes]:
        return self.stdout.buffer.getvalue().splitlines()  # type: ignore[attr-defined]


def run(monkeypatch: pytest.MonkeyPatch, given: bytes) -> tuple[list[bytes], str, str | None]:
    pipes = Pipes(given)
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(f"sys.{name}", getattr(pipes, name))
    ending = None
    try:
        command.score()
    except UnreadableInput as error:
        ending = str(error)
    return pipes.written(), pipes.stderr.getvalue(), ending


@pytest.mark.parametrize("line", VECTORS)
def test_the_vectors_with_their_order_of_kinds(line: bytes) -> None:
    vector = json.loads(line)
    counted = json.loads(score_line(line))
    assert list(counted) == ["points", "scores", "cards", "winners"]
    assert counted["scores"] == vector["scores"]
    assert json.dumps(counted["points"]) == json.dumps(vector["points"])
    assert counted["cards"] == [sum(tableau.values()) for tableau in vector["tableaus"]]


def test_one_line_as_it_is_written() -> None:
    assert score_line(b'{"tableaus":[{"plain":2,"glazed":0},{}]}') == (
        b'{"points":[{"plain":5},{}],"scores":[5,0],"cards":[2,0],"winners":[0]}\n'
    )


def test_ties_are_broken_by_cards_then_shared() -> None:
    tied = {"tableaus": [{"plain": 1, "eclair": 2}, {"glazed": 2, "eclair": 1}, {"glazed": 2}]}
    assert json.loads(score_line(json.dumps(tied).encode()))["winners"] == [0, 1]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"nonsense", "not JSON"),
        (b"[" * 60_000, "not JSON"),
        (b"\x00", "not JSON"),
        (b'{"tableaus":[{"\xff":1},{}]}', "not JSON"),
        (b"[]", "expected an object"),
        (b"{}", "expected an object"),
        (b'{"tableaus":{}}', "2 to 6 objects"),
        (b'{"tableaus":[{"plain":1}]}', "2 to 6 objects"),
        (b'{"tableaus":[{},{},{},{},{},{},{}]}', "2 to 6 objects"),
        (b'{"tableaus":[{},[]]}', "tableau 1 must be an object"),
        (b'{"tableaus":[{},{"muffin":1}]}', "tableau 1: there is no card called 'muffin'"),
        (b'{"tableaus":[{"plain":8},{}]}', "plain must be a whole number from 0 to 7"),
        (b'{"tableaus":[{"plain":-1},{}]}', "from 0 to 7"),
        (b'{"tableaus":[{"plain":true},{}]}', "from 0 to 7"),
        (b'{"tableaus":[{"plain":1.0},{}]}', "from 0 to 7"),
        (b'{"tableaus":[{"plain":1' + b"0" * 400 + b"},{}]}", "not JSON"),
        (b'{"tableaus":[{},{}],"rulings":[]}', "rulings must be an object"),
        (b'{"tableaus":[{},{}],"rulings":{"ties":"none"}}', "no ruling is called 'ties'"),
        (b'{"tableaus":[{},{}],"rulings":{"twist_empty":"x"}}', "cancel or others_pass"),
        (b'{"tableaus":[{},{}],"rulings":{"twist_empty":{}}}', "cancel or others_pass"),
        (b" " * 65_537, "longer than 65536 bytes"),
    ],
)
def test_a_bad_line_is_explained(line: bytes, says: str) -> None:
    with pytest.raises(GonutsError, match=says) as caught:
        score_line(line)
    assert caught.value.exit_status == 2


def test_bad_lines_are_named_and_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    good = b'{"tableaus":[{"plain":1},{}]}'
    given = b"\n".join(
        [good, b"", b"bad", b"x" * 200_000, b'{"tableaus":[{},{"\\u202e":1}]}', good]
    )
    written, said, ending = run(monkeypatch, given)
    assert written == [score_line(good).rstrip()] * 2
    lines = said.splitlines()
    assert [line.split(":")[:2] for line in lines] == [
        ["gonuts", " line 3"],
        ["gonuts", " line 4"],
        ["gonuts", " line 5"],
    ]
    assert "\u202e" not in said
    assert ending == "3 lines could not be scored"


def test_no_input_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, b"") == ([], "", None)
    assert run(monkeypatch, b"\n  \n") == ([], "", None)


def test_the_command_ends_as_the_others_and_loads_little() -> None:
    check = (
        "import sys; sys.argv = ['gonuts', 'score']\n"
        "from gonuts_cli.__main__ import main\n"
        "try: main()\n"
        "finally: assert not {'typer', 'click', 'gonuts_cli.game'} & set(sys.modules)"
    )
    for given, status in ((b'{"tableaus":[{},{}]}\n', 0), (b"bad\n", 2), (b"", 0)):
        done = subprocess.run(
            [sys.executable, "-c", check], input=given, capture_output=True, check=False
        )
        assert done.returncode == status
        assert b"Traceback" not in done.stderr
    assert subprocess.run([sys.executable, "-m", "gonuts_cli", "score", "extra"]).returncode == 2
