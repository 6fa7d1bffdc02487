"""View pre-selection (VLM-Grounder, section 3.1): the stored frames and detections that may show
the target class.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import iou_matrix_2d
from scenemind.language.quoting import quoted
from scenemind.memory import FrameIndex, KeyFrame, MapObject, MemoryAccess
from scenemind.models import ModelError
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text import normalized_label
from scenemind.perception.types import Detections, PerceptionError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.shared_models import SharedDetector
from scenemind.reasoning.stored_frames import StoredFrames, search_frames
from scenemind.reasoning.vlm_grounder.query_analysis import (
    UNKNOWN,
    FoundBy,
    known_labels,
    match_labels,
)
from scenemind.reasoning.vlm_grounder.targets import BoxPx, QueryAnalysis, StoredScene, Target

_log = logging.getLogger(__name__)

# Neighbouring frames nearer than this in place and in direction look the same.
_SAME_M, _SAME_RAD = 0.1, np.radians(5.0)
# A box at the image's edge that reaches less far into it, as a share of its side, is a sliver.
_EDGE_PX, _SLIVER = 2.0, 0.08
# Frames without the class: at most so many, as one sheet holds, and this part of all.
_REST, _REST_SHARE = 16, 4
_SAME_BOX = 0.5  # IoU of a drawn box with a detection of the same object


@dataclass(frozen=True, slots=True, eq=False)
class ViewSelection:
    """The pre-selected views of a query.

    Attributes:
        candidates: detections that may be the target.
        rows: rows of the frame index: frames to show, in the order of time.
        rest: (len(rows),) bool: frames without a detection of the class, which are shown because
            detectors err.
        labels: of the candidates; empty: all detections are candidates.
        by: how the labels were found; "search": by a detector that was told the class; "": no label
            means the class.
        index: of all stored frames.
    """

    candidates: Candidates
    rows: NDArray[np.intp]
    rest: NDArray[np.bool_]
    labels: tuple[str, ...]
    by: FoundBy | Literal["search", ""]
    index: FrameIndex

    def targets(self, row: int, frame: KeyFrame) -> list[Target]:
        """The candidates in one frame, from left to right."""
        labels = frozenset(self.labels)
        return [replace(t, labels=labels) for t in self.candidates.targets(row, frame)]

    def drawn(self, row: int, frame: KeyFrame, box_px: BoxPx) -> Target:
        """The target that a model drew a box around in a frame, where none of the candidates was
        it. A detection of something else at this very place is of the same object."""
        candidates = self.candidates.targets(row, frame)
        others = frozenset(t.object_id for t in candidates if t.object_id is not None)
        start, stop = np.searchsorted(self.index.detection_frames, (row, row + 1)).tolist()
        ids = self.index.detection_objects[start:stop]
        drawn = np.array([box_px], np.float32)
        alike = iou_matrix_2d(self.index.detection_boxes_px[start:stop], drawn)[:, 0]
        alike[(ids == 0) | np.isin(ids, list(others))] = 0.0
        best = int(alike.argmax()) if len(alike) else 0
        object_id = int(ids[best]) if len(alike) and alike[best] >= _SAME_BOX else None
        return Target(
            frame,
            box_px,
            object_id,
            0.0,
            is_drawn=True,
            labels=frozenset(self.labels),
            not_objects=others,
        )


class ViewSelector:
    """View pre-selection from the detections that made the map, without a detector. Thread-safe: it
    keeps nothing of a query."""

    def __init__(
        self,
        encoder: TextEncoder | None,
        detector: ClassDetector | None,
        most_frames: int,
        least_score: float,
    ) -> None:
        """
        Args:
            encoder: compares the meanings of labels; None: only words and the model do.
            detector: searches stored frames where no label of the memory means the class; None:
                they are not searched.
            most_frames: for one query.
            least_score: detections with a higher score count.
        """
        self._encoder = encoder
        self._detector = detector
        self._most_frames = most_frames
        self._least_score = least_score

    def select(self, analysis: QueryAnalysis, scene: StoredScene, asking: Asking) -> ViewSelection:
        """The frames with a detection of the class and a rest of the others; without any such
        detection all frames with all detections, as in the paper's code.

        Raises:
            ModelError: the allowance is used up.
        """
        progress, index = asking.progress, scene.index
        progress.report("preselect")
        found, labels, by = self._find_of_class(analysis, scene, asking)
        every = all_candidates(index, self._least_score)
        if not by:
            rows = frames_to_show(index, every, np.arange(len(index)), self._most_frames)
            selection = ViewSelection(every, rows, np.zeros(len(rows), np.bool_), (), "", index)
        else:
            selection = self._with_rest(found, every, labels, by, index)
        places = len(np.unique(index.location_ids[selection.rows]))
        what = (
            f"{len(np.unique(found.rows))} of {len(index)} stored frames show such a thing"
            if by
            else f"{len(index)} of {len(index)} stored frames may show it"
        )
        rest = f" and {selection.rest.sum()} others" if selection.rest.any() else ""
        progress.note(
            f"{what}; {(~selection.rest).sum()} of them{rest} are looked at,"
            f" from {places} {'location' if places == 1 else 'locations'}"
        )
        progress.report("preselect", progress.steps[-1])
        return selection

    def _with_rest(
        self,
        found: Candidates,
        every: Candidates,
        labels: tuple[str, ...],
        by: FoundBy | Literal["search"],
        index: FrameIndex,
    ) -> ViewSelection:
        without = np.setdiff1d(np.arange(len(index)), found.rows)
        most_rest = min(_REST, self._most_frames // _REST_SHARE)
        rest = frames_to_show(index, every, without, most_rest)
        first = frames_to_show(
            index, found, frames_showing(index, found), self._most_frames - len(rest)
        )
        rows = np.sort(np.concatenate((first, rest)))
        return ViewSelection(found, rows, np.isin(rows, rest), labels, by, index)

    def _find_of_class(
        self, analysis: QueryAnalysis, scene: StoredScene, asking: Asking
    ) -> tuple[Candidates, tuple[str, ...], FoundBy | Literal["search", ""]]:
        """Detections of the class, their labels, and how they were found: "" where the query names
        no class, or there are none."""
        progress = asking.progress
        name, least = analysis.target_class, self._least_score
        index, objects = scene.index, scene.snapshot.objects
        if name == UNKNOWN:
            return Candidates.none(), (), ""
        match = match_labels(analysis, known_labels(scene), self._encoder, progress)
        found = candidates_of_class(index, match.labels, objects, least)
        if len(found):
            return found, match.labels, match.by
        if match.labels:
            progress.note(f"no stored frame shows one with a score above {least:g}")
        if self._detector is None:
            return found, (), ""
        seen = self._detector.detect(name, scene.memory, asking)
        progress.note(*seen.steps)
        found = seen_candidates(index, seen.boxes)
        if not len(found):
            progress.note(f"nobody knows a frame with {quoted(name)}")
        return found, (name,), "search" if len(found) else ""


def frames_to_show(
    index: FrameIndex, candidates: Candidates, rows: NDArray[np.intp], most: int
) -> NDArray[np.intp]:
    """The best of some rows of the index, in the order of time.

    Of neighbouring frames that look the same the one that shows candidates best stays. Of what are
    still too many, those stay that show an object best or a location best, then the second best of
    each, and so on.

    Args:
        most: at most so many.
    """
    worth = _worth(index, candidates)
    rows = _without_doubles(index, candidates, rows, worth)
    if len(rows) > most:
        rank = _rank(index.location_ids[rows], worth[rows])
        of_object = np.full(len(index), len(index))
        named = np.flatnonzero(candidates.object_ids)
        np.minimum.at(
            of_object,
            candidates.rows[named],
            _rank(candidates.object_ids[named], _box_worth(index, candidates)[named]),
        )
        best = np.lexsort((-worth[rows], np.minimum(rank, of_object[rows])))[:most]
        rows = np.sort(rows[best])
    return rows


def frames_showing(index: FrameIndex, candidates: Candidates) -> NDArray[np.intp]:
    """Rows with a candidate that is no sliver of an object that other frames show better."""
    return np.unique(candidates.rows[~_spare_slivers(index, candidates)]).astype(np.intp)


def _spare_slivers(index: FrameIndex, candidates: Candidates) -> NDArray[np.bool_]:
    """(M,) Whether a candidate is a sliver at the image's edge of an object that other frames show
    better."""
    cameras = index.camera_indices[candidates.rows]
    sides = np.array([(c.width, c.height) for c in index.cameras], np.float32).reshape(-1, 2)
    size_px = sides[cameras]
    low, high = (np.clip(candidates.boxes_px[:, k : k + 2], 0.0, size_px) for k in (0, 2))
    at_edge = (low <= _EDGE_PX) | (high >= size_px - _EDGE_PX)
    slivers = (at_edge & (high - low < _SLIVER * size_px)).any(axis=1)
    seen_better = np.unique(candidates.object_ids[~slivers])
    known = (candidates.object_ids != 0) & np.isin(candidates.object_ids, seen_better)
    spare: NDArray[np.bool_] = slivers & known
    return spare


def _box_worth(index: FrameIndex, candidates: Candidates) -> NDArray[np.float64]:
    """(M,) How well each candidate is seen: its score times the root of its share of the image."""
    boxes = candidates.boxes_px.astype(np.float64)
    area_px = np.prod(np.maximum(boxes[:, 2:] - boxes[:, :2], 0.0), axis=1)
    cameras = index.camera_indices[candidates.rows]
    whole_px = np.array([c.width * c.height for c in index.cameras], np.float64)
    if not len(candidates):
        return np.zeros(0)
    return candidates.scores * np.sqrt(area_px / whole_px[cameras])


def _worth(index: FrameIndex, candidates: Candidates) -> NDArray[np.float64]:
    """(N,) The worth of each frame: that of its best candidate."""
    worth = np.zeros(len(index))
    np.maximum.at(worth, candidates.rows, _box_worth(index, candidates))
    return worth


def _without_doubles(
    index: FrameIndex, candidates: Candidates, rows: NDArray[np.intp], worth: NDArray[np.float64]
) -> NDArray[np.intp]:
    """The best frame of each piece of the camera's path. A piece also ends where other objects are
    seen, since objects may come and go before a camera that stands still."""
    if not len(rows):
        return rows
    poses = index.world_T_camera[rows]
    way_m = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    turned = np.einsum("nij,nij->n", poses[1:, :3, :3], poses[:-1, :3, :3])
    turn_rad = np.arccos(np.clip((turned - 1.0) / 2.0, -1.0, 1.0))
    moved = np.concatenate(([0.0], np.cumsum(way_m / _SAME_M + turn_rad / _SAME_RAD)))
    shown = _what_is_shown(len(index), candidates)[rows]
    changed = np.concatenate(([False], shown[1:] != shown[:-1]))
    piece = np.floor(moved).astype(np.int64) + np.cumsum(changed) * (int(moved[-1]) + 1)
    order = np.lexsort((-worth[rows], piece))
    is_first = np.concatenate(([True], np.diff(piece[order]) != 0))
    kept: NDArray[np.intp] = np.sort(rows[order[is_first]])
    return kept


def _what_is_shown(count: int, candidates: Candidates) -> NDArray[np.uint64]:
    """(count,) A hash of the set of objects that each frame shows."""
    rng = np.random.default_rng(0)
    known, place = np.unique(candidates.object_ids, return_inverse=True)
    signs = rng.integers(1, 2**63, len(known), dtype=np.uint64)
    shown = np.zeros(count, np.uint64)
    np.bitwise_xor.at(shown, candidates.rows, signs[place])
    return shown


def _rank(groups: NDArray[np.integer], worth: NDArray[np.float64]) -> NDArray[np.intp]:
    """The rank of each entry within its group, from 0, the best first."""
    order = np.lexsort((-worth, groups))
    begins = np.concatenate(([True], np.diff(groups[order]) != 0))[: len(groups)]
    first = np.maximum.accumulate(np.where(begins, np.arange(len(groups)), 0))
    rank = np.empty(len(groups), np.intp)
    rank[order] = np.arange(len(groups)) - first
    return rank


_MOST_OF_FRAME = 40  # more marks would hide the picture


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Detections that may be the target, as columns.

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

    @classmethod
    def none(cls) -> Candidates:
        number = np.zeros(0, np.int32)
        return cls(number, number, np.zeros(0, np.float32), np.zeros((0, 4), np.float32))

    def __len__(self) -> int:
        return len(self.rows)

    def objects(self) -> list[int]:
        """Ids of the map's objects among them, ascending."""
        return [int(i) for i in np.unique(self.object_ids) if i]

    def targets(self, row: int, frame: KeyFrame) -> list[Target]:
        """The candidates in one frame, from left to right: each object once, and at most the 40
        with the highest scores."""
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
    """All detections with a higher score than this."""
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
    """The detections of a search, in frames of the index."""
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


