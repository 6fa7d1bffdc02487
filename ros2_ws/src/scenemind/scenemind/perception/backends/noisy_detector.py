"""A detector that errs as networks do, made of one that does not.

Around the simulated instance camera it tells how mapping stands up to misses, wrong names, loose
boxes, ragged masks and ghosts. Every error is drawn from the seed and what it belongs to, never
from a running generator: the same frame gives the same detections in whatever order frames come.
"""

from __future__ import annotations

import zlib

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.backends.detector_noise import DetectorNoise
from scenemind.perception.backends.noisy_labels import find_look_alikes
from scenemind.perception.backends.noisy_masks import noisy_mask
from scenemind.perception.protocols import Detector
from scenemind.perception.types import BoxMask, Detections

__all__ = ["DetectorNoise", "NoisyDetector"]

_PLACE_M = 0.6  # errors that last go with a name and a place of about this size
_FRAME, _HABIT, _GHOST = 1, 2, 3  # tell generators apart
_BEST_SCORE, _WRONG_COST, _CUT_COST, _SMALL_COST = 0.9, 0.2, 0.12, 0.45
_SCORE_SPREAD = 0.06
_GHOST_SCORES = (0.25, 0.55)
_GHOST_SIDES = (0.04, 0.3)  # of the image's width
_MIN_SIDE_PX = 3.0


class NoisyDetector:
    """Wraps a detector and spoils what it returns."""

    def __init__(self, detector: Detector, noise: DetectorNoise, seed: int) -> None:
        """
        Args:
            detector: one that errs little.
            seed: with the frame's number it decides all errors.
        """
        self._detector = detector
        self._noise = noise
        self._seed = seed

    @property
    def name(self) -> str:
        return f"{self._detector.name} with noise ({self._noise})"

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """What the detector can say, and what these are taken for."""
        said = set(self._detector.vocabulary)
        return tuple(sorted(said.union(*map(find_look_alikes, said))))

    def detect(self, frame: RGBDFrame) -> Detections:
        """The detector's own detections, spoilt, and false ones; best first.

        Raises:
            PerceptionError: the detector failed.
        """
        exact = self._detector.detect(frame)
        rng = self._generator(_FRAME, frame.number)
        found = [
            spoilt
            for row in range(len(exact))
            if (spoilt := self._spoil(exact, row, frame, rng)) is not None
        ]
        found += self._ghosts(frame)
        if not found:
            return Detections.empty()
        found.sort(key=lambda detection: -detection[1])
        labels, scores, boxes, masks = zip(*found, strict=True)
        return Detections(labels, np.array(scores, np.float32), np.array(boxes, np.float32), masks)

    def _spoil(
        self, exact: Detections, row: int, frame: RGBDFrame, rng: np.random.Generator
    ) -> _Detection | None:
        """One detection with errors; None where it is missed."""
        noise, label, box = self._noise, exact.labels[row], exact.boxes_px[row]
        white, spread = rng.random(), rng.standard_normal(6)
        ragged = np.random.default_rng(rng.integers(2**32))
        habit = self._habit(label, box, frame)
        smallness = float(np.exp(-np.sqrt(np.prod(box[2:] - box[:2])) / noise.small_px))
        miss = noise.miss + max(0.0, noise.miss_small - noise.miss) * smallness
        if white < miss / 2 or habit.random() < miss / 2:
            return None
        said = self._said(label, habit)
        cost = _SMALL_COST * smallness + _WRONG_COST * (said != label)
        cost += _CUT_COST * bool(_on_border(box, frame).any())
        score = float(np.clip(_BEST_SCORE - cost + _SCORE_SPREAD * spread[0], 0.0, 0.99))
        loose = _jittered(box, noise.jitter * spread[1:5], frame)
        if score < noise.min_score or loose is None:
            return None
        mask = exact.masks[row]
        if mask is not None:
            shift = noise.mask_shift_px * (habit.standard_normal() + spread[5]) / np.sqrt(2.0)
            mask = noisy_mask(mask, loose, float(shift), noise.mask_raggedness, ragged)
            if not mask.bits.any():
                return None
        return said, score, loose, mask

    def _said(self, label: str, habit: np.random.Generator) -> str:
        """The label, or now and then that of a look-alike."""
        others = find_look_alikes(label)
        is_wrong = habit.random() < self._noise.wrong_label and len(others) > 0
        return others[int(habit.integers(len(others)))] if is_wrong else label

    def _habit(self, label: str, box: NDArray[np.float32], frame: RGBDFrame) -> np.random.Generator:
        """What decides errors that last: the same for a name at a place for a while."""
        place = np.floor(_world_position(box, frame) / _PLACE_M).astype(np.int64) + 2**20
        name = zlib.crc32(label.encode())
        period = (frame.number + name % self._noise.persistence) // self._noise.persistence
        return self._generator(_HABIT, name, *place.tolist(), period)

    def _ghosts(self, frame: RGBDFrame) -> list[_Detection]:
        """False positives: each stays in the image for as long as errors last."""
        lasting, vocabulary = self._noise.persistence, self.vocabulary
        ghosts: list[_Detection] = []
        for born in range(max(0, frame.number - lasting + 1), frame.number + 1):
            rng = self._generator(_GHOST, born)
            for _ in range(rng.poisson(self._noise.false_positives / lasting) if vocabulary else 0):
                label = vocabulary[int(rng.integers(len(vocabulary)))]
                ghosts.append(_ghost(label, frame, rng))
        return [ghost for ghost in ghosts if ghost[1] >= self._noise.min_score]

    def _generator(self, *numbers: int) -> np.random.Generator:
        return np.random.default_rng((self._seed, *numbers))


