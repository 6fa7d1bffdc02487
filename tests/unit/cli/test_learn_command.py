"""`scenemind learn`, against a server on the loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.reasoning.learned_methods import MethodLibrary
from scenemind.reasoning.learned_methods.library import LearnedMethod
from scenemind.reasoning.learned_methods.method_api import Signature
from tests.chat_server import ChatServer, fail, say
from tests.unit.reasoning.learned_methods.talk import NOTHING_NEW, Author, designs, method

from .asking import at

ON = method("_things_on", "Set[ObjectAttribute]", thing="ObjectAttribute")
ON_CODE = "def _things_on(thing):\n    return relate(scene(), thing, 'on')"
NEAR = method("_is_near", "bool", a="ObjectAttribute", b="ObjectAttribute")
NEAR_LIE = "def _is_near(a, b):\n    return 'maybe\x1b[2J'"
QUESTIONS = "# on tables\nWhat is on the table?\n\n  Is the cup on the desk?\n"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("SCENEMIND_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.txt"
    path.write_text(QUESTIONS, encoding="utf-8")
    return path


def learn(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["learn", *map(str, words)])
    return result.exit_code, result.output


def learn_json(*words: object, status: int = 0) -> Any:
    result = CliRunner().invoke(app, ["learn", *map(str, words), "--json"])
    assert result.exit_code == status, result.output
    return json.loads(result.stdout.splitlines()[-1])


def author() -> Author:
    return Author(designs(ON, NEAR), {"_things_on": ON_CODE, "_is_near": [NEAR_LIE] * 9})


def test_learned_and_refused_methods_are_printed(questions: Path, home: Path) -> None:
    with ChatServer(author().step) as server:
        status, output = learn(questions, *at(server))
        assert len(server.requests) == 1 + 1 + 6
        assert '- "What is on the table?"\n- "Is the cup on the desk?"' in server.requests[0].text
        assert "on tables" not in server.requests[0].text
    assert status == 0
    assert "learned _things_on(thing: ObjectAttribute) -> Set[ObjectAttribute]" in output
    assert "refused _is_near: it must return bool, and returned 'maybe" in output
    assert "\x1b" not in output
    assert "1 new methods from 2 of 2 questions" in output
    assert "8 calls" in output
    assert (home / "learned_methods.sqlite").exists()


def test_learned_method_is_in_the_prompt_of_its_caller(questions: Path) -> None:
    with ChatServer(author().step) as server:
        told = learn_json(questions, *at(server))
    assert (told["learned"], list(told["refused"])) == (["_things_on"], ["_is_near"])
    assert told["usage"]["calls"] == 8
    (known,) = learn_json("--list")["methods"]
    assert (known["name"], known["version"], known["uses"]) == ("_things_on", 1, 0)
    assert known["source"] == ON_CODE
    assert "_things_on(thing" in learn("--list")[1]
    assert learn_json("--list", "--method", "vadar")["methods"] == []
    assert "no methods have been learned on a picture" in learn("--list", "--method", "vadar")[1]


def test_questions_are_looked_at_in_batches(tmp_path: Path) -> None:
    many = tmp_path / "many.txt"
    many.write_text("\n".join(f"Where is thing {n}?" for n in range(23)), encoding="utf-8")
    with ChatServer(say(NOTHING_NEW)) as server:
        told = learn_json(many, *at(server))
        assert [request.text.count("Where is thing") for request in server.requests] == [10, 10, 3]
    assert (told["looked_at"], told["learned"], told["error"]) == (23, [], None)


def test_methods_on_pictures_are_learned_for_vadar(questions: Path) -> None:
    count = method("_count", "int", image="Image", kind="str")
    code = "def _count(image, kind):\n    return len(loc(image, kind))"
    with ChatServer(Author(designs(count), {"_count": code}).step) as server:
        told = learn_json(questions, "--method", "vadar", *at(server))
    assert (told["api"], told["learned"]) == ("picture", ["_count"])
    assert learn_json("--list")["methods"] == []


def test_methods_learned_before_a_failure_of_the_server_are_kept(questions: Path) -> None:
    ready = author().step
    steps = [ready, ready, fail(401, "who are you?")]
    with ChatServer(*steps) as server:
        told = learn_json(questions, *at(server), status=1)
    assert told["learned"] == ["_things_on"]
    assert told["looked_at"] == 0
    assert "who are you?" in told["error"]
    assert [known["name"] for known in learn_json("--list")["methods"]] == ["_things_on"]


@pytest.mark.parametrize("text", ["", "\n# nothing\n"])
def test_no_model_is_asked_without_questions(text: str, questions: Path) -> None:
    questions.write_text(text, encoding="utf-8")
    status, output = learn(questions, "--model", "any")
    assert status == 1
    assert "there is no question in" in output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "say which file has the questions, or --list"),
        (("missing.txt", "--model", "any"), "missing.txt cannot be read"),
    ],
)
def test_error_of_a_wrong_command_says_what_to_type(words: tuple[str, ...], told: str) -> None:
    status, output = learn(*words)
    assert status == 1
    assert told in " ".join(output.split())


def test_learning_needs_a_model(questions: Path) -> None:
    status, output = learn(questions)
    assert status == 1
    assert "no model is named to write methods: say --model" in " ".join(output.split())


def test_a_terminal_obeys_nothing_of_a_strangers_library(home: Path) -> None:
    words = "\x1b]0;title\x07\x1b[2Jcounts \u202e[bold]things[/bold]\x9b2J"
    signature = Signature.model_validate({**ON, "description": words})
    library = MethodLibrary(home / "learned_methods.sqlite", "scene", 10)
    library.add([LearnedMethod(signature, ON_CODE, (), "")])
    library.close()
    (known,) = learn_json("--list")["methods"]
    assert known["description"] == words
    status, table = learn("--list")
    assert status == 0
    assert "[bold]things[/bold]" in table
    raw = CliRunner().invoke(app, ["learn", "--list", "--json"]).output
    for output in (table, raw):
        assert not set("\x1b\x07\x9b\u202e") & set(output)


def test_error_names_an_invalid_library(home: Path) -> None:
    home.mkdir()
    (home / "learned_methods.sqlite").write_bytes(b"no database at all, but long enough" * 50)
    status, output = learn("--list")
    assert status == 1
    assert "learned_methods.library" in output


def test_a_recording_teaches_again(questions: Path, tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    with ChatServer(author().step) as server:
        first = learn_json(questions, *at(server), "--record", tape)
    (tmp_path / "home" / "learned_methods.sqlite").unlink()
    again = learn_json(questions, "--replay", tape)
    assert again["learned"] == first["learned"]
