"""Detection heads: recognised by outputs and metadata, decoded to candidates, thinned by NMS."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.perception.types import PerceptionError

_COMPARED_FIRST = 4  # candidates per kept detection in the first, cheap pass
STRIDES = (8, 16, 32)
_LARGEST_LOG_SIZE = 10.0  # exp(10) strides is wider than any image


@dataclass(frozen=True, slots=True)
class Head:
    """Input format and decoder of a network.

    Attributes:
        kind: its decoder; rows of `end_to_end` have no duplicates, those of `candidates` have.
        class_names: lower case, by class id; empty where words are an input.
        has_masks: whether the second output holds mask prototypes.
    """

    kind: Literal["yolo", "end_to_end", "candidates", "yolox"]
    class_names: tuple[str, ...]
    has_masks: bool

    @property
    def centered(self) -> bool:
        """Whether the image is centred in the input; YOLOX has it top left."""
        return self.kind != "yolox"

    @property
    def pixel_scale(self) -> float:
        """Factor on pixels: YOLOX takes 0..255, the others 0..1."""
        return 1.0 if self.kind == "yolox" else 1.0 / 255.0

    @property
    def takes_bgr(self) -> bool:
        return self.kind == "yolox"

    @property
    def overlaps(self) -> bool:
        """Whether an object has several boxes, which need non-maximum suppression."""
        return self.kind != "end_to_end"

    def decode(
        self,
        outputs: Sequence[NDArray[np.float32]],
        input_size: tuple[int, int],
        min_score: float,
    ) -> Candidates:
        """Candidates of the network's outputs."""
        prediction = outputs[0][0]
        if self.kind == "yolo":
            mask_channels = outputs[1].shape[1] if self.has_masks else 0
            return decode_yolo(prediction, len(prediction) - 4 - mask_channels, min_score)
        if self.kind == "yolox":
            return decode_yolox(prediction, input_size, min_score)
        return decode_rows(prediction, min_score)


