"""Recognising what a network's outputs mean, by their shapes and the file's metadata."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.backends.candidates import Candidates
from scenemind.perception.backends.yolo_head import decode_rows, decode_yolo
from scenemind.perception.backends.yolox_head import STRIDES, decode_yolox
from scenemind.perception.errors import PerceptionError


@dataclass(frozen=True, slots=True)
class Head:
    """How to feed a network and how to read it.

    Attributes:
        kind: which decoder reads it; `end_to_end` has no overlaps left, `candidates` has.
        class_names: lower case, by class id; none where words are an input.
        has_masks: the second output holds mask prototypes.
    """

    kind: Literal["yolo", "end_to_end", "candidates", "yolox"]
    class_names: tuple[str, ...]
    has_masks: bool

    @property
    def centered(self) -> bool:
        """The image stands in the middle of the input; YOLOX puts it top left."""
        return self.kind != "yolox"

    @property
    def pixel_scale(self) -> float:
        """YOLOX takes 0..255, the others 0..1."""
        return 1.0 if self.kind == "yolox" else 1.0 / 255.0

    @property
    def takes_bgr(self) -> bool:
        return self.kind == "yolox"

    @property
    def overlaps(self) -> bool:
        """One object comes as several boxes, which are to be thinned out."""
        return self.kind != "end_to_end"

    def decode(
        self,
        outputs: Sequence[NDArray[np.float32]],
        input_size: tuple[int, int],
        min_score: float,
    ) -> Candidates:
        """The network's outputs to candidates, the prototypes of masks apart."""
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
    """From the outputs' shapes for an input of that width and height.

    Args:
        words: how many word vectors were given; None for a network without this input.

    Raises:
        PerceptionError: none of the known heads has such outputs.
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
    """Ultralytics writes a Python dictionary (or list) as text under `names`."""
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
