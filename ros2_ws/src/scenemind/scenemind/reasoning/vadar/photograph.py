"""A plain photograph, as models see it."""

from __future__ import annotations

from pathlib import Path

from scenemind.frames.encodings import encode_color_file
from scenemind.reasoning.detecting import SharedDetector
from scenemind.perception.protocols import DepthEstimator
from scenemind.perception.protocols import DepthEstimator
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.vadar.detector_eyes import DetectorLocator
from scenemind.reasoning.vadar.image_depth import ImageDepth
from scenemind.reasoning.vadar.view import View, decoded
from scenemind.words.quoting import tame


def view_of_photograph(
    path: Path, detector: SharedDetector, estimator: DepthEstimator | None = None
) -> View:
    """A picture in a file.

    Args:
        estimator: None: programs that ask for depths are told that none is known.

    Raises:
        ReasoningError: there is no such picture.
        PerceptionError: the estimator cannot be had.
    """
    name = f"photograph {tame(path.name)}"
    try:
        color = decoded(path.read_bytes(), name)
    except OSError as error:
        raise ReasoningError(
            "invalid_request", f"The picture {path} cannot be read: {error.strerror}"
        ) from error
    depth = None
    if estimator is not None:
        depth = ImageDepth(estimator.estimate(color), f"{estimator.name} (estimated)")
    height, width = color.shape[:2]
    return View(
        name=name,
        width=width,
        height=height,
        jpeg=encode_color_file(color),
        locator=DetectorLocator(detector, color),
        depth=depth,
    )
