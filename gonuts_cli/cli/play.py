"""`gonuts play`: referee one game (SPEC §6, §8)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from gonuts_cli.arena.record import emptied, into, new_file
from gonuts_cli.arena.referee import SeatReport
from gonuts_cli.arena.referee import play as referee
from gonuts_cli.cli import common
from gonuts_cli.cli.options import (
    MOVE_MS,
    SANDBOX_READ,
    START_MS,
    USUAL_LIMITS,
    CpuSeconds,
    GameMs,
    Memory,
    Ruling,
    SeedText,
)
from gonuts_cli.cli.play_plan import Asked, Plan, forked, new, resumed, words_beside
from gonuts_cli.cli.play_result import Timings, result_message, result_text, seats_text
from gonuts_cli.cli.play_setup import Cage, Seats, read_seed, warn_of_short_seed
from gonuts_cli.errors import UnfinishedGame, UsageError
from gonuts_cli.log.encode import LogWriter
from gonuts_cli.players.base import Limits
from gonuts_cli.players.run import Run
from gonuts_cli.rules.cards import MAX_PLAYERS, MIN_PLAYERS
from gonuts_cli.show.lang import Lang
from gonuts_cli.show.safe import printable


def play(
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            "-b",
            metavar="BOT",
            help="Who sits in the next seat: a command line, builtin:greedy (random, sly), human "
            "or stdin; NAME= may stand before it.",
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            "-p",
            metavar="N",
            min=MIN_PLAYERS,
            max=MAX_PLAYERS,
            help="How many play; without --bot all of them do on standard input.",
        ),
    ] = None,
    seed: SeedText = None,
    seed_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Holds the seed; made with a drawn one if it is not there."
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record", "-o", metavar="FILE", help="Write the log here; the output has the result."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")] = False,
    ruling: Ruling = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Noted in the log: site=Paris, say."),
    ] = None,
    game: Annotated[str | None, typer.Option(metavar="ID", help="The game's id.")] = None,
    start_ms: Annotated[int, START_MS] = USUAL_LIMITS.start_ms,
    move_ms: Annotated[int, MOVE_MS] = USUAL_LIMITS.move_ms,
    game_ms: GameMs = None,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="Confine strangers' bots.")] = False,
    sandbox_read: Annotated[list[Path] | None, SANDBOX_READ] = None,
    memory: Memory = None,
    cpu_seconds: CpuSeconds = None,
    prompt: Annotated[
        bool, typer.Option("--prompt", help="Write what stdin is asked to the output.")
    ] = False,
    resume: Annotated[
        Path | None, typer.Option(metavar="LOG", help="Go on with a log that breaks off.")
    ] = None,
    fork: Annotated[
        Path | None, typer.Option(metavar="LOG", help="Play a recorded game on, from --at.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="ROUND[:DECISION]", help="Where the fork begins, as `gonuts replay` shows it."
        ),
    ] = None,
    timings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write how long every answer took, as JSON lines."),
    ] = None,
    lang: Annotated[Lang, typer.Option(help="The language for `human`.")] = "en",
    json: Annotated[bool, typer.Option("--json", help="The result as a JSON line.")] = False,
) -> None:
    """Referee one game, and write its log.

    It is played by programs, by people, by bots that come with gonuts, or from standard input.
    """
    from gonuts_cli.players.keeper import claim_process

    claim_process()
    if (fork is None) != (at is None):
        raise UsageError("--fork LOG and --at ROUND[:DECISION] belong together")
    if fork is not None and resume is not None:
        raise UsageError("a game is resumed or forked, not both")
    source = resume or fork
    common.require_different({"--seed-file": seed_file, "--record": record, "--timings": timings})
    common.require_different({"--seed-file": seed_file, "--resume": resume, "--timings": timings})
    for written in record, resume:
        beside = [] if written is None else words_beside(written)
        said = {f"what seat {seat} says": path for seat, path in enumerate(beside)}
        common.require_different({"--seed-file": seed_file, "--timings": timings, **said})
    seed_is = read_seed(seed, seed_file, known=source is not None)
    secrets = [path for path in (record, seed_file, source, timings) if path is not None]
    cage = Cage(sandbox, sandbox_read or (), memory, cpu_seconds, secrets)
    cage.check()
    rulings, tags = common.rulings(ruling or ()), common.pairs(tag or (), "--tag", "KEY=VALUE")
    asked = Asked(bot or (), players, seed_is, rulings, game, tags)
    if resume is not None:
        plan = resumed(asked, resume, record)
    elif fork is not None and at is not None:
        plan = forked(asked, fork, at, record)
    else:
        plan = new(asked, record)
    or_else = ", or --seed-file with a name that is not there yet"
    warn_of_short_seed(seed_is, plan.bots, _say, or_else)
    reports = _play(plan, Limits(start_ms, move_ms, game_ms), cage, prompt, lang, timings, force)
    told = seats_text(plan.game, reports)
    if told:
        print(told, file=sys.stderr)
    if plan.record is not None:
        if json:
            common.write_json(result_message(plan.game))
        else:
            print(result_text(plan.game))


def _play(
    plan: Plan,
    limits: Limits,
    cage: Cage,
    prompt: bool,
    lang: Lang,
    timings: Path | None,
    force: bool,
) -> Sequence[SeatReport]:
    """Start the bots, open the files, play: in this order, so that a failure leaves nothing."""
    with ExitStack() as stack:
        run = stack.enter_context(Run())
        output = _Output(plan)
        seats = Seats(run, plan, cage, output.prompt if prompt else None, output.show, lang)
        record = None if plan.record is None else stack.enter_context(plan.open(force))
        timed = None if timings is None else stack.enter_context(new_file(timings, force))
        # All is open: only now may what stood in the files go.
        if record is not None:
            emptied(record)
        times = None if timed is None else Timings(plan.game, into(emptied(timed)))
        write: Callable[[bytes], object] = output.write if record is None else into(record)
        stack.callback(seats.keep_notes)  # A record that is refused keeps its own.
        try:
            report = referee(
                plan.game,
                seats.seats,
                sink=LogWriter(plan.game, write, plan.already),
                limits=limits,
                hub=run.hub,
                observe=times.exchange if times is not None else None,
            )
        except (UnfinishedGame, KeyboardInterrupt, OSError):
            _say_how_to_go_on(plan)
            raise
        finally:
            output.release()
        if times is not None:
            times.totals(report.seats)
        seats.end()
        return report.seats


class _Output:
    """Standard output, for the log without --record and for prompts.

    On a terminal at which a person plays, the log is held back until the game is over: it would
    stand between the lines that they are to read.
    """

    def __init__(self, plan: Plan) -> None:
        self._out = sys.stdout.buffer
        person = any(bot.kind == "human" for bot in plan.bots)
        self._held: list[bytes] | None = [] if person and self._out.isatty() else None

    def write(self, data: bytes) -> None:
        """A piece of the log, handed to the system at once."""
        if self._held is not None:
            self._held.append(data)
        else:
            self.prompt(data)

    def prompt(self, data: bytes) -> None:
        """A line that nobody holds back."""
        self._out.write(data)
        self._out.flush()

    def show(self, text: str) -> None:
        """Something for a person who plays."""
        print(text, end="", file=sys.stderr, flush=True)

    def release(self) -> None:
        """Write what was held back."""
        held, self._held = self._held, None
        for data in held or ():
            self.prompt(data)


def _say(text: str) -> None:
    print(f"gonuts: {printable(text)}", file=sys.stderr)


def _say_how_to_go_on(plan: Plan) -> None:
    """The seed of an unfinished game is in no log: tell it when nobody else can know it."""
    if plan.record is not None:
        seed = f"--seed {plan.game.seed}" if plan.drawn else "its seed"
        _say(f"the game goes on with --resume {plan.record}, {seed} and the same bots and limits")