_Detection = tuple[str, float, NDArray[np.float32], BoxMask | None]


def _world_position(box: NDArray[np.float32], frame: RGBDFrame) -> NDArray[np.float64]:
    """(3,): about where the middle of a box is; the camera's own place where depth is missing."""
    low, high = (box[:2] * 0.6 + box[2:] * 0.4), (box[:2] * 0.4 + box[2:] * 0.6)
    x0, y0, x1, y1 = np.concatenate((np.floor(low), np.ceil(high))).astype(int)
    depths = frame.depth_m[y0:y1:2, x0:x1:2]
    depths = depths[depths > 0.0]
    if len(depths) == 0:
        return frame.world_T_camera.translation
    u, v = (box[:2] + box[2:]) / 2
    camera = frame.camera
    ray = np.array([(u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy, 1.0])
    return np.asarray(frame.world_T_camera.transform(ray * float(np.median(depths))))


def _on_border(box: NDArray[np.float32], frame: RGBDFrame) -> NDArray[np.bool_]:
    """(4,): which sides of a box are the image's own."""
    low, high = box[:2] < 0.5, box[2:] > np.array([frame.camera.width, frame.camera.height]) - 0.5
    return np.concatenate((low, high))


def _jittered(
    box: NDArray[np.float32], shares: NDArray[np.float64], frame: RGBDFrame
) -> NDArray[np.float32] | None:
    """Each side moved by a share of the box's size, inside the image; None where nothing stays.

    Sides at the image's border stay there, as those of networks do.
    """
    free = ~_on_border(box, frame)
    limit = (frame.camera.width, frame.camera.height) * 2
    shifted = box + free * shares * np.tile(box[2:] - box[:2], 2)
    moved: NDArray[np.float32] = np.clip(shifted, 0.0, limit).astype(np.float32)
    return moved if (moved[2:] - moved[:2]).min() >= _MIN_SIDE_PX else None


def _ghost(label: str, frame: RGBDFrame, rng: np.random.Generator) -> _Detection:
    """An ellipse of any place and shape."""
    camera = frame.camera
    width, height = (rng.uniform(*_GHOST_SIDES, 2) * camera.width).astype(int) + 4
    height = min(height, camera.height)
    x0, y0 = (
        int(rng.integers(camera.width - width + 1)),
        int(rng.integers(camera.height - height + 1)),
    )
    bits = np.zeros((height, width), np.uint8)
    cv2.ellipse(bits, (width // 2, height // 2), (width // 2, height // 2), 0, 0, 360, 1, -1)
    box = np.array([x0, y0, x0 + width, y0 + height], np.float32)
    mask = BoxMask(x0, y0, bits.astype(np.bool_))
    return label, float(rng.uniform(*_GHOST_SCORES)), box, mask
