"""`gonuts replay`: show a game to people (SPEC §8)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import orjson
import typer

from gonuts_cli.cli.archives import Reading, say
from gonuts_cli.errors import UsageError
from gonuts_cli.log.compact import expand_game, is_compact
from gonuts_cli.log.decode import LogError
from gonuts_cli.log.reader import RawGame
from gonuts_cli.log.validate import validate_game
from gonuts_cli.show.lang import Lang
from gonuts_cli.show.paint import Paint
from gonuts_cli.show.safe import printable
from gonuts_cli.show.text import Beat, Story


def replay(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A log, a folder of logs, or -.")],
    game: Annotated[
        str | None, typer.Option("--game", metavar="ID", help="Only the game with this id.")
    ] = None,
    lang: Annotated[Lang, typer.Option("--lang", help="The language to tell it in.")] = "en",
    step: Annotated[bool, typer.Option("--step", help="Go through it key by key.")] = False,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page that shows the games instead."),
    ] = None,
) -> None:
    """Tell games in words.

    Every round, what the powers did, and the final count.

    [ROUND:DECISION] behind a line is what `gonuts play --fork LOG --at` takes.
    """
    if step and html is not None:
        raise UsageError("--step is for the terminal, --html for a file: choose one of them")
    if html is not None and path != "-" and html.exists() and os.path.samefile(path, html):
        raise UsageError(f"{html}: this is the log itself; write the page to another file")
    shelf = _Shelf(path, game)
    if html is not None:
        _write_page(shelf, html, lang)
    elif step:
        _step(shelf, lang)
    else:
        paint = Paint.of(sys.stdout)
        for told, raw in enumerate(shelf):
            if told:
                print()
            for beat in _beats(raw.data, lang, paint):
                print("\n".join(beat.lines))
            sys.stdout.flush()
    shelf.end()


class _Shelf:
    """The games to show, each cut before its first line at fault, which is then named.

    Going through them raises UsageError at the end when the one game wanted was not there.
    `fault` is what is wrong after the lines of the game that was given last, or None.
    """

    def __init__(self, path: str, only: str | None) -> None:
        self._reading = Reading([path], progress=False)
        self._only = only
        self._bad = 0
        self._found = 0
        self.fault: str | None = None

    def __iter__(self) -> Iterator[RawGame]:
        for raw in self._reading:
            game, fault = _checked(raw)
            if self._only is not None and _game_id(game.data) != self._only:
                continue
            self._found += 1
            self.fault = fault
            if game.data:
                yield game
            if fault is not None:
                self._bad += 1
                say(fault)
        if self._only is not None and not self._found and not self._reading.unreadable:
            raise UsageError(f"there is no game {printable(self._only)!r}")

    def end(self) -> None:
        """End the command as SPEC §8 wants it."""
        self._reading.end(self._bad)


def _checked(raw: RawGame) -> tuple[RawGame, str | None]:
    """The game as far as the rules give it, in the full form, and what is wrong after that."""
    if is_compact(raw.data):
        try:
            return raw._replace(data=expand_game(raw.data)), None
        except LogError as error:
            line = raw.first_line + error.line - 1
            return raw._replace(data=b""), f"{raw.file}:{line}: {error.message}"
    verdict = validate_game(raw)
    if verdict.ok:
        return raw, None
    good = verdict.line - raw.first_line
    lines = b"".join(line + b"\n" for line in raw.data.split(b"\n")[:good])
    return raw._replace(data=lines), f"{raw.file}:{verdict.line}: {verdict.message}"


def _game_id(data: bytes) -> str | None:
    """The id that good lines tell; None where not even the first line is good."""
    if not data:
        return None
    found: str = orjson.loads(data.partition(b"\n")[0])["game"]
    return found


def _beats(data: bytes, lang: Lang, paint: Paint) -> Iterator[Beat]:
    """The story of a game's good lines."""
    lines = data.removesuffix(b"\n").split(b"\n")
    story = Story(orjson.loads(lines[0]), lang, paint)
    yield story.opening()
    event = None
    for line in lines[1:]:
        event = orjson.loads(line)
        yield from story.feed(event)
    if event is None or event["event"] != "game_ended":
        yield from story.breaks_off()


def _step(shelf: Iterable[RawGame], lang: Lang) -> None:
    from gonuts_cli.show.step import step_through, terminal_keys

    with terminal_keys() as keys:
        paint = Paint.of(sys.stdout)
        for raw in shelf:
            names = orjson.loads(raw.data.partition(b"\n")[0])["players"]
            beats = list(_beats(raw.data, lang, paint))
            if not step_through(beats, names, keys, sys.stdout, lang, paint):
                return


def _write_page(shelf: _Shelf, html: Path, lang: Lang) -> None:
    from gonuts_cli.show.html.page import write_page

    if html.exists() and not html.is_file():  # a device or a pipe: it is written, not replaced
        with html.open("w", encoding="utf-8", newline="\n") as out:
            write_page(((raw, shelf.fault) for raw in shelf), out, lang=lang)
        return
    # Written beside and put in place when it is whole: what breaks off leaves the old page.
    draft = html.with_name(f".{html.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as out:
            written = write_page(((raw, shelf.fault) for raw in shelf), out, lang=lang)
        if written:
            draft.replace(html)
    except OSError as error:
        if error.filename == str(draft):
            error.filename = str(html)
        raise
    finally:
        draft.unlink(missing_ok=True)
