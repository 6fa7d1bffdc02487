"""Statements of people about their surroundings in SQA3D's situations, with their poses.

"There is a chair on my left" was written by somebody who saw the scene from a pose that the file
gives: a truth about directions that knows nothing of our definitions.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import MapObject
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from tests.unit.memory.things import thing

_EYES_M = 1.2
# Up to two words, such as "with wheels", may stand between a thing and where it is.
_BETWEEN = r"(?:s|es)?(?: (?!and|while|with|behind|facing)\w+){0,2}?,? (?:is |are )?"
_SIDE = r"(?:on|to|at|by) my (?:immediate |direct |far )?"
_PLACE = r"(?:directly |right |just )?"
_SAID = {
    "left": _BETWEEN + _SIDE + r"left(?! foot)",
    "right": _BETWEEN + _SIDE + r"right(?! foot)",
    "behind": _BETWEEN + _PLACE + r"behind me",
    "front": _BETWEEN + _PLACE + r"in front of me",
    "o'clock": r"(?:s|es)?(?: is| are)? (?:in|at|to|on) my (\w+ o'clock)",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """Somebody says that a thing of this label stands in this relation to them."""

    situation: str
    relation: str
    label: str
    scene: tuple[MapObject, ...]
    viewpoint: Viewpoint


def read_statements(annotations: Path) -> Iterator[Statement]:
    """All statements that name an object of the scene as its annotation does."""
    with gzip.open(annotations / "scannet_objects.json.gz", "rt") as file:
        scenes = json.load(file)
    folder = annotations / "sqa3d"
    asked = _load(folder / "v1_balanced_questions_test_scannetv2.json")["questions"]
    questions = {question["question_id"]: question for question in asked}
    seen: set[tuple[str, str]] = set()
    objects_of: dict[str, tuple[MapObject, ...]] = {}
    for row in _load(folder / "v1_balanced_sqa_annotations_test_scannetv2.json")["annotations"]:
        question, scene_id = questions[row["question_id"]], row["scene_id"]
        if scene_id not in objects_of:
            objects_of[scene_id] = _objects(scenes[scene_id]["objects"])
        objects = objects_of[scene_id]
        viewpoint = _viewpoint(row, scenes[scene_id]["axis_alignment"], objects)
        for text in (question["situation"], *question["alternative_situation"]):
            if (scene_id, text) not in seen:
                seen.add((scene_id, text))
                for relation, label in _said(text.lower(), objects):
                    yield Statement(text, relation, label, objects, viewpoint)


def _objects(listed: Sequence[Mapping[str, Any]]) -> tuple[MapObject, ...]:
    return tuple(thing(o["id"], o["label"], o["center"], o["size"]) for o in listed)


def _said(text: str, objects: Sequence[MapObject]) -> Iterator[tuple[str, str]]:
    """(relation, label) of each statement; longer labels first, each place of the text once."""
    named = {o.label for o in objects if o.label in text}
    labels = sorted(named, key=lambda label: (-len(label), label))
    for relation, pattern in _SAID.items():
        for label in labels:
            found = re.search(rf"(?<!no )(?<!other )\b{re.escape(label)}{pattern}", text)
            if found:
                yield (found.group(1) if relation == "o'clock" else relation), label
                text = text.replace(found.group(0), "#", 1)
                break


def _viewpoint(
    row: Mapping[str, Any], axis_alignment: Sequence[float], objects: Sequence[MapObject]
) -> Viewpoint:
    """Poses stand in the scan's own frame, about the middle of its box; -x is ahead."""
    rotation: NDArray[np.float64] = np.reshape(axis_alignment, (4, 4))[:3, :3]
    extents = np.array([o.box.extent() for o in objects])
    middle = (extents[:, :3].min(axis=0) + extents[:, 3:].max(axis=0)) / 2.0
    position = rotation @ [row["position"][axis] for axis in "xyz"] + middle
    yaw = 2.0 * np.arctan2(row["rotation"]["_z"], row["rotation"]["_w"])
    ahead = rotation @ (-np.cos(yaw), -np.sin(yaw), 0.0)
    return Viewpoint(
        np.append(position[:2], _EYES_M), ahead[:2] / np.linalg.norm(ahead[:2]), "SQA3D"
    )


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
