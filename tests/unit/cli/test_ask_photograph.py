"""`scenemind ask --photo`, with models on the loopback and detectors that need no weights."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from scenemind.cli.main import app
from scenemind.perception import PerceptionError
from tests.chat_server import ChatServer, say
from tests.unit.cli.asking import at
from tests.unit.reasoning.learned_methods.talk import Author
from tests.unit.reasoning.vadar.eyes import (
    RED_BOX,
    RedDetector,
    SlopeEstimator,
    red_thing_on_a_desk,
)

# The package's function of that name hides the module.
OPENING = import_module("scenemind.reasoning.shared_models")
QUESTION = "how far away is the red thing?"
FIND = "final_result = loc(image, 'red thing')[0]"
MEASURE = "final_result = depth(image, loc(image, 'red thing')[0])"


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SCENEMIND_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SCENEMIND_WEIGHTS", raising=False)


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    return red_thing_on_a_desk(tmp_path / "desk.png")


@pytest.fixture
def _eyes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name of a detector or depth model gives one that needs no weights."""
    monkeypatch.setattr(OPENING, "make_detector", lambda _: RedDetector())
    estimator = "scenemind.cli.photograph.MonocularDepth"
    monkeypatch.setattr(estimator, lambda _: SlopeEstimator())


def run(photo: Path, *more: object) -> tuple[int, str]:
    """Exit status, and both outputs together."""
    result = _invoke(photo, *more)
    return result.exit_code, result.output


def run_json(photo: Path, *more: object, status: int = 0) -> Any:
    """The last line of standard output, read as JSON."""
    result = _invoke(photo, *more, "--json")
    assert result.exit_code == status, result.output
    return json.loads(result.stdout.splitlines()[-1])


def _invoke(photo: Path, *more: object) -> Result:
    line = ["ask", QUESTION, "--photo", photo, *more]
    return CliRunner().invoke(app, [str(word) for word in line])


def writes(*programs: str) -> ChatServer:
    return ChatServer(Author(programs=programs).step)


@pytest.mark.usefixtures("_eyes")
def test_a_program_answers_about_a_photograph_without_a_memory(photo: Path) -> None:
    with writes(FIND) as server:
        answer = run_json(photo, *at(server))
    assert answer["answer"] == "red thing at (40, 30, 80, 90)"
    assert (answer["method"], answer["error"], answer["objects"]) == ("vadar", None, [])
    assert answer["boxes_px"] == [list(RED_BOX)]
    assert answer["found_px"] == {"red thing": [list(RED_BOX)]}
    assert (answer["photo"], answer["size_px"]) == (str(photo), [160, 120])
    assert any("red detector finds things, nobody knows depths" in s for s in answer["steps"])


@pytest.mark.usefixtures("_eyes")
@pytest.mark.parametrize("place", ["option", "settings"])
def test_depth_model_gives_metres(photo: Path, tmp_path: Path, place: str) -> None:
    more: tuple[object, ...] = ("--depth-model", "slope")
    if place == "settings":
        settings = tmp_path / "models.yaml"
        settings.write_text("vadar: {depth_model: slope, learns: false}", encoding="utf-8")
        more = ("--config", settings)
    with writes(MEASURE) as server:
        answer = run_json(photo, *at(server), *more)
    assert float(answer["answer"]) == pytest.approx(3.0, abs=0.1)
    assert any("slope (estimated) knows depths" in step for step in answer["steps"])


@pytest.mark.usefixtures("_eyes")
def test_program_without_a_depth_model_gets_an_error(photo: Path) -> None:
    with writes(MEASURE, FIND) as server:
        answer = run_json(photo, *at(server))
    assert answer["answer"].startswith("red thing")
    assert any("how far away the thing in that box is, is not known" in s for s in answer["steps"])


