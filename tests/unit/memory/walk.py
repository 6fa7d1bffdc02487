"""A camera that walks past a row of chairs: frames with what perception says of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import Memory
from scenemind.perception.types import Detections, Observation
from tests.unit.memory.things import observe

CAMERA = PinholeCamera(160, 120, 130.0, 130.0, 79.5, 59.5)
STEP_M = 0.1
SPACING_M = 2.0
IN_VIEW_M = 1.5
FRAME_NS = 33_000_000


@dataclass(frozen=True, slots=True)
class Step:
    """The arguments of `Memory.integrate`."""

    frame: RGBDFrame
    detections: Detections
    track_ids: NDArray[np.int64]
    observations: list[Observation]


def chair_center(chair: int) -> tuple[float, float, float]:
    return (SPACING_M * chair, 2.0, 0.5)


@lru_cache(maxsize=128)
def step(number: int, noisy_images: bool = False) -> Step:
    """Frame `number`: chairs within `IN_VIEW_M` along the way are seen, chair i by track i.

    Each chair's box in the image is largest, and its score highest, when the camera is beside it.
    """
    x = STEP_M * number
    offsets = {
        chair: abs(SPACING_M * chair - x)
        for chair in range(int(x / SPACING_M) + 3)
        if abs(SPACING_M * chair - x) < IN_VIEW_M
    }
    nearness = np.array([1.0 - offset / IN_VIEW_M for offset in offsets.values()])
    half = 10.0 + 40.0 * nearness
    boxes_px = np.column_stack((80.0 - half, 60.0 - half, 80.0 + half, 60.0 + half))
    n = len(offsets)
    detections = Detections(
        ("chair",) * n,
        (0.5 + 0.4 * nearness).astype(np.float32),
        boxes_px.astype(np.float32).reshape(n, 4),
        (None,) * n,
    )
    observations = [
        observe(chair_center(chair), track_id=chair, score=float(score), seed=number)
        for chair, score in zip(offsets, detections.scores, strict=True)
    ]
    return Step(frame(number, x, noisy_images), detections, np.array(list(offsets)), observations)


def frame(number: int, x: float = 0.0, noisy_images: bool = False) -> RGBDFrame:
    """A frame seen from (x, 0, 1.2), whose image has a colour of its own."""
    shape = (CAMERA.height, CAMERA.width)
    color = np.full((*shape, 3), (number % 256, 128, 255 - number % 256), np.uint8)
    depth_m = np.full(shape, 1.0 + 0.001 * number, np.float32)
    if noisy_images:  # these hardly compress
        rng = np.random.default_rng(number)
        color = rng.integers(0, 256, color.shape, dtype=np.uint8)
        depth_m = rng.uniform(0.5, 8.0, shape).astype(np.float32)
    pose = Pose(np.eye(3), np.array([x, 0.0, 1.2]))
    return RGBDFrame(number, number * FRAME_NS, color, depth_m, CAMERA, pose)


def go(memory: Memory, numbers: Iterable[int], noisy_images: bool = False) -> None:
    """Integrate these frames."""
    for number in numbers:
        seen = step(number, noisy_images)
        memory.integrate(seen.frame, seen.detections, seen.track_ids, seen.observations)


def stored(path: Path, frames: int) -> Path:
    """The folder of a memory that has integrated the first frames."""
    with Memory.create(path, SceneMindConfig()) as memory:
        go(memory, range(frames))
    return path


def give_up(memory: Memory, numbers: list[int]) -> None:
    """Delete the images of frames, as happens beyond the budget."""
    with memory._lock:
        memory._state.retention._give_up(numbers)
