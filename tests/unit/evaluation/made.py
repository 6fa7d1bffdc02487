"""A small room with its objects file, and rows about it in each benchmark's own form."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from scenemind.evaluation.benchmark import evaluate, get_benchmark, select_rows
from scenemind.evaluation.datasets import Row
from scenemind.evaluation.method import Method
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.result import Evaluation
from scenemind.evaluation.runner import run
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.sources import ObjectsSource
from scenemind.evaluation.workers import InProcess

SCENE = "scene0001_00"
# A room of 4 x 6 m: two chairs, of which one stands by the desk, and a bed at the other end.
OBJECTS: list[dict[str, Any]] = [
    {"id": 0, "label": "floor", "center": [0, 0, 0], "size": [4, 6, 0.02]},
    {"id": 1, "label": "chair", "center": [0, 1.4, 0.4], "size": [0.5, 0.5, 0.8]},
    {"id": 2, "label": "chair", "center": [-1, -2, 0.4], "size": [0.5, 0.5, 0.8]},
    {"id": 3, "label": "desk", "center": [0, 2.2, 0.4], "size": [1.4, 0.7, 0.8]},
    {"id": 4, "label": "bed", "center": [1, -2, 0.3], "size": [1.5, 1.9, 0.6]},
]
# A quarter turn about z, and a shift that poses do not need.
ALIGNMENT = [0, -1, 0, 7, 1, 0, 0, -9, 0, 0, 1, 1, 0, 0, 0, 1]
CLOSEST = (
    "BOX0=LOC(object='chair')\nBOX1=LOC(object='desk')\nTARGET=CLOSEST(targets=BOX0, anchors=BOX1)"
)


def write_objects(folder: Path, scene: str = SCENE, **more: Any) -> Path:
    path = folder / "objects.json"
    path.write_text(json.dumps({scene: {"axis_alignment": ALIGNMENT, "objects": OBJECTS, **more}}))
    return path


def write_json(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def zsvg3d_row(text: str = "the chair closest to the desk", target: int = 1) -> dict[str, Any]:
    return {
        "scan_id": SCENE,
        "target_id": target,
        "caption": text,
        "program": CLOSEST,
        "easy": True,
        "view_dep": False,
    }


def write_nr3d_csv(folder: Path, name: str = "nr3d_test.csv", **more: str) -> Path:
    row = {
        "stimulus_id": f"{SCENE}-chair-2-1-2",
        "utterance": "the chair left of the desk",
        "scan_id": SCENE,
        "instance_type": "chair",
        "target_id": "1",
        "tokens": "['the', 'chair', 'left', 'of', 'the', 'desk']",
        **more,
    }
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)
    return path


def write_sqa3d(folder: Path, question: str = "How many chairs are there?") -> Path:
    """Write questions and annotations; return the folder to read."""
    questions = {
        "scene_id": SCENE,
        "situation": "I am facing the desk.",
        "question": question,
        "question_id": 220602000001,
    }
    annotation = {
        "question_id": 220602000001,
        "answers": [{"answer": "two"}],
        "rotation": {"_x": 0, "_y": 0, "_z": 0, "_w": 1},
        "position": {"x": 0.5, "y": 1.0, "z": 0},
    }
    write_json(folder, "v1_questions_test.json", {"questions": [questions]})
    write_json(folder, "v1_sqa_annotations_test.json", {"annotations": [annotation]})
    return folder


def write_scanqa(folder: Path) -> Path:
    """Write one question with two answers; return the folder to read."""
    row = {
        "question_id": "val-scene0001-0",
        "scene_id": SCENE,
        "question": "Where is the chair?",
        "answers": ["at the desk", "next to the desk"],
        "object_ids": [1],
        "object_names": ["chair"],
    }
    write_json(folder, "ScanQA_v1.0_val.json", [row])
    return folder


def write_openeqa(folder: Path) -> Path:
    """Write questions about one episode; return the folder to read."""
    row = {
        "question_id": "0001",
        "question": "Where is the chair?",
        "answer": "By the desk",
        "extra_answers": ["in front of the desk"],
        "category": "object localization",
        "episode_history": "hm3d-v0/000-made",
    }
    write_json(folder, "open-eqa-v0.json", [row])
    return folder


def write_omni3d(folder: Path, *answers: tuple[str, str | float]) -> Path:
    """Write one question for each pair of answer type and answer; return the folder to read."""
    rows = [
        {
            "image_index": "1",
            "question_index": str(number),
            "image_filename": "00001.jpg",
            "question": "Which one is it?",
            "answer_type": answer_type,
            "answer": answer,
        }
        for number, (answer_type, answer) in enumerate(answers)
    ]
    write_json(folder, "annotations.json", {"questions": rows})
    return folder


def read(name: str, data: Path) -> list[Row]:
    """All rows of a benchmark's file."""
    return list(get_benchmark(name).read(data))


def asked(rows: Iterable[Row], method: Method) -> tuple[Prediction, ...]:
    """Predictions of a method for rows, made in this process."""
    return run(list(rows), InProcess(lambda _: nullcontext(method))).predictions


def evaluated(
    name: str, data: Path, scenes: Scenes, method: Method, limit: int | None = None
) -> Evaluation:
    """A benchmark asked and scored on the scenes' true objects."""
    benchmark = get_benchmark(name)
    rows = select_rows(benchmark.read(data), benchmark.groups, limit=limit)
    return evaluate(benchmark, method.name, ObjectsSource(scenes), asked(rows, method), scenes)
