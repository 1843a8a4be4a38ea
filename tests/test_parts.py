"""A count in parts is the count of the whole."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gonuts_cli import Game
from gonuts_cli.arena import parts
from gonuts_cli.arena.parts import count_file
from gonuts_cli.arena.results import Count, encode, results
from gonuts_cli.errors import UnreadableInput
from gonuts_cli.log.reader import RawGame

NAMES = [f'bot {number} {{"event":"game_started"' for number in range(7)]


def log(number: int) -> bytes:
    """Games of two to five bots, which are first seen in any order, with a bot at fault."""
    names = [NAMES[(number * 3 + seat) % 7] for seat in range(2 + number % 4)]
    tags = {"deal": str(number // 2), "tournament": "t" * (1 + number // 18)}
    game = Game(names=names, seed=str(number), game=str(number), tags=tags)
    while game.pending:
        for decision in game.pending:
            if decision.player == number % 3:
                game.choose(decision.player, fault="timeout")
            else:
                game.choose(decision.player, decision.options[-decision.counts[0] :])
    return game.log()


@pytest.fixture(scope="module")
def logs() -> list[bytes]:
    return [log(number) for number in range(24)]


def state(count: Count) -> dict[str, Any]:
    """All that a count holds, orders included."""
    records = np.concatenate([chunk.copy() for chunk in count.tally.chunks()]).tobytes()
    whole = {**count.tally.__dict__, "_records": records, **count.__dict__, "tally": None}
    return {name: list(v.items()) if isinstance(v, dict) else v for name, v in whole.items()}


def counted(logs: list[bytes]) -> Count:
    count = Count(kinds=True)
    count.add_all(RawGame("x", number, 1, 0, data) for number, data in enumerate(logs))
    return count


@pytest.mark.parametrize("cuts", [[0, 24], [12], [1, 2, 3, 17], list(range(25))])
def test_merged_counts_are_the_count_of_all(logs: list[bytes], cuts: list[int]) -> None:
    merged = Count(kinds=True)
    for first, end in zip([0, *cuts], [*cuts, 24], strict=True):
        merged.merge(pickle.loads(pickle.dumps(counted(logs[first:end]))))
    whole = counted(logs)
    assert state(merged).keys() == state(whole).keys()
    for name, value in state(whole).items():
        if name == "ahead":  # the only one whose order says nothing
            assert sorted(state(merged)[name]) == sorted(value)
        else:
            assert state(merged)[name] == value, name
    assert encode(results(merged.ranking(), None)) == encode(results(whole.ranking(), None))


def test_processes_count_what_one_does(logs: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"".join(logs))
    in_parts = count_file(path, 2, part=path.stat().st_size // 3)
    assert in_parts.game_ids == [str(number) for number in range(24)]
    assert encode(results(in_parts.ranking(), None)) == encode(
        results(count_file(path, 1).ranking(), None)
    )


def test_a_line_that_is_wrong_has_its_number_in_the_whole_file(
    logs: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"".join(logs[:20]) + logs[20].replace(b'"scores"', b'"score"'))
    messages = []
    for processes in (1, 2):
        with pytest.raises(UnreadableInput) as caught:
            count_file(path, processes, part=path.stat().st_size // 3)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def _die(*_: object) -> None:
    os._exit(9)


def test_a_process_that_is_killed_is_done_without(
    logs: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"".join(logs))
    monkeypatch.setattr(parts, "_count_part", _die)
    assert state(count_file(path, 2, part=1 << 14)) == state(counted(logs))
