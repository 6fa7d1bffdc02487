"""Recognising what an ONNX file's outputs mean, by their shapes and the file's metadata."""

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
from scenemind.perception.backends.yolo_head import decode_end_to_end, decode_yolo
from scenemind.perception.backends.yolox_head import STRIDES, decode_yolox
from scenemind.perception.errors import PerceptionError


@dataclass(frozen=True, slots=True)
class Head:
    """How to feed a network and how to read it.

    Attributes:
        kind: which decoder reads it.
        class_names: lower case, by class id.
        has_masks: the second output holds mask prototypes.
    """

    kind: Literal["yolo", "end_to_end", "yolox"]
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

    def decode(
        self, prediction: NDArray[np.float32], input_size: tuple[int, int], min_score: float
    ) -> Candidates:
        """The first output without its batch axis to candidates."""
        if self.kind == "yolo":
            return decode_yolo(prediction, len(self.class_names), min_score)
        if self.kind == "end_to_end":
            return decode_end_to_end(prediction, min_score)
        return decode_yolox(prediction, input_size, min_score)


def recognise_head(
    shapes: Sequence[tuple[int, ...]], input_size: tuple[int, int], metadata: Mapping[str, str]
) -> Head:
    """From the outputs' shapes for an input of that width and height.

    Raises:
        PerceptionError: none of the known heads has such outputs.
    """
    names = _class_names(metadata)
    mask_channels = shapes[1][1] if len(shapes) == 2 and len(shapes[1]) == 4 else 0
    anchors = sum((input_size[0] // s) * (input_size[1] // s) for s in STRIDES)
    if (
        shapes
        and len(shapes[0]) == 3
        and shapes[0][0] == 1
        and len(shapes) == bool(mask_channels) + 1
    ):
        _, rows, columns = shapes[0]
        if _suppresses_itself(metadata) and columns == 6 + mask_channels:
            return Head("end_to_end", _named(names, None), mask_channels > 0)
        if columns == anchors and rows > 4 + mask_channels:
            return Head("yolo", _named(names, rows - 4 - mask_channels), mask_channels > 0)
        if rows == anchors and columns > 5 and not mask_channels:
            return Head("yolox", _named(names, columns - 5), False)
    raise PerceptionError(
        f"outputs of shapes {list(shapes)} for an input of {input_size[0]}x{input_size[1]} are"
        f" those of no head that is known: YOLOv8/YOLO11 gives (1, 4 + classes [+ 32], {anchors})"
        f" [and (1, 32, h, w)], its end2end export (1, N, 6 [+ 32]), YOLOX (1, {anchors}, 5 +"
        " classes). Export with batch size 1"
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


def _named(names: tuple[str, ...] | None, count: int | None) -> tuple[str, ...]:
    names = names or coco_names()
    if count is not None and len(names) != count:
        raise PerceptionError(
            f"the model has {count} classes but {len(names)} class names"
            " (COCO's, where its metadata has no `names`): export it with its names"
        )
    return names
