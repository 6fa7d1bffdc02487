"""A plain photograph, as models see it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames.encodings import encode_color_file
from scenemind.perception.protocols import DepthEstimator
from scenemind.reasoning.detecting import SharedDetector
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.vadar.detector_eyes import DetectorLocator
from scenemind.reasoning.vadar.image_depth import EstimatedDepth
from scenemind.reasoning.vadar.view import View, decoded
from scenemind.words.quoting import tame

# What models look at: more pixels cost more, and most of them make the picture smaller anyway.
_LONGEST_SIDE_PX = 1536
_MOST_BYTES = 100_000_000


def view_of_photograph(
    path: Path, detector: SharedDetector, estimator: DepthEstimator | None = None
) -> View:
    """A picture in a file; a large one is made smaller, and its boxes are in the smaller one's
    pixels.

    Args:
        estimator: None: programs that ask for depths are told that none is known.

    Raises:
        ReasoningError: there is no such picture.
    """
    name = f"photograph {tame(path.name)}"
    color = _no_larger(decoded(_content(path), name))
    height, width = color.shape[:2]
    return View(
        name=name,
        width=width,
        height=height,
        jpeg=encode_color_file(color),
        locator=DetectorLocator(detector, color),
        depth=None if estimator is None else EstimatedDepth(estimator, color),
    )


def _content(path: Path) -> bytes:
    try:
        if not path.is_file():
            trouble = "it is no file" if path.exists() else "there is no such file"
        elif (size := path.stat().st_size) > _MOST_BYTES:
            trouble = f"it has {size / 1e6:.0f} MB, {_MOST_BYTES / 1e6:.0f} are the most"
        else:
            return path.read_bytes()
    except OSError as error:
        trouble = error.strerror or str(error)
    raise ReasoningError("invalid_request", f"The picture {path} cannot be read: {trouble}.")


def _no_larger(color: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = color.shape[:2]
    scale = _LONGEST_SIDE_PX / max(height, width)
    if scale >= 1.0:
        return color
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return cv2.resize(color, size, interpolation=cv2.INTER_AREA)
