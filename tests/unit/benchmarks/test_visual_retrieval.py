"""`python -m benchmarks visual-retrieval`: from pictures to the file that stitching reads."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from benchmarks.__main__ import app
from benchmarks.retrieval_trials import Outcome, Step, VisualRetrieval, scores_of, steps_of
from benchmarks.visual_retrieval import run_benchmark
from scenemind.config.reasoning import VlmGrounderConfig
from scenemind.models import Usage
from scenemind.reasoning.vlm_grounder.measured_layouts import layouts_of
from scenemind.reasoning.vlm_grounder.stitching import Layout
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, fail, say
from tests.unit.benchmarks.sheet_reader import dull_picture, honest, read_pairs


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.jpg").write_bytes(dull_picture())
    (folder / "notes.txt").write_text("no picture")
    return folder


def invoke(server: ChatServer | str, *more: object) -> Result:
    endpoint = server if isinstance(server, str) else server.endpoint
    command = ["visual-retrieval", "--model", "seer", "--endpoint", endpoint]
    return CliRunner().invoke(app, [*command, *map(str, more)])


def result_of(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout.splitlines()[-1])


def short_sighted(request: Request) -> str:
    """A model that reads small sheets whole, and every second picture of larger ones."""
    pairs = read_pairs(request)
    return json.dumps({"photographs": pairs if len(pairs) <= 8 else pairs[::2]})


def test_stitching_reads_the_best_layouts_from_the_file(pictures: Path, tmp_path: Path) -> None:
    out, picture = tmp_path / "new" / "layouts.json", tmp_path / "curves.svg"
    with ChatServer(say(short_sighted)) as server:
        options = ("--images", pictures, "--layouts", "2x2,2x4,8x2", "--lengths", "1")
        files = ("--out", out, "--picture", picture)
        measured = result_of(invoke(server, *options, *files, "--trials", 2, "--json"))
    assert measured["best"] == ["2x2", "2x4"]
    assert [score["recall"] for score in measured["scores"]] == [1.0, 1.0, 0.5]
    assert (measured["requests"], measured["failed"], measured["stopped"]) == (6, 0, "")
    assert measured["usage"]["calls"] == 6
    assert measured["picture_px"] == [640, 480]
    assert {"machine", "versions", "model", "longest_px"} <= set(measured)
    config = VlmGrounderConfig(layouts_file=str(out))
    assert layouts_of(config) == (Layout(2, 2), Layout(2, 4))
    drawing = ElementTree.parse(picture).getroot()
    assert sum(element.tag.endswith("polyline") for element in drawing.iter()) == 6


def test_failures_are_shown_and_not_counted_as_blindness(pictures: Path, tmp_path: Path) -> None:
    out = tmp_path / "layouts.json"
    config = tmp_path / "models.yaml"
    config.write_text("models: {retries: 0}")
    with ChatServer(say(honest), fail(500, "out of memory")) as server:
        options = ("--images", pictures, "--layouts", "2x2", "--lengths", "1", "--trials", 4)
        result = invoke(server, *options, "--out", out, "--config", config)
    assert result.exit_code == 0, result.output
    assert "2 server_failed" in result.stdout
    assert "100.0" in result.stdout
    assert "out of memory" in result.stdout
    assert f"wrote {out}: set vlm_grounder.layouts_file to it" in " ".join(result.stdout.split())
    assert layouts_of(VlmGrounderConfig(layouts_file=str(out))) == (Layout(2, 2),)


def test_a_server_that_is_not_there_ends_it_soon(pictures: Path, tmp_path: Path) -> None:
    config = tmp_path / "models.yaml"
    config.write_text("models: {retries: 0}")
    options = ("--images", pictures, "--layouts", "2x2", "--lengths", "1", "--trials", 50)
    result = invoke("http://127.0.0.1:9/v1", *options, "--config", config)
    assert result.exit_code == 1
    assert "3 unreachable" in result.stdout
    assert "ended early: 3 requests failed in a row" in result.stdout
    assert "best layouts: none" in result.stdout


class Interrupted(VisualRetrieval):
    """Somebody presses Ctrl-C during the second request."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, step: Step) -> Outcome:
        self.asked += 1
        if self.asked == 2:
            raise KeyboardInterrupt
        return Outcome(step, step.pictures, 0, 1.0, Usage(calls=1))


