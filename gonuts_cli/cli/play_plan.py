"""Which game `gonuts play` plays: a new one, one that breaks off, or one that is forked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from gonuts_cli.arena.record import new_file, old_file, read_unfinished, resume
from gonuts_cli.cli.play_setup import Seed
from gonuts_cli.errors import UnreadableInput, UsageError
from gonuts_cli.game import Game
from gonuts_cli.players.run import BotSpec, parse_bot
from gonuts_cli.rules.cards import MAX_PLAYERS
from gonuts_cli.show.safe import printable


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options say of the game; `game` is an id."""

    bots: Sequence[str]
    players: int | None
    seed: Seed
    rulings: Mapping[str, str]
    game: str | None
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """The game to play, who plays, and where its log goes (None: standard output).

    `already` is how many bytes of the log the record holds; it is then gone on with in place.
    `drawn` says that nobody has the seed but us.
    """

    game: Game
    bots: Sequence[BotSpec]
    record: Path | None
    already: int = 0
    in_place: bool = False
    drawn: bool = False

    def open(self, force: bool) -> AbstractContextManager[BinaryIO]:
        """The record, to be written on; one that exists is refused unless `force`."""
        if self.record is None:
            raise ValueError("the log goes to standard output")
        if self.in_place:
            return old_file(self.record, self.already)
        for words in () if force else words_beside(self.record):
            if os.path.isfile(words):
                raise UsageError(
                    f"{words} exists already, with what a bot of another game said; --force "
                    "overwrites it"
                )
        return new_file(self.record, force)


def words_beside(record: Path) -> list[Path]:
    """Where what each seat says on standard error is kept, for as many seats as a game can have."""
    return [record.parent / f"{record.name}.seat{n}.stderr.txt" for n in range(MAX_PLAYERS)]


def new(asked: Asked, record: Path | None) -> Plan:
    """A game from its beginning."""
    bots = read_bots(asked.bots, asked.players)
    return Plan(_anew(asked, bots), bots, record, drawn=asked.seed.drawn)


def resumed(asked: Asked, log: Path, record: Path | None) -> Plan:
    """A game that goes on where its log breaks off, in the same file or in a copy (SPEC §8)."""
    in_place = record is None or (record.exists() and record.samefile(log))
    if in_place and log.exists() and not (log.is_file() or log.is_dir()):
        raise UsageError(f"{log} cannot be gone on with in place: name a file with --record")
    data = read_unfinished(log)

    def anew() -> Game:
        if asked.seed.text is None:
            shown = printable(str(log))
            raise UsageError(f"{shown}: the game goes on only with its seed: --seed or --seed-file")
        return _anew(asked, read_bots(asked.bots, asked.players))

    game, kept = resume(data, asked.seed.text, anew, printable(str(log)))
    bots = read_bots(asked.bots, asked.players or len(game.names))
    _check_names(bots, game)
    if asked.rulings:
        _check_same("--ruling", {**game.rulings._asdict(), **asked.rulings}, game.rulings._asdict())
    _check_same("--tag", asked.tags, game.tags)
    _check_same("--game", asked.game, game.game_id)
    if in_place:
        return Plan(game, bots, log, kept, in_place=True)
    return Plan(game, bots, record)


def forked(asked: Asked, log: Path, at: str, record: Path | None) -> Plan:
    """A recorded game, played on by others from one of its decisions."""
    from gonuts_cli.arena.fork import fork, parse_at
    from gonuts_cli.log.decode import LogError, parse_header

    if asked.rulings:
        raise UsageError("a forked game has the rulings of the game that it comes from")
    data = _one_game(log)
    bots = read_bots(asked.bots, asked.players)
    try:
        players = len(parse_header(data.partition(b"\n")[0]).names)
    except LogError as error:
        raise UnreadableInput(f"{log}, line {error.line}: {error.message}") from None
    if len(bots) != players:
        raise UsageError(
            f"{log}: the game has {players} players, but --bot is given {len(bots)} times"
        )
    named = [bot.name for bot in bots]
    game = fork(
        data,
        parse_at(at),
        names=[name or f"player-{seat}" for seat, name in enumerate(named)],
        seed=asked.seed.text,
        game_id=asked.game,
        tags=asked.tags,
        name=printable(str(log)),
    )
    return Plan(game, bots, record)


def read_bots(texts: Sequence[str], players: int | None) -> list[BotSpec]:
    """The bots by seat; without any, all are on standard input (SPEC §8)."""
    if not texts:
        if players is None:
            raise UsageError("say who plays: --bot for each seat, or --players N to play on stdin")
        return [BotSpec("stdin", ()) for _ in range(players)]
    if players not in (None, len(texts)):
        raise UsageError(f"there are {players} players, but --bot is given {len(texts)} times")
    bots = [parse_bot(text) for text in texts]
    if {"stdin", "human"} <= {bot.kind for bot in bots}:
        raise UsageError("`stdin` and `human` read the same input: not both in one game")
    return bots


def _anew(asked: Asked, bots: Sequence[BotSpec]) -> Game:
    names = [bot.name or f"player-{seat}" for seat, bot in enumerate(bots)]
    return Game(
        names=names,
        seed=asked.seed.text,
        rulings=asked.rulings,
        game=asked.game,
        tags=asked.tags,
    )


def _check_names(bots: Sequence[BotSpec], game: Game) -> None:
    if len(bots) != len(game.names):
        raise UsageError(f"the log has {len(game.names)} players, not {len(bots)}")
    for seat, (bot, name) in enumerate(zip(bots, game.names, strict=True)):
        if bot.name not in (None, name):
            raise UsageError(f"seat {seat} is {name} in the log, not {bot.name}")


def _check_same(option: str, asked: object, recorded: object) -> None:
    if asked and asked != recorded:
        raise UsageError(f"{option}: the log says {recorded!r}; it cannot change in mid-game")


def _one_game(path: Path) -> bytes:
    from gonuts_cli.log.compact import expand_game, is_compact
    from gonuts_cli.log.reader import open_log, read_games

    with open_log(str(path)) as source:
        games = [raw.data for raw, _ in zip(read_games(source, str(path)), range(2), strict=False)]
    if len(games) != 1:
        held = "no game" if not games else "several games: take one with `gonuts log extract`"
        raise UnreadableInput(f"{path} holds {held}")
    return expand_game(games[0]) if is_compact(games[0]) else games[0]
