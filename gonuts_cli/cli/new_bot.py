"""`gonuts new-bot LANGUAGE DIR`: a working bot to start from."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from gonuts_cli.errors import UsageError


class Language(NamedTuple):
    """How a template is built and run; `{dir}` stands for its folder, quoted for a shell."""

    build: tuple[str, ...]
    run: str
    needs: tuple[str, ...]  # the programs that building and running call


LANGUAGES = {
    "python": Language((), "python3 {dir}/bot.py", ("python3",)),
    "javascript": Language((), "node {dir}/bot.js", ("node",)),
    "c": Language(("cc -std=c99 -O2 -o {dir}/bot {dir}/bot.c",), "{dir}/bot", ("cc",)),
    "rust": Language(
        ("rustc --edition 2021 -O -o {dir}/bot {dir}/bot.rs",), "{dir}/bot", ("rustc",)
    ),
    "java": Language(
        (
            "javac -d {dir}/classes {dir}/Bot.java {dir}/Json.java",
            "jar --create --file {dir}/bot.jar --main-class Bot -C {dir}/classes .",
        ),
        "java -XX:+UseSerialGC -jar {dir}/bot.jar",
        ("javac", "jar", "java"),
    ),
}


def write_template(language: str, folder: Path) -> None:
    """Write the files of a language's bot into `folder`, which is made when it is not there.

    Raises UsageError for a language that there is no bot for and for a folder that is not empty:
    nothing is ever written over.
    """
    from importlib.resources import files

    if language not in LANGUAGES:
        raise UsageError(f"no bot in {language!r}; there is one in: {', '.join(LANGUAGES)}")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; name a folder that is new or empty")
    folder.mkdir(parents=True, exist_ok=True)
    for source in (files("gonuts_cli") / "bot_templates" / language).iterdir():
        if source.is_file():
            (folder / source.name).write_bytes(source.read_bytes())


def new_bot(
    language: Annotated[
        str, typer.Argument(metavar="LANGUAGE", help=f"One of {', '.join(LANGUAGES)}.")
    ],
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where it is put: a new or an empty folder.")
    ],
) -> None:
    """Write a bot to start from.

    A working one, with its README and the lines to run it.
    """
    write_template(language, folder)
    template = LANGUAGES[language]
    # "./" makes what was built in the current folder a command.
    where = shlex.quote(str(folder) if folder.is_absolute() else f"./{folder}")
    run = template.run.format(dir=where)
    typer.echo(f"A bot in {language} is in {folder}; its README.md says where to change it. Next:")
    for line in template.build:
        typer.echo("  " + line.format(dir=where))
    typer.echo(f"  gonuts check-bot {shlex.quote(run)}")
    play = f"gonuts play -b {shlex.quote('me=' + run)} -b builtin:greedy"
    typer.echo(f"  {play} --record {shlex.quote(folder.name + '.jsonl')} --force")
