"""Detections that may show what is looked for, as columns (VLM-Grounder, section 3.1)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import FrameIndex, KeyFrame, MapObject
from scenemind.reasoning.vlm_grounder.fallback_detection import SeenBox
from scenemind.reasoning.vlm_grounder.types import Target

_MOST_OF_FRAME = 40  # more marks would hide the picture


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """
    Attributes:
        rows: (M,) int32, of the frame index, never falling.
        object_ids: (M,) int32, of the map; 0: of none.
        scores: (M,) float32.
        boxes_px: (M, 4) float32.
    """

    rows: NDArray[np.int32]
    object_ids: NDArray[np.int32]
    scores: NDArray[np.float32]
    boxes_px: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.rows)

    def objects(self) -> list[int]:
        """Ids of the objects of the map among them, ascending."""
        return [int(i) for i in np.unique(self.object_ids) if i]

    def targets(self, row: int, frame: KeyFrame) -> list[Target]:
        """Those of one frame, from left to right: each object once, and of very many the surest."""
        start, stop = np.searchsorted(self.rows, (row, row + 1)).tolist()
        order = start + np.argsort(-self.scores[start:stop], kind="stable")
        seen: set[int] = set()
        found = []
        for place in order.tolist():
            object_id = int(self.object_ids[place])
            if object_id and object_id in seen:
                continue
            seen.add(object_id)
            x0, y0, x1, y1 = self.boxes_px[place].tolist()
            score = float(self.scores[place])
            found.append(Target(frame, (x0, y0, x1, y1), object_id or None, score))
        return sorted(
            found[:_MOST_OF_FRAME], key=lambda target: target.box_px[0] + target.box_px[2]
        )


def all_candidates(index: FrameIndex, least_score: float) -> Candidates:
    """Every detection that is surer than this."""
    return _selected(index, index.detection_scores > least_score)


def candidates_of_class(
    index: FrameIndex,
    labels: Collection[str],
    objects: Mapping[int, MapObject],
    least_score: float,
) -> Candidates:
    """Detections of things with one of these labels that are surer than this.

    What the detector called it counts, and what the map does, as several looks agreed; where a
    person gave the name, only that does.

    Args:
        objects: of the map, as people see them.
    """
    fitting = [i for i, thing in objects.items() if thing.label in labels]
    renamed = [
        i
        for i, thing in objects.items()
        if thing.label not in labels and thing.label != thing.perceived_label
    ]
    is_meant = (index.is_called(labels) | index.is_of(fitting)) & ~index.is_of(renamed)
    return _selected(index, is_meant & (index.detection_scores > least_score))


def seen_candidates(index: FrameIndex, seen: Sequence[SeenBox]) -> Candidates:
    """What a look over stored frames found, in those that are in the index."""
    row_of = {number: row for row, number in enumerate(index.frame_numbers.tolist())}
    known = [(row_of[box.frame_number], box) for box in seen if box.frame_number in row_of]
    known.sort(key=lambda place: place[0])
    return Candidates(
        np.array([row for row, _ in known], np.int32),
        np.zeros(len(known), np.int32),
        np.array([box.score for _, box in known], np.float32),
        np.array([box.box_px for _, box in known], np.float32).reshape(-1, 4),
    )


def _selected(index: FrameIndex, chosen: NDArray[np.bool_]) -> Candidates:
    return Candidates(
        index.detection_frames[chosen],
        index.detection_objects[chosen],
        index.detection_scores[chosen],
        index.detection_boxes_px[chosen],
    )
