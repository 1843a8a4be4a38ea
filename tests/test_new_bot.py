"""`gonuts new-bot`: what is written is a bot that plays, in every language whose tools are here."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from gonuts_cli.cli.app import run
from gonuts_cli.cli.new_bot import LANGUAGES, write_template
from gonuts_cli.errors import UsageError


def missing(language: str) -> str:
    """The programs that a language needs and that are not here, "" for none."""
    return " ".join(name for name in LANGUAGES[language].needs if shutil.which(name) is None)


needs_tools = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(bool(missing(name)), reason=f"not installed: {missing(name)}"),
    )
    for name in LANGUAGES
]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> object:
    """A function from a language to the command line of its bot, built once."""

    @cache
    def build(language: str) -> str:
        folder = tmp_path_factory.mktemp("bots") / f"a bot in {language}"
        write_template(language, folder)
        where = shlex.quote(str(folder))
        for line in LANGUAGES[language].build:
            done = subprocess.run(shlex.split(line.format(dir=where)), capture_output=True)
            assert (done.returncode, done.stderr) == (0, b"")
        return LANGUAGES[language].run.format(dir=where)

    return build


@pytest.mark.parametrize("language", needs_tools)
def test_it_passes_its_check(
    built: object, language: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert callable(built)
    # Its time is not what is looked at, so a machine with much to do gets as much as it wants.
    status = run(
        ["check-bot", built(language), "--json", "--start-ms", "120000", "--move-ms", "60000"]
    )
    lines = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    checks = [line for line in lines if "check" in line]
    assert [line for line in checks if line["state"] != "ok"] == []
    assert len(checks) > 25
    assert lines[-1] == {"ok": True}
    assert status == 0


READ = [
    r'{"type":"hello","unknown":{"deep":[[],{},[1.5e3,-2,null,true,false]]},'
    r'"random":"00ff00ff00ff00ff00ff"}',
    r'{"type":"surprise"}',
    r'{ "type" : "decide" , "id" : 12, "decision": "bear_claw", "counts": [1], "view": {},'
    r' "options": [["plain",1],["pow\u0064ered",0]] }',
    r'{"type":"fault","message":"\"\\\/ \u00e9 \ud83c\udf69 \u6797\t|"}',
]


@pytest.mark.parametrize("language", needs_tools)
def test_it_reads_any_json(built: object, language: str) -> None:
    assert callable(built)
    done = subprocess.run(
        shlex.split(built(language)), input="\r\n".join([*READ, ""]), capture_output=True, text=True
    )
    ready, answer = map(json.loads, done.stdout.splitlines())
    assert ready == {"type": "ready", "name": "my bot", "events": False, "reuse": True}
    assert answer == {"id": 12, "choose": [["powdered", 0]]}
    assert done.stderr == '"\\/ é 🍩 林\t|\n'
    assert done.returncode == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_readme_tells_the_lines_that_build_and_run_it(language: str, tmp_path: Path) -> None:
    write_template(language, tmp_path)
    readme = (tmp_path / "README.md").read_text()
    template = LANGUAGES[language]
    for line in (*template.build, template.run):
        here = "./" if line.startswith("{dir}") else ""
        assert line.replace("{dir}/", here, 1).replace("{dir}/", "") in readme


def test_the_command_says_what_to_do_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new-bot", "c", "my bot"]) == 0
    said = capsys.readouterr().out
    assert "cc -std=c99 -O2 -o './my bot'/bot './my bot'/bot.c" in said
    check = next(line for line in said.splitlines() if "check-bot" in line)
    assert shlex.split(shlex.split(check)[-1]) == ["./my bot/bot"]
    assert sorted(path.name for path in Path("my bot").iterdir()) == [
        "README.md",
        "bot.c",
        "json.h",
    ]


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "bot.py"
    kept.write_text("mine")
    assert run(["new-bot", "python", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["bot.py"]
    assert kept.read_text() == "mine"
    with pytest.raises(UsageError, match="not a folder"):
        write_template("python", kept)
    (tmp_path / "empty" / "deep").mkdir(parents=True)
    write_template("python", tmp_path / "empty" / "deep")
    assert (tmp_path / "empty" / "deep" / "bot.py").exists()


def test_a_language_that_there_is_no_bot_in(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new-bot", "cobol", "there"]) == 2
    assert "python, javascript, c, rust, java" in capsys.readouterr().err


def test_the_templates_need_nothing_but_their_language() -> None:
    import gonuts_cli

    folder = Path(gonuts_cli.__file__).parent / "bot_templates"
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == sorted(LANGUAGES)
    script = (folder / "python" / "bot.py").read_text()
    imported = {line.split()[1] for line in script.splitlines() if line.startswith("import ")}
    assert imported <= sys.stdlib_module_names
