"""Every error that gonuts raises on purpose, and the exit status that each has (SPEC §8)."""

from __future__ import annotations


class GonutsError(Exception):
    """Base of all errors raised on purpose; its text is a whole message for a person.

    `exit_status` is what the command line ends with when the error reaches it.
    """

    exit_status = 2


class UsageError(GonutsError):
    """The caller asked for something that cannot be: an option, a value, a combination."""


class UnreadableInput(GonutsError):
    """A file, a folder or a stream that cannot be read as what it should be."""


class UnfinishedGame(GonutsError):
    """A game that could not be brought to its end; what was played stays recorded."""

    exit_status = 3
