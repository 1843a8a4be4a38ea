"""`gonuts tournament`: play a schedule, keep it, rank the bots (SPEC §8)."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gonuts_cli.arena.settings import MOST_WORKERS, USUAL_TABLE
from gonuts_cli.cli.common import CONFINED_ONLY
from gonuts_cli.cli.options import (
    MOVE_MS,
    SANDBOX_READ,
    START_MS,
    CpuSeconds,
    GameMs,
    Memory,
    Ruling,
    SeedText,
    whole_number,
)
from gonuts_cli.errors import UsageError
from gonuts_cli.rules.cards import MAX_PLAYERS
from gonuts_cli.show.safe import printable

if TYPE_CHECKING:
    from gonuts_cli.arena.folder import Folder
    from gonuts_cli.arena.settings import BotSettings, Settings
    from gonuts_cli.arena.tournament import StartPool, Tournament

USUAL_DEALS = 100


def tournament(
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="Read the bots and all options from a file."),
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            "-b",
            metavar="BOT",
            help="A bot that takes part: a command line or builtin:greedy (random, sly); "
            "NAME= may stand before it.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the games and the results go.")
    ] = None,
    deals: Annotated[
        int | None,
        whole_number("N", "Tables to play, each in all rotations of its seats.", USUAL_DEALS),
    ] = None,
    table: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="Seats at a table.",
            show_default=f"all bots; {USUAL_TABLE} where there are more than {MAX_PLAYERS}",
        ),
    ] = None,
    seed: SeedText = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_WORKERS,
            metavar="N",
            help="Games that are played at a time.",
            show_default="what leaves each bot a core",
        ),
    ] = None,
    fresh_bots: Annotated[
        bool | None, typer.Option("--fresh-bots", help="A new process for every game.")
    ] = None,
    pin: Annotated[
        bool | None, typer.Option("--pin", help="A worker and its bots on one core.")
    ] = None,
    start_ms: Annotated[int | None, START_MS] = None,
    move_ms: Annotated[int | None, MOVE_MS] = None,
    game_ms: GameMs = None,
    sandbox: Annotated[
        bool | None, typer.Option("--sandbox", help="Confine strangers' bots.")
    ] = None,
    sandbox_read: Annotated[list[str] | None, SANDBOX_READ] = None,
    memory: Memory = None,
    cpu_seconds: CpuSeconds = None,
    ruling: Ruling = None,
    stop_when_decided: Annotated[
        float | None,
        typer.Option(
            metavar="P", help="Stop when the order of the first two is settled, with 0.95 say."
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="The scheduler of a Dask cluster to play on."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The results as a JSON line.")] = False,
) -> None:
    """Play bots against each other and rank them. The same command goes on where it stopped."""
    from gonuts_cli.arena.config import Config, load
    from gonuts_cli.cli.common import rulings

    file = Config([], {}, {}) if config is None else load(config)
    given = {
        name: value
        for name, value in {
            "deals": deals,
            "table": table,
            "seed": seed,
            "workers": workers,
            "pin": pin,
            "fresh_bots": fresh_bots,
            "start_ms": start_ms,
            "move_ms": move_ms,
            "game_ms": game_ms,
            "sandbox": sandbox,
            "sandbox_read": sandbox_read,
            "memory": memory,
            "cpu_seconds": cpu_seconds,
            "cluster": cluster,
            "stop_when_decided": stop_when_decided,
            "out": out,
        }.items()
        if value is not None
    }
    options = {**file.options, **given}
    bots = _bots(bot) if bot else file.bots
    if "out" not in options:
        in_file = "" if config is None else f', or out = "DIR" in {config}'
        raise UsageError(f"say where the results go: --out DIR{in_file}")
    chosen = {**file.rulings, **rulings(ruling or ())}
    # What a bot in the sandbox must not be able to read.
    where = Path(options["out"])
    secrets = [where, where / "journal", where / "stderr"]
    if config is not None and "seed" in file.options:
        secrets.append(config)
    given_seed = seed is not None or "seed" in file.options
    with ExitStack() as stack:
        _run(stack, bots, chosen, options, given_seed, secrets, json)


def _run(
    stack: ExitStack,
    bots: Sequence[BotSettings],
    rulings: dict[str, str],
    options: dict[str, Any],
    seed_given: bool,
    secrets: Sequence[Path],
    json: bool,
) -> None:
    from gonuts_cli.arena.folder import Folder
    from gonuts_cli.arena.tournament import Tournament
    from gonuts_cli.cli.common import write_json
    from gonuts_cli.cli.play_setup import Seed, warn_of_short_seed
    from gonuts_cli.show.live import display

    path = Path(options["out"])
    settings = _settings(bots, rulings, options, options.get("seed") or "-")
    settings.require_commands()
    _check_sandbox(settings, secrets)
    folder = Folder(path)
    stack.callback(folder.close)
    settings = _settings(bots, rulings, options, folder.seed(options.get("seed")))
    running = Tournament(settings, folder, options.get("deals", USUAL_DEALS))
    given = Seed(settings.seed, given=seed_given)
    drawn = f": one is drawn, and kept in {path / 'seed'}"
    warn_of_short_seed(given, [bot.spec for bot in bots], _say, drawn)
    start_pool = _pool(settings, options)
    with display() as shown:
        try:
            running.run(start_pool, shown.show)
        except KeyboardInterrupt:
            done = running.progress.finished
            _say(f"{done} finished games are kept; the same command goes on from there")
            raise
    value, text = _write_results(running, folder, _workers(settings, options))
    if json:
        write_json(value)
    else:
        print(text)


def _bots(texts: Sequence[str]) -> list[BotSettings]:
    """The bots of the command line; those without a name are called what they are."""
    from gonuts_cli.arena.settings import BotSettings
    from gonuts_cli.players.run import parse_bot

    specs = [parse_bot(text) for text in texts]
    usual: Counter[str] = Counter()
    bots = []
    for number, spec in enumerate(specs):
        if spec.kind not in ("builtin", "process"):
            raise UsageError(f"{spec.kind} cannot play in a tournament: it is played by programs")
        name = spec.name
        if name is None and spec.kind == "process":
            name = f"player-{number}"
        elif name is None:
            kind = f"builtin:{spec.command[0]}"
            usual[kind] += 1
            name = kind if usual[kind] == 1 else f"{kind}-{usual[kind]}"
        bots.append(BotSettings(name, spec.kind, spec.command))
    return bots


def _settings(
    bots: Sequence[BotSettings], rulings: dict[str, str], options: dict[str, Any], seed: str
) -> Settings:
    from gonuts_cli.arena.settings import SandboxSettings, Settings, usual_table
    from gonuts_cli.players.base import Limits
    from gonuts_cli.rules.rulings import Rulings

    confined = {"memory", "cpu_seconds", "sandbox_read"}.intersection(options)
    sandbox = None
    if options.get("sandbox"):
        sandbox = SandboxSettings(
            options.get("memory"),
            options.get("cpu_seconds"),
            tuple(str(Path(path).absolute()) for path in options.get("sandbox_read", ())),
        )
    elif confined:
        raise UsageError(CONFINED_ONLY)
    usual = Limits()
    limits = Limits(
        options.get("start_ms", usual.start_ms),
        options.get("move_ms", usual.move_ms),
        options.get("game_ms", usual.game_ms),
    )
    return Settings(
        tuple(bots),
        options.get("table") or usual_table(len(bots)),
        seed,
        Rulings.parse(rulings).changed(),
        limits,
        bool(options.get("fresh_bots")),
        sandbox,
        options.get("stop_when_decided"),
    )


def _check_sandbox(settings: Settings, secrets: Sequence[Path]) -> None:
    """Find out before the first game whether the bots can be confined; say when they are not."""
    processes = [bot for bot in settings.bots if bot.kind == "process"]
    if not processes:
        return
    if settings.sandbox is None:
        _say("bots run with your rights; strangers' bots need --sandbox")
        return
    from gonuts_cli.players import sandbox

    sandbox.require()
    for bot in processes:
        settings.command(bot, secrets)


def _pool(settings: Settings, options: dict[str, Any]) -> StartPool:
    """Where the games are played."""
    address = options.get("cluster")
    if address is not None:
        if options.get("workers") or options.get("pin"):
            raise UsageError("a cluster has its own workers: leave out --workers and --pin")
        from gonuts_cli.arena.cluster import ClusterPool

        return lambda settings, folder, record: ClusterPool(settings, folder, record, address)
    from gonuts_cli.arena.workers import LocalPool

    workers = _workers(settings, options)
    pin = bool(options.get("pin"))
    return lambda settings, folder, record: LocalPool(settings, folder, record, workers, pin)


def _workers(settings: Settings, options: dict[str, Any]) -> int:
    """How many processes work here at a time."""
    from gonuts_cli.arena.workers import usual_workers

    return int(options.get("workers") or usual_workers(settings))


def _write_results(
    running: Tournament, folder: Folder, processes: int
) -> tuple[dict[str, Any], str]:
    """Make results.json and report.html from games.jsonl; the results, and what to print."""
    from gonuts_cli.cli.common import before_ranking, one_thread

    one_thread()  # The bots, which would inherit it, have ended.
    from gonuts_cli.arena.folder import write_whole
    from gonuts_cli.arena.parts import count_file
    from gonuts_cli.arena.results import encode, results
    from gonuts_cli.show.report import report_page
    from gonuts_cli.show.standings import standings_text

    count = count_file(folder.path / "games.jsonl", processes)
    before_ranking(len(count.tally.names))
    ranking = count.ranking()
    confined = running.settings.sandbox is not None
    value = results(ranking, confined)
    write_whole(folder.path / "results.json", encode(value))
    page = report_page(ranking, count, folder.path, sandbox=confined)
    write_whole(folder.path / "report.html", page.encode())
    text = standings_text(ranking)
    stopped = running.progress.stopped_at
    if stopped is not None:
        confidence = running.settings.stop_when_decided or 0
        text += f"\nstopped: the order of the first two was settled at {confidence:.0%}"
    return value, f"{text}\nreport: {printable(str(folder.path / 'report.html'))}"


def _say(message: str) -> None:
    print(f"gonuts: {printable(message)}", file=sys.stderr)
