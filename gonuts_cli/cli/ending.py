"""How commands end: what they raise becomes a message for a person and a status (SPEC §8)."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from gonuts_cli.errors import GonutsError
from gonuts_cli.show.safe import printable

UNREADABLE, INTERRUPTED = 2, 130


@contextmanager
def ending() -> Iterator[None]:
    """Run the block, flush standard output, and turn what a command may raise into SystemExit."""
    _fill_closed_streams()
    if sys.stdout is None:  # the caller closed it
        _say("standard output is closed: there is nowhere to write to")
        raise SystemExit(UNREADABLE)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        # Asked to end, a command does as at Ctrl-C: says what goes on how, and leaves nothing.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter shows its code; that is no reason to end.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except GonutsError as error:
        _say(str(error))
        raise SystemExit(error.exit_status) from None
    except KeyboardInterrupt:
        _say("interrupted")
        raise SystemExit(INTERRUPTED) from None
    except (ImportError, ValueError) as error:
        # Some libraries raise these for whatever happens in them, Ctrl-C too.
        if not _was_interrupted(error):
            raise
        _say("interrupted")
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        # Whoever read the output has enough; the interpreter must not try to flush it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(UNREADABLE) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _say(f"{where}{error.strerror or error}{_remedy(error)}")
        if error.errno == errno.ENOSPC:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(UNREADABLE) from None


def _fill_closed_streams() -> None:
    """Put nothing in the place of what the caller closed, so that no file of ours gets its number.

    Nor may what is said to people go to standard output, where `print` sends it otherwise.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # It gets the lowest number that is free: this one. What we start has it, too.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    # They stay open until the end.
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _was_interrupted(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _remedy(error: OSError) -> str:
    return " (free some space and run it again)" if error.errno == errno.ENOSPC else ""


def _say(message: str) -> None:
    lines = "\n".join(printable(line) for line in message.splitlines())
    print(f"gonuts: {lines}", file=sys.stderr)
