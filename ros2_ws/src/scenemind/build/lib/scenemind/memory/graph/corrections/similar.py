"""Objects to which a correction may apply as well, by their similarity in perception."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.memory.types import Edit, MapObject

OF_ONE_OBJECT = ("rename", "set_attribute", "delete_object", "confirm")
# Weights of the similarity terms; the score of a pair is the weighted mean of its known terms.
LABEL_WEIGHT = 4.0
COLOR_WEIGHT = 2.0
SIZE_WEIGHT = 2.0
LOOKS_WEIGHT = 4.0
# Least score of a candidate: same label or similar appearance, and little against it.
LEAST_SCORE = 0.6
SAME_SIZE = 0.75
# Cosines of image vectors of unrelated and of similar objects.
UNLIKE_COSINE = 0.5
ALIKE_COSINE = 0.85


@dataclass(frozen=True, slots=True)
class SimilarObject:
    """A candidate with its reasons.

    Attributes:
        score: in [0, 1].
        reasons: for people, such as "also perceived as microwave", "same color (white)".
    """

    object_id: int
    score: float
    reasons: tuple[str, ...]


def find_similar(
    edit: Edit,
    perceived: Mapping[int, MapObject],
    seen: Mapping[int, MapObject],
    vectors: Mapping[int, NDArray[np.float32]],
) -> list[SimilarObject]:
    """Objects similar to the first one of an edit, best first, without the edited ones and those
    that the edit would not change.

    Args:
        perceived: perceived objects, the edited one included. seen: corrected objects.
        vectors: object id -> unit image vector (D,), of objects that have one.

    Raises:
        SceneMemoryError: the edit is not about single objects, or its object is missing.
    """
    if edit.kind not in OF_ONE_OBJECT:
        raise SceneMemoryError(
            f"{edit.kind} is about certain objects: only {', '.join(OF_ONE_OBJECT)} can hold for"
            " similar ones"
        )
    if not edit.object_ids:
        raise SceneMemoryError(f"{edit.kind} needs at least one object")
    example = perceived.get(edit.object_ids[0])
    if example is None:
        raise SceneMemoryError(f"there is no object {edit.object_ids[0]} to find similar ones to")
    found = []
    for object_id in perceived.keys() & seen.keys() - set(edit.object_ids):
        if not _is_so(edit, seen[object_id]):
            found.append(_compare(example, perceived[object_id], vectors))
    return sorted(
        (similar for similar in found if similar.score >= LEAST_SCORE),
        key=lambda similar: (-similar.score, similar.object_id),
    )


def _is_so(edit: Edit, thing: MapObject) -> bool:
    if edit.kind == "rename":
        return thing.label == edit.value
    if edit.kind == "set_attribute":
        return thing.attributes.get(edit.key, "") == edit.value
    return edit.kind == "confirm" and thing.confidence == 1.0


def _compare(
    example: MapObject, other: MapObject, vectors: Mapping[int, NDArray[np.float32]]
) -> SimilarObject:
    votes: list[tuple[float, float]] = []
    reasons: list[str] = []
    same_label = example.perceived_label == other.perceived_label
    votes.append((LABEL_WEIGHT, float(same_label)))
    if same_label:
        reasons.append(f"also perceived as {other.perceived_label}")
    colors = example.attributes.get("color"), other.attributes.get("color")
    if all(colors):
        votes.append((COLOR_WEIGHT, float(colors[0] == colors[1])))
        if colors[0] == colors[1]:
            reasons.append(f"same color ({colors[0]})")
    ratio = _size_ratio(example, other)
    votes.append((SIZE_WEIGHT, ratio))
    if ratio >= SAME_SIZE:
        reasons.append(f"about as large ({ratio:.0%})")
    if example.object_id in vectors and other.object_id in vectors:
        cosine = float(vectors[example.object_id] @ vectors[other.object_id])
        alike = (cosine - UNLIKE_COSINE) / (ALIKE_COSINE - UNLIKE_COSINE)
        votes.append((LOOKS_WEIGHT, float(np.clip(alike, 0.0, 1.0))))
        if cosine >= ALIKE_COSINE:
            reasons.append(f"looks alike ({cosine:.2f})")
    total = sum(weight for weight, _ in votes)
    score = sum(weight * vote for weight, vote in votes) / total
    return SimilarObject(other.object_id, score, tuple(reasons))


def _size_ratio(a: MapObject, b: MapObject) -> float:
    """Mean ratio of the sorted side lengths, the smaller over the larger."""
    sides = np.sort(np.maximum((a.yaw_box.size, b.yaw_box.size), 0.01), axis=1)
    return float(np.mean(sides.min(axis=0) / sides.max(axis=0)))