def recognise_head(
    shapes: Sequence[tuple[int, ...]],
    input_size: tuple[int, int],
    metadata: Mapping[str, str],
    words: int | None = None,
) -> Head:
    """The head of a network, by the shapes of its outputs and its metadata.

    Args:
        shapes: of the outputs for an image of `input_size` (width, height).
        words: number of word vectors given; None for a network without this input.

    Raises:
        PerceptionError: no known head has such outputs.
    """
    mask_channels = shapes[1][1] if len(shapes) == 2 and len(shapes[1]) == 4 else 0
    anchors = sum((input_size[0] // s) * (input_size[1] // s) for s in STRIDES)
    if (
        shapes
        and len(shapes[0]) == 3
        and shapes[0][0] == 1
        and len(shapes) == bool(mask_channels) + 1
    ):
        _, rows, columns = shapes[0]
        count = rows - 4 - mask_channels
        kind: Literal["end_to_end", "candidates"]
        kind = "end_to_end" if _suppresses_itself(metadata) else "candidates"
        if columns == 6 + mask_channels and (kind == "end_to_end" or words is not None):
            return Head(kind, _named(metadata, None, words), mask_channels > 0)
        if columns == anchors and count > 0 and words in (None, count):
            return Head("yolo", _named(metadata, count, words), mask_channels > 0)
        if rows == anchors and columns > 5 and not mask_channels and words is None:
            return Head("yolox", _named(metadata, columns - 5, words), False)
    prompted = "" if words is None else f" and {words} word vectors"
    raise PerceptionError(
        f"outputs of shapes {list(shapes)} for an input of {input_size[0]}x{input_size[1]}"
        f"{prompted} are those of no head that is known: YOLOv8/YOLO11 gives"
        f" (1, 4 + classes [+ 32], {anchors}) [and (1, 32, h, w)], its end2end export"
        f" (1, N, 6 [+ 32]), YOLOX (1, {anchors}, 5 + classes). Export with batch size 1"
    )


@cache
def coco_names() -> tuple[str, ...]:
    """The 80 class names of COCO detection, in their usual order."""
    text = resources.files(__package__).joinpath("coco_names.txt").read_text(encoding="utf-8")
    return tuple(text.split("\n")[:80])


def _suppresses_itself(metadata: Mapping[str, str]) -> bool:
    return metadata.get("end2end") == "True" or "'nms': True" in metadata.get("args", "")


def _class_names(metadata: Mapping[str, str]) -> tuple[str, ...] | None:
    """Class names in ultralytics' metadata: a Python dictionary or list as text under `names`."""
    text = metadata.get("names")
    if text is None:
        return None
    try:
        names = ast.literal_eval(text)
        values = [names[i] for i in range(len(names))]
    except (ValueError, SyntaxError, TypeError, KeyError) as error:
        raise PerceptionError(
            f"the model's metadata `names` is no table of class names: {text[:80]!r}"
        ) from error
    return tuple(str(value).lower() for value in values)


def _named(metadata: Mapping[str, str], count: int | None, words: int | None) -> tuple[str, ...]:
    if words is not None:
        return ()
    names = _class_names(metadata) or coco_names()
    if count is not None and len(names) != count:
        raise PerceptionError(
            f"the model has {count} classes but {len(names)} class names"
            " (COCO's, where its metadata has no `names`): export it with its names"
        )
    return names


def decode_yolo(prediction: NDArray[np.float32], class_count: int, min_score: float) -> Candidates:
    """Candidates of ultralytics' anchor-free head (YOLOv8, YOLO11, YOLOE): one column per anchor.

    Args:
        prediction: (4 + class_count + K, N): box centre x, y, width, height in input pixels,
            class probabilities, mask weights.
        class_count: number of rows of class probabilities.
        min_score: least score of the best class of an anchor.
    """
    probabilities = prediction[4 : 4 + class_count]
    kept = np.flatnonzero(probabilities.max(axis=0) >= min_score)
    columns = prediction[:, kept]
    class_ids = columns[4 : 4 + class_count].argmax(axis=0)
    center, size = columns[:2].T, columns[2:4].T
    return Candidates(
        boxes_px=np.hstack((center - size / 2, center + size / 2)).astype(np.float32),
        scores=columns[4 + class_ids, np.arange(len(kept))],
        class_ids=class_ids.astype(np.int32),
        coefficients=np.ascontiguousarray(columns[4 + class_count :].T),
    )


def decode_rows(prediction: NDArray[np.float32], min_score: float) -> Candidates:
    """Candidates of exports that select boxes themselves (`end2end`, `nms=True`, ours), by row.

    Args:
        prediction: (N, 6 + K): x0, y0, x1, y1 in input pixels, score, class id, mask weights;
            unused rows have score 0.
        min_score: least score of a row.
    """
    used = (prediction[:, 4] > 0.0) & (prediction[:, 4] >= min_score)
    rows = prediction[used]
    return Candidates(
        boxes_px=rows[:, :4],
        scores=rows[:, 4],
        class_ids=rows[:, 5].astype(np.int32),
        coefficients=rows[:, 6:],
    )


def decode_yolox(
    prediction: NDArray[np.float32], input_size: tuple[int, int], min_score: float
) -> Candidates:
    """Candidates of YOLOX's head (Ge et al. 2021, arXiv:2107.08430): one row per anchor.

    Args:
        prediction: (N, 5 + class_count): offset x, y in strides, log width, log height,
            objectness, class probabilities; anchors row by row, finest stride first.
        input_size: width and height of the network's input in pixels.
        min_score: least product of objectness and best class probability.

    Raises:
        PerceptionError: the exported network decodes its boxes itself.
    """
    scores = prediction[:, 4] * prediction[:, 5:].max(axis=1)
    kept = np.flatnonzero(scores >= min_score)
    rows = prediction[kept]
    if rows.size and rows[:, 2:4].max() > _LARGEST_LOG_SIZE:
        raise PerceptionError(
            f"the YOLOX output holds log sizes up to {rows[:, 2:4].max():.0f}: these are decoded"
            " boxes; export the model again without --decode_in_inference"
        )
    cells, strides = _grid(input_size)
    center = (rows[:, :2] + cells[kept]) * strides[kept]
    size = np.exp(rows[:, 2:4]) * strides[kept]
    return Candidates(
        boxes_px=np.hstack((center - size / 2, center + size / 2)).astype(np.float32),
        scores=scores[kept],
        class_ids=rows[:, 5:].argmax(axis=1).astype(np.int32),
        coefficients=np.zeros((len(kept), 0), dtype=np.float32),
    )


@lru_cache(maxsize=8)
def _grid(input_size: tuple[int, int]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Cell x, y (N, 2) and stride (N, 1) of every anchor."""
    width, height = input_size
    cells, strides = [], []
    for stride in STRIDES:
        y, x = np.mgrid[: height // stride, : width // stride]
        cells.append(np.column_stack((x.ravel(), y.ravel())))
        strides.append(np.full((x.size, 1), stride))
    return np.vstack(cells).astype(np.float32), np.vstack(strides).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Boxes that a network's head proposes, in pixels of its input, as columns.

    Attributes:
        boxes_px: (M, 4) float32: x0, y0, x1, y1.
        scores: (M,) float32 in [0, 1].
        class_ids: (M,) int32.
        coefficients: (M, K) float32 weights of the mask prototypes; K is 0 without masks.
    """

    boxes_px: NDArray[np.float32]
    scores: NDArray[np.float32]
    class_ids: NDArray[np.int32]
    coefficients: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.scores)

    def select(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Candidates:
        return Candidates(
            self.boxes_px[rows], self.scores[rows], self.class_ids[rows], self.coefficients[rows]
        )


def best_first(candidates: Candidates, limit: int) -> Candidates:
    """Candidates by descending score, at most `limit`."""
    order = np.argsort(-candidates.scores, kind="stable")
    return candidates.select(order[:limit])


def non_maximum_suppression(candidates: Candidates, iou: float, limit: int) -> Candidates:
    """Non-maximum suppression within each class; the best first, at most `limit`.

    A box is suppressed only by better ones: where the best few leave enough, the rest need not be
    compared.
    """
    few = best_first(candidates, _COMPARED_FIRST * limit)
    kept = _without_overlaps(few, iou)
    if len(kept) < limit and len(few) < len(candidates):
        kept = _without_overlaps(candidates, iou)
    return best_first(kept, limit)


def _without_overlaps(candidates: Candidates, iou: float) -> Candidates:
    if len(candidates) == 0:
        return candidates
    boxes = candidates.boxes_px.copy()
    boxes[:, 2:] -= boxes[:, :2]  # OpenCV takes x, y, width, height
    kept = cv2.dnn.NMSBoxesBatched(boxes, candidates.scores, candidates.class_ids, 0.0, iou)
    return candidates.select(np.asarray(kept, dtype=np.intp))