@pytest.mark.usefixtures("_eyes")
def test_people_read_the_answer_and_a_page(photo: Path, tmp_path: Path) -> None:
    with writes(FIND) as server:
        status, output = run(photo, *at(server), "--pictures", tmp_path / "page")
    assert status == 0
    lines = output.splitlines()
    assert lines.index("red thing at (40, 30, 80, 90)") < lines.index("confidence 70%")
    assert "vadar: " in output
    assert {path.name for path in (tmp_path / "page").iterdir()} == {
        "index.html",
        "photograph.jpg",
    }


@pytest.mark.usefixtures("_eyes")
def test_a_question_without_an_answer_ends_with_status_1_and_its_page(
    photo: Path, tmp_path: Path
) -> None:
    with writes("final_result = None") as server:
        more = (*at(server), "--pictures", tmp_path / "page")
        answer = run_json(photo, *more, status=1)
    assert answer["error"]["code"] == "not_found"
    assert "Not answered" in (tmp_path / "page" / "index.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("_eyes")
@pytest.mark.parametrize(
    ("more", "says"),
    [
        ((), "needs models, one of which sees pictures"),
        (("--model", "m", "--method", "memtree"), "photographs are for method vadar, not memtree"),
        (("--model", "m", "--selector", "tree"), "leave out --selector"),
        (("--model", "m", "--pictures", "/proc/nowhere"), "cannot write to /proc/nowhere"),
        (("--live",), "--live takes no --photo"),
    ],
)
def test_a_mistake_gives_one_sentence(photo: Path, more: tuple[str, ...], says: str) -> None:
    with ChatServer(say("```python\nfinal_result = 'yes'\n```")) as server:
        reached = ("--endpoint", server.endpoint) if "--pictures" in more else ()
        expect_mistake(run(photo, *more, *reached), says)


@pytest.mark.usefixtures("_eyes")
@pytest.mark.parametrize("content", [None, b"", b"text"])
def test_error_names_a_file_that_is_no_picture(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "kitchen.jpg"
    if content is not None:
        path.write_bytes(content)
    expect_mistake(run(path, "--model", "m"), "kitchen.jpg")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ((), "no detector is named"),
        (("--detector", "yoloe-none"), "yoloe-none"),
        (("--depth-model", "./nowhere"), "scenemind[depth]|no depth model at nowhere"),
    ],
)
def test_detector_is_chosen_before_a_model_is_asked(
    photo: Path, more: tuple[str, ...], says: str
) -> None:
    with writes(FIND) as server:
        status, output = run(photo, *at(server), *more)
        assert not server.requests
    assert status == 1
    assert any(part in output for part in says.split("|"))


def test_error_of_a_detector_of_fixed_classes_names_a_remedy(
    photo: Path, shared_data: Path
) -> None:
    weights = shared_data / "weights" / "yolox_nano.onnx"
    with writes(FIND) as server:
        expect_mistake(
            run(photo, *at(server), "--detector", weights), "finds only what it was trained for"
        )


def test_options_of_photographs_are_for_photographs() -> None:
    for option in ("--detector", "--depth-model"):
        result = CliRunner().invoke(app, ["ask", QUESTION, option, "x"])
        assert result.exit_code == 1
        assert f"leave out {option}" in result.output


def expect_mistake(ran: tuple[int, str], says: str) -> None:
    status, output = ran
    assert status == 1
    assert "Traceback" not in output
    last = output.strip().splitlines()[-1]
    assert last.startswith("scenemind: ")
    assert says in last


def test_detector_that_cannot_be_loaded_is_an_error(
    photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise PerceptionError("torch is not installed: pip install 'scenemind[ultralytics]'")

    monkeypatch.setattr(OPENING, "make_detector", broken)
    with writes(FIND) as server:
        expect_mistake(run(photo, *at(server)), "pip install 'scenemind[ultralytics]'")


@pytest.mark.usefixtures("_eyes")
def test_a_depth_model_is_fetched_before_a_model_is_asked(
    photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise PerceptionError("cannot fetch the depth model")

    monkeypatch.setattr(SlopeEstimator, "fetch", broken)
    with writes(FIND) as server:
        expect_mistake(run(photo, *at(server), "--depth-model", "slope"), "cannot fetch")
        assert not server.requests
