"""`gonuts check-bot COMMAND`: would this bot be charged a fault?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gonuts_cli.cli.common import write_json
from gonuts_cli.cli.options import (
    MOVE_MS,
    SANDBOX_READ,
    START_MS,
    USUAL_LIMITS,
    CpuSeconds,
    Memory,
)
from gonuts_cli.errors import UsageError
from gonuts_cli.players.base import Limits
from gonuts_cli.show.safe import printable

if TYPE_CHECKING:
    from gonuts_cli.arena.check import Check, Checked


def check_bot(
    command: Annotated[
        str, typer.Argument(metavar="COMMAND", help="The bot's command line, in quotes.")
    ],
    start_ms: Annotated[int, START_MS] = USUAL_LIMITS.start_ms,
    move_ms: Annotated[int, MOVE_MS] = USUAL_LIMITS.move_ms,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="Run it confined.")] = False,
    sandbox_read: Annotated[list[Path] | None, SANDBOX_READ] = None,
    memory: Memory = None,
    cpu_seconds: CpuSeconds = None,
    json: Annotated[bool, typer.Option("--json", help="Results as JSON lines.")] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A JUnit report, for CI.")
    ] = None,
) -> None:
    """Try a bot before a contest does.

    Every decision, every number of players, whether it answers the same game in the same way, and
    how long it takes.

    Exit status 1 when it would be charged a fault.
    """
    from gonuts_cli.arena.check import run_checks
    from gonuts_cli.cli.play_setup import Cage
    from gonuts_cli.players.keeper import claim_process
    from gonuts_cli.players.process import ProcessSeat
    from gonuts_cli.players.run import Run, parse_bot

    claim_process()
    bot = parse_bot(command)
    if bot.kind != "process":
        raise UsageError(f"check-bot checks a command, not {printable(command)!r}")
    cage = Cage(sandbox, sandbox_read or (), memory, cpu_seconds, [junit] if junit else [])
    cage.check()
    words = cage.command(bot)
    with Run() as run:  # a command that cannot be run at all is said before anything is checked
        seat = run.seat(bot, command=words)
        if isinstance(seat, ProcessSeat):
            seat.start()
    checked = run_checks(
        lambda run: run.seat(bot, command=words),
        Limits(start_ms, move_ms),
        reuse=not sandbox,
        observe=lambda each: write_json(_message(each)) if json else _show(each),
    )
    if json:
        for timing in checked.timings():
            values = timing._asdict().items()
            shown = {key: round(v, 3) if isinstance(v, float) else v for key, v in values}
            write_json({"timing": shown.pop("decision"), **shown})
        write_json({"ok": checked.ok})
    else:
        _show_summary(checked)
    if junit is not None:
        _write_junit(checked, command, junit)
    if not checked.ok:
        raise typer.Exit(1)


def _message(check: Check) -> dict[str, Any]:
    return {
        "check": check.name,
        "state": check.state,
        "found": printable(check.found),
        "remedy": check.remedy,
    }


def _show(check: Check) -> None:
    found = f": {printable(check.found)}" if check.found else ""
    print(
        f"{check.state.upper() if check.state == 'failed' else check.state:<8}  {check.name}{found}"
    )
    if check.remedy:
        print(f"{'':<8}  -> {check.remedy}")
    sys.stdout.flush()


def _show_summary(checked: Checked) -> None:
    timings = checked.timings()
    width = max((len(timing.decision) for timing in timings), default=0)
    print(f"\n{'Its time in ms':<{width}}   asked   median      99%  slowest")
    for name, asked, middle, p99, slowest in timings:
        print(f"{name:<{width}}  {asked:>6} {middle:>8.1f} {p99:>8.1f} {slowest:>8.1f}")
    failed = sum(check.state == "failed" for check in checked.checks)
    print(
        "\nIt would be charged no fault."
        if checked.ok
        else f"\nIt would be charged faults: {failed} of {len(checked.checks)} checks failed."
    )


def _write_junit(checked: Checked, command: str, path: Path) -> None:
    from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

    suite = TestSuite(f"gonuts check-bot {printable(command)}")
    for check in checked.checks:
        case = TestCase(check.name, "check-bot")
        if check.state == "failed":
            case.result = [Failure(f"{printable(check.found)} -> {check.remedy}", "fault")]
        elif check.state == "left out":
            case.result = [Skipped(printable(check.found))]
        suite.add_testcase(case)
    report = JUnitXml("gonuts")
    report.add_testsuite(suite)
    report.update_statistics()  # type: ignore[no-untyped-call]
    report.write(str(path))
