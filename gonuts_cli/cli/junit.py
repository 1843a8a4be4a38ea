"""A JUnit report of checked games, for CI."""

from __future__ import annotations

from typing import IO

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

from gonuts_cli.cli.archives import Checked
from gonuts_cli.show.safe import printable


class JUnitReport:
    """Collects what a check found: a suite a file, a case a game. All of it is in memory."""

    def __init__(self) -> None:
        self._suites: dict[str, TestSuite] = {}

    def add(self, checked: Checked) -> None:
        """A game: it passes when its check was good."""
        file = printable(checked.file)
        suite = self._suites.get(file)
        if suite is None:
            suite = self._suites[file] = TestSuite(file)
        game = "a game without id" if checked.game is None else printable(checked.game)
        case = TestCase(game, file)
        if not checked.ok:
            message = f"line {checked.line}: {printable(checked.message or '')}"
            case.result = [Failure(message, checked.error)]
        suite.add_testcase(case)

    def add_unreadable(self, message: str) -> None:
        """Input that could not be read: an error of its own."""
        suite = self._suites[f"unreadable: {message}"] = TestSuite("unreadable input")
        case = TestCase(printable(message), "unreadable input")
        case.result = [Error(printable(message), "unreadable")]
        suite.add_testcase(case)

    def write(self, stream: IO[bytes]) -> None:
        report = JUnitXml("gonuts")
        for suite in self._suites.values():
            report.add_testsuite(suite)
        report.update_statistics()  # type: ignore[no-untyped-call]
        report.write(stream)
