"""`gonuts` and `python -m gonuts_cli`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit status (SPEC §8)."""
    try:
        _main()
    except KeyboardInterrupt:  # While the command was being loaded: later, it ends by itself.
        if sys.stderr is not None:
            sys.stderr.write("gonuts: interrupted\n")
        sys.exit(130)


def _main() -> None:
    # Asked by scripts before each run, so it loads nothing.
    if sys.argv[1:] == ["--version"]:
        from gonuts_cli._version import __version__

        try:
            print(f"gonuts {__version__}", flush=True)
        except OSError:
            from gonuts_cli.cli.ending import ending

            with ending():
                raise
        return
    # Started once for a table by scripts, and without options: it needs no parser of options.
    if sys.argv[1:] == ["score"]:
        from gonuts_cli.cli.ending import ending
        from gonuts_cli.cli.score import score

        with ending():
            score()
        return
    import signal

    from gonuts_cli.cli.app import run

    status = run(sys.argv[1:])
    # All is done and said: what ends the process now changes nothing any more.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(status)


if __name__ == "__main__":
    main()