def test_an_interrupted_run_keeps_its_results() -> None:
    run = run_benchmark(Interrupted(), steps_of([Layout(4, 1)], [1], 5))
    assert run.stopped == "interrupted"
    assert [score.recall for score in scores_of(run.outcomes)] == [1.0]


def test_without_pictures_it_shows_simulated_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.visual_retrieval._ROOMS", 1)
    monkeypatch.setattr("benchmarks.visual_retrieval._VIEWS", 4)
    with ChatServer(say('{"photographs": []}')) as server:
        options = ("--layouts", "2x2", "--lengths", "1", "--trials", 1, "--json")
        measured = result_of(invoke(server, *options))
    assert measured["pictures"] == "1 simulated rooms"
    assert measured["scores"][0]["recall"] == 0.0


def test_pictures_of_a_memory(rooms: Path) -> None:
    with ChatServer(say('{"photographs": []}')) as server:
        options = ("--images", "room", "--memory-root", rooms, "--layouts", "2x2")
        measured = result_of(invoke(server, *options, "--lengths", 1, "--trials", 1, "--json"))
    assert measured["pictures"] == "memory room"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--layouts", "4by1"), "'4by1' is not a layout such as 4x1"),
        (("--layouts", "0x4"), "without cells"),
        (("--lengths", "1,none"), "not a list of numbers"),
        (("--lengths", "0"), "not a list of numbers"),
        (("--images", "nowhere"), "there is no memory nowhere"),
        (("--out", "/proc/none/layouts.json"), "cannot write to /proc/none/layouts.json"),
        (("--lengths", "1,40"), "40 sheets of 6x6 would have 1440 pictures"),
    ],
)
def test_impossible_options_are_refused_before_any_request(
    options: tuple[str, str], complaint: str
) -> None:
    with ChatServer(say(honest)) as server:
        result = invoke(server, *options)
        assert server.requests == []
    assert result.exit_code != 0
    assert complaint in " ".join(result.output.split()) + str(result.exception)


def test_pictures_of_a_phone_are_made_as_small_as_a_sheet(tmp_path: Path) -> None:
    (tmp_path / "phone.jpg").write_bytes(dull_picture(2000, 1500))
    config = tmp_path / "models.yaml"
    config.write_text("vlm_grounder: {longest_px: 1024}")
    with ChatServer(say(honest)) as server:
        options = ("--images", tmp_path, "--config", config, "--layouts", "2x2", "--lengths", "1")
        measured = result_of(invoke(server, *options, "--trials", 1, "--json"))
    assert measured["picture_px"] == [1024, 768]
    assert measured["scores"][0]["recall"] == 1.0


def huge_png() -> bytes:
    """A PNG of more pixels than OpenCV accepts, in a few bytes."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + check

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (chunk(b"IHDR", header), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    )


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"no picture", "no JPEG or PNG"),
        (huge_png(), "60000x60000 pixels"),
        (dull_picture(9, 9), "a picture of 9x9 cannot be used"),
        (None, "cannot read"),
    ],
    ids=["text", "huge", "tiny", "folder"],
)
def test_error_names_an_unusable_file_before_any_request(
    content: bytes | None, complaint: str, pictures: Path
) -> None:
    odd = pictures / "odd.png"
    if content is None:
        odd.mkdir()
    else:
        odd.write_bytes(content)
    with ChatServer(say(honest)) as server:
        result = invoke(server, "--images", pictures)
        assert server.requests == []
    assert result.exit_code == 1
    told = " ".join(result.output.split())
    assert told.startswith("scenemind: ")
    assert complaint in told
    assert "odd.png" in told


def test_no_empty_file_stays_without_measurements(tmp_path: Path) -> None:
    out = tmp_path / "layouts.json"
    with ChatServer(say(honest)) as server:
        result = invoke(server, "--images", "nowhere", "--out", out)
    assert result.exit_code == 1
    assert not out.exists()


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    result = invoke("http://127.0.0.1:9/v1", "--images", tmp_path)
    assert "has no pictures" in " ".join(result.output.split()) + str(result.exception)


def test_missing_model_is_an_error(pictures: Path) -> None:
    result = CliRunner().invoke(app, ["visual-retrieval", "--images", str(pictures)])
    assert result.exit_code != 0
    assert "no model is named" in " ".join(result.output.split()) + str(result.exception)
