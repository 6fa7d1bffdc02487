"""The maps of the real sequences and of a simulated drive, and answers to sentences on them.

`maps.json` has each object's label and box, `answers.json` what is answered to the sentences of
`sentences.yaml` and to those of the shared file of everyday sentences (by their numbers there).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from .command_line import ask, correct, ground, map_sequence
from .conftest import FrozenValues

_SENTENCES = Path(__file__).parent / "data" / "sentences.yaml"
_SIMULATED = "sim:1001:frames=100"
_SEQUENCES = ("hololens", "redkitchen", "tum_fr1_rpy")
_FRAMES = 30  # of a sequence, where not all of it is mapped
_STEP = 5  # every fifth sentence, where not all are asked
_TOLERANCE_M = 0.002
_KINDS = ("questions", "phrases", "corrections")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all memories."""
    return tmp_path_factory.mktemp("memories")


@pytest.fixture(scope="module")
def simulated(root: Path) -> list[dict[str, Any]]:
    """The objects of the simulated drive's map, whose memory is `simulated`."""
    return map_sequence(_SIMULATED, root, "simulated")


@pytest.fixture(scope="module")
def recorded(
    root: Path, shared_data: Path, all_rows: bool
) -> Callable[[str], list[dict[str, Any]]]:
    """The objects of a real sequence's map, whose memory has its name; each is mapped once."""
    maps: dict[str, list[dict[str, Any]]] = {}
    options = () if all_rows else ("--frames", _FRAMES)
    weights = shared_data / "weights" / "yolov8n-seg_int8.onnx"
    # OpenVINO, where an extra has brought it, detects a little differently. On cores that other
    # tests use too, a second thread mostly waits, and uses a core for that.
    settings = root / "settings.yaml"
    settings.write_text("detector: {runtime: onnxruntime, threads: 1}\n", encoding="utf-8")

    def objects_of(name: str) -> list[dict[str, Any]]:
        if name not in maps:
            folder = shared_data / "sequences" / name
            maps[name] = map_sequence(
                folder, root, name, "--detector", weights, "--config", settings, *options
            )
        return maps[name]

    return objects_of


def test_map_of_a_simulated_drive(simulated: list[dict[str, Any]], frozen: FrozenValues) -> None:
    _compare_map(_SIMULATED, simulated, frozen)


@pytest.mark.parametrize("name", _SEQUENCES)
def test_map_of_a_real_sequence(
    name: str,
    recorded: Callable[[str], list[dict[str, Any]]],
    all_rows: bool,
    frozen: FrozenValues,
) -> None:
    _compare_map(_part(name, all_rows), recorded(name), frozen)


@pytest.mark.parametrize("kind", _KINDS)
def test_answers_on_a_simulated_drive(
    kind: str, root: Path, simulated: object, all_rows: bool, frozen: FrozenValues
) -> None:
    del simulated
    sentences = yaml.safe_load(_SENTENCES.read_text(encoding="utf-8"))[kind]
    now = dict(frozen.recorded("answers.json", kind) or {})
    for sentence in sentences[:: 1 if all_rows else _STEP]:
        now[sentence] = _answer(kind, root, "simulated", sentence)
    now = {sentence: now[sentence] for sentence in sentences if sentence in now}
    assert now == frozen.get("answers.json", kind, now)


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("name", ["simulated", "hololens"])
def test_answers_to_everyday_sentences(
    name: str,
    kind: str,
    root: Path,
    simulated: object,
    recorded: Callable[[str], list[dict[str, Any]]],
    shared_data: Path,
    all_rows: bool,
    frozen: FrozenValues,
) -> None:
    del simulated
    if name != "simulated":
        recorded(name)
    sentences = _everyday(shared_data / "language" / "everyday.md", kind)
    now = {
        str(number): _without(sentence, _answer(kind, root, name, sentence))
        for number, sentence in sentences.items()
    }
    place = name if name == "simulated" else _part(name, all_rows)
    assert now == frozen.get("everyday.json", f"{kind}, {place}", now)


def _compare_map(part: str, objects: list[dict[str, Any]], frozen: FrozenValues) -> None:
    now = {str(o["id"]): [o["label"], o["observations"], *o["center"], *o["size"]] for o in objects}
    before = frozen.get("maps.json", part, now)
    assert {k: row[:2] for k, row in now.items()} == {k: row[:2] for k, row in before.items()}
    for number, (_label, _observations, *box) in now.items():
        assert box == pytest.approx(before[number][2:], abs=_TOLERANCE_M), number


def _part(name: str, all_rows: bool) -> str:
    return name if all_rows else f"{name}, {_FRAMES} frames"


def _answer(kind: str, root: Path, memory: str, sentence: str) -> list[Any]:
    """What is said, and of which objects; of a correction also what it wrote."""
    if kind == "questions":
        reply = ask(root, memory, sentence)
        return [reply["answer"], reply["confidence"], [o["id"] for o in reply["objects"]]]
    if kind == "phrases":
        reply = ground(root, memory, sentence)
        code = reply["error"]["code"] if reply["error"] else ""
        return [reply["reasoning"] or code, [o["id"] for o in reply["objects"]]]
    reply, journal = correct(root, memory, sentence)
    keys = ("kind", "object_ids", "key", "value", "new_ids", "undone")
    return [reply["response"], *([row[key] for key in keys] for row in journal)]


def _everyday(path: Path, kind: str) -> dict[int, str]:
    """Sentences by their number in the file's section, without the map they were said of."""
    section = path.read_text(encoding="utf-8").partition(f"## {kind.capitalize()}")[2]
    rows = re.findall(r"^(\d+)\. \[\w+\] (.+)$", section.partition("\n## ")[0], re.MULTILINE)
    return {int(number): sentence for number, sentence in rows}


def _without(sentence: str, answer: list[Any]) -> list[Any]:
    """The answer, in which the sentence itself is not repeated."""
    return [part.replace(sentence, "...") if isinstance(part, str) else part for part in answer]
