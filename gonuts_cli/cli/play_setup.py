"""What `gonuts play` makes of its options before the first card is dealt."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gonuts_cli.cli.common import CONFINED_ONLY
from gonuts_cli.errors import UsageError
from gonuts_cli.game import draw_seed
from gonuts_cli.players.base import Seat
from gonuts_cli.players.notes import Notes
from gonuts_cli.players.process import ProcessSeat
from gonuts_cli.players.programs import find_program
from gonuts_cli.players.run import BotSpec, Run
from gonuts_cli.rules.texts import check_text
from gonuts_cli.show.lang import Lang
from gonuts_cli.show.paint import Paint
from gonuts_cli.show.safe import printable

if TYPE_CHECKING:
    from gonuts_cli.cli.play_plan import Plan
    from gonuts_cli.players.channel import Channel
    from gonuts_cli.players.human import HumanTable

SAFE_SEED = 32
"""Characters: a given seed that is shorter might be guessed by trying (SPEC §2)."""


@dataclass(frozen=True, slots=True)
class Seed:
    """The game's seed. `given` says that a person chose it, `drawn` that only we know it."""

    text: str | None
    given: bool = False
    drawn: bool = False


def read_seed(text: str | None, file: Path | None, *, known: bool) -> Seed:
    """The seed of `--seed` or `--seed-file`, or a drawn one (SPEC §8).

    A file that does not exist is made with a drawn seed, for nobody else to read. With `known` the
    seed is that of a game already begun: then none is drawn, and the file must exist.
    """
    if text is not None:
        if file is not None:
            raise UsageError("give the seed with --seed or with --seed-file, not both")
        return Seed(check_text(text, "a seed", 128), given=True)
    if file is None:
        return Seed(None) if known else Seed(draw_seed(), drawn=True)
    try:
        with file.open("rb") as source:
            content = source.read(_LONGEST_SEED_FILE)
    except FileNotFoundError:
        if known:
            raise UsageError(f"{file}: no such file; the game goes on only with its seed") from None
        return Seed(_make_seed_file(file))
    try:
        seed = content.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise UsageError(f"{file}: the seed is not UTF-8 text") from None
    return Seed(check_text(seed, f"{file}: the seed", 128), given=True)


_LONGEST_SEED_FILE = 4096
"""Bytes that are read of a seed file: more than any seed takes, so a longer file is refused."""


def _make_seed_file(file: Path) -> str:
    seed = draw_seed()
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as made:
        made.write(f"{seed}\n")
    return seed


@dataclass(frozen=True, slots=True)
class Cage:
    """`--sandbox` and what belongs to it; `forbid` are files that no bot may read."""

    wanted: bool
    reads: Sequence[Path] = ()
    memory: int | None = None
    cpu: int | None = None
    forbid: list[Path] = field(default_factory=list)

    def check(self) -> None:
        """Raise UsageError when the options do not fit together or nothing can be confined here."""
        if self.wanted:
            from gonuts_cli.players import sandbox

            sandbox.require()
        elif self.reads or self.memory is not None or self.cpu is not None:
            raise UsageError(CONFINED_ONLY)

    def command(self, bot: BotSpec) -> Sequence[str]:
        """The command that runs a process bot; raises UsageError when there is no such program."""
        if self.wanted:
            from gonuts_cli.players import sandbox

            return sandbox.wrap(
                list(bot.command),
                reads=self.reads,
                forbid=self.forbid,
                memory_mib=self.memory,
                cpu_seconds=self.cpu,
            )
        find_program(bot.command[0])
        return bot.command


def warn_of_short_seed(
    seed: Seed, bots: Sequence[BotSpec], say: Callable[[str], None], remedy: str
) -> None:
    """The commitment hides only what cannot be guessed (SPEC §2); `remedy` ends the sentence."""
    processes = any(bot.kind == "process" for bot in bots)
    if processes and seed.given and seed.text is not None and len(seed.text) < SAFE_SEED:
        say(
            f"warning: a seed under {SAFE_SEED} characters can be guessed by a bot from its "
            f"commitment; for a contest give none{remedy}"
        )


class Seats:
    """The seats of one game of `play`, their processes started; raises UsageError if one fails.

    A seat that is out, in a game that is resumed or forked, and all seats of a game that is over,
    are not started any more.
    """

    def __init__(
        self,
        run: Run,
        plan: Plan,
        cage: Cage,
        prompt: Callable[[bytes], None] | None,
        show: Callable[[str], None],
        lang: Lang,
    ) -> None:
        self._plan = plan
        self._prompt = prompt
        self._show = show
        self._lang = lang
        self._channel: Channel | None = None
        self._people: HumanTable | None = None
        self.seats: list[Seat] = []
        for bot in plan.bots:
            command = cage.command(bot) if bot.kind == "process" else None
            self.seats.append(self._terminal(run, bot) or run.seat(bot, command=command))
        for number, seat in enumerate(self.seats):
            playing = not plan.game.over and not plan.game.is_out(number)
            if playing and isinstance(seat, ProcessSeat):
                seat.start()

    def _terminal(self, run: Run, bot: BotSpec) -> Seat | None:
        if bot.kind == "stdin":
            from gonuts_cli.players.channel import Channel

            self._channel = self._channel or Channel(run.hub, self._prompt)
            return self._channel.seat()
        if bot.kind == "human":
            from gonuts_cli.players.human import HumanTable

            paint = Paint.of(sys.stderr)
            self._people = self._people or HumanTable(run.hub, self._show, self._lang, paint)
            return self._people.seat()
        return None

    def end(self) -> None:
        """After the game: raises UnfinishedGame when standard input goes on."""
        if self._channel is not None:
            self._channel.end()

    def keep_notes(self) -> None:
        """Put what the bots said on standard error beside the record (SPEC §5).

        What those of an earlier game said that was recorded there goes; in a game that goes on in
        its file, what was said before stays.
        """
        from gonuts_cli.arena.folder import read_usual, write_whole
        from gonuts_cli.cli.play_plan import words_beside

        record = self._plan.record
        if record is None or not record.is_file():
            return
        for number, path in enumerate(words_beside(record)):
            seat = self.seats[number] if number < len(self.seats) else None
            if isinstance(seat, ProcessSeat) and len(seat.notes):
                try:
                    notes = Notes()
                    # What is wrong with a folder, writing tells.
                    earlier = b"" if path.is_dir() else read_usual(path)
                    if self._plan.in_place:
                        notes.add(earlier)
                    notes.add(seat.notes.content())
                    write_whole(path, notes.content())
                except OSError as error:  # How the game went matters more.
                    words = f"{path}: {error.strerror}: what seat {number} said is not kept"
                    print(f"gonuts: {printable(words)}", file=sys.stderr)
            elif not self._plan.in_place and os.path.isfile(path):
                with suppress(OSError):
                    path.unlink()