@dataclass(frozen=True, slots=True)
class SeenBox:
    """A detection of the class in a stored frame, with its score in [0, 1]."""

    frame_number: int
    box_px: BoxPx
    score: float


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of a search.

    Attributes:
        boxes: by frame, oldest first; of each frame the surest first.
        steps: what was searched, and why a search ended early.
    """

    boxes: tuple[SeenBox, ...]
    steps: tuple[str, ...]


class ClassDetector:
    """A search of stored frames for the target class with an open-vocabulary detector, as
    VLM-Grounder does for every query (section 3.1). Here it is the fallback for a class that the
    map's detector did not know."""

    def __init__(
        self,
        detector: SharedDetector,
        most_frames: int,
        least_score: float,
        share_of_time: float = 0.5,
    ) -> None:
        """
        Args:
            most_frames: of one search, evenly from all stored frames.
            least_score: boxes with this score or more count.
            share_of_time: of the question's remaining time, for one search.
        """
        self._detector = detector
        self._most_frames = most_frames
        self._least_score = least_score
        self._share_of_time = share_of_time

    def detect(self, target_class: str, memory: MemoryAccess, asking: Asking) -> Seen:
        """Search stored frames for a class, in an order that lies evenly over them. A search that
        fails, or whose share of the time ends, returns the detections so far; the steps say why it
        ended.

        Args:
            target_class: a class name in any spelling.

        Raises:
            ModelError: cancelled, or the allowance is used up.
            ReasoningError: no frame is stored.
        """
        stored = StoredFrames(memory)
        order = coarse_to_fine(stored.numbers)
        numbers = order[: self._most_frames]
        started = time.monotonic()
        share = asking.allowance.part(self._share_of_time * asking.allowance.left_s)
        boxes: list[SeenBox] = []
        looked, ended = 0, ""
        try:
            classes = (normalized_label(target_class),)
            part = replace(asking, allowance=share)
            for frame, found in search_frames(
                self._detector, classes, stored, numbers, part, "detect"
            ):
                looked += 1
                boxes += self._sure_boxes(frame, found)
        except PerceptionError as error:
            _log.warning("cannot look for %s in stored frames: %s", quoted(target_class), error)
            ended = str(error)
        except ModelError as error:
            asking.allowance.check_time()
            if error.kind != "too_late":
                raise
            ended = "its part of the question's time was over"
        if ended and not looked:
            return Seen((), (f"could not look for {quoted(target_class)}: {ended}",))
        boxes.sort(key=lambda box: (box.frame_number, -box.score))
        seconds = time.monotonic() - started
        step = (
            f"looked for {quoted(target_class)} in {looked} of {len(order)} frames:"
            f" {len({box.frame_number for box in boxes})} show some"
            f" ({self._detector.name}, {seconds:.2f} s)"
        )
        early = (f"the look ended early: {ended}",) if ended else ()
        return Seen(tuple(boxes), (step, *early, *stored.steps()))

    def _sure_boxes(self, frame: KeyFrame, found: Detections) -> Iterator[SeenBox]:
        for box, score in zip(found.boxes_px.tolist(), found.scores.tolist(), strict=True):
            if score >= self._least_score:
                yield SeenBox(frame.frame_number, tuple(box), score)


def coarse_to_fine(numbers: Sequence[int]) -> list[int]:
    """All numbers, in an order of which any first part lies evenly over all: bit-reversed places,
    where each round halves the gaps of the one before."""
    bits = (len(numbers) - 1).bit_length() if numbers else 0
    places = (_reversed(i, bits) for i in range(1 << bits))
    return [numbers[place] for place in places if place < len(numbers)]


def _reversed(number: int, bits: int) -> int:
    return int(f"{number:0{bits}b}"[::-1], 2) if bits else 0
