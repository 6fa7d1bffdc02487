"""Stored frames, one after the other, before a detector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import KeyFrame
from scenemind.perception.types import Detections
from scenemind.reasoning.detecting.shared_detector import SharedDetector
from scenemind.reasoning.method import Asking
from scenemind.reasoning.stored_frames import StoredFrames

_REPORT_EVERY = 25  # frames


def search_frames(
    detector: SharedDetector,
    classes: tuple[str, ...],
    stored: StoredFrames,
    numbers: Sequence[int],
    asking: Asking,
    stage: str,
) -> Iterator[tuple[KeyFrame, Detections]]:
    """Each frame with what it shows of these classes, in the order of the numbers; frames whose
    image has gone are left out.

    Args:
        classes: normalised (`checked_vocabulary`).
        stage: under which it is reported how far the search is.

    Raises:
        PerceptionError: see `SharedDetector.detect`.
        ModelError: cancelled, or the allowance is used up.
    """
    for done, number in enumerate(numbers):
        asking.allowance.check()
        if done % _REPORT_EVERY == 0:
            asking.report(stage, f"looked for {', '.join(classes)} in {done} of {len(numbers)}")
        found = stored.find_color(number)
        if found is None:
            continue
        key_frame, color = found
        yield key_frame, detector.detect(_as_frame(key_frame, color), classes, asking.allowance)


def picture(color: NDArray[np.uint8]) -> RGBDFrame:
    """A picture (H, W, 3) RGB of which nothing else is known, as detectors take it: depth is not
    measured, and the camera is one of a usual field of view."""
    height, width = color.shape[:2]
    camera = PinholeCamera(width, height, width, width, width / 2.0, height / 2.0)
    depth_m = np.zeros((height, width), np.float32)
    return RGBDFrame(0, 0, color, depth_m, camera, Pose.identity())


def _as_frame(key_frame: KeyFrame, color: NDArray[np.uint8]) -> RGBDFrame:
    """For a detector, which looks at colours alone: depth is not measured."""
    return RGBDFrame(
        key_frame.frame_number,
        key_frame.stamp_ns,
        color,
        np.zeros(color.shape[:2], np.float32),
        key_frame.camera,
        key_frame.world_T_camera,
    )
