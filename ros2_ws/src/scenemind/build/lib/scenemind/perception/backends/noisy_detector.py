"""A simulated detector with the errors of a network, around an exact one."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception.protocols import Detector
from scenemind.perception.types import BoxMask, Detections, PerceptionError

_RATES = ("miss", "miss_small", "wrong_label")
# Classes that detectors confuse. A class may be in several groups.
_LOOK_ALIKES: tuple[tuple[str, ...], ...] = (
    ("chair", "couch", "stool", "armchair", "bench"),
    ("dining table", "desk", "side table", "coffee table", "bench"),
    ("cup", "bowl", "vase", "bottle", "wine glass", "soda can"),
    ("monitor", "laptop", "tv"),
    ("keyboard", "remote", "laptop", "book"),
    ("book", "cell phone", "remote", "box"),
    ("cabinet", "bookshelf", "shelf", "refrigerator", "dresser"),
    ("door", "window", "picture", "mirror", "refrigerator"),
    ("pillow", "backpack", "teddy bear", "blanket"),
    ("trash can", "box", "stool", "suitcase", "vase"),
    ("backpack", "suitcase", "handbag"),
    ("potted plant", "vase", "lamp"),
    ("mouse", "remote", "cell phone"),
    ("apple", "orange", "sports ball"),
    ("clock", "plate", "bowl"),
)
_CELL_PX = 4
__all__ = ["DetectorNoise", "NoisyDetector"]
_PLACE_M = 0.6  # size of the places to which persistent errors belong
_FRAME, _PERSISTENT, _FALSE = 1, 2, 3  # kinds of random generators
_BEST_SCORE, _WRONG_COST, _CUT_COST, _SMALL_COST = 0.9, 0.2, 0.12, 0.45
_SCORE_SPREAD = 0.06
_FALSE_SCORES = (0.25, 0.55)
_FALSE_SIDES = (0.04, 0.3)  # of the image's width
_MIN_SIDE_PX = 3.0
_Detection = tuple[str, float, NDArray[np.float32], BoxMask | None]


@dataclass(frozen=True, slots=True)
class DetectorNoise:
    """Rates and sizes of a simulated detector's errors; the defaults are near a small network's.

    Attributes:
        miss: miss rate of large objects.
        miss_small: miss rate of the smallest objects; it falls to `miss` with
            exp(-side / `small_px`), side being the square root of the box's area.
        small_px: scale of that fall in pixels; scores fall for small objects in the same way.
        wrong_label: share of objects with the label of a similar class.
        false_positives: mean number of false detections per frame.
        persistence: frames for which half of the misses, all wrong labels, and false positives
            persist.
        jitter: standard deviation of each side of a box, as a share of the box's size.
        mask_shift_px: standard deviation of the erosion or dilation of masks.
        mask_raggedness: see `noisy_mask`.
        min_score: least score of a reported detection.
    """

    miss: float = 0.05
    miss_small: float = 0.5
    small_px: float = 24.0
    wrong_label: float = 0.06
    false_positives: float = 0.15
    persistence: int = 8
    jitter: float = 0.025
    mask_shift_px: float = 1.0
    mask_raggedness: float = 1.0
    min_score: float = 0.25

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if value < 0.0 or (name in _RATES and value > 1.0):
                raise PerceptionError(f"detector noise of {name}={value}: no such rate or size")
        if self.persistence < 1:
            raise PerceptionError("detector noise of persistence=0: errors last at least 1 frame")

    def __str__(self) -> str:
        return (
            f"misses {self.miss:.0%} to {self.miss_small:.0%}, wrong labels {self.wrong_label:.0%},"
            f" {self.false_positives:g} false positives a frame, boxes +-{self.jitter:.1%},"
            f" masks +-{self.mask_shift_px:g} px"
        )


class NoisyDetector:
    """A detector with the simulated errors of a network added to another's detections.

    Around the instance camera it shows how mapping copes with misses, wrong labels, loose boxes,
    ragged masks and false detections. Every error is drawn from the seed and what it belongs to,
    never from a running generator: a frame has the same detections in any order of frames.
    """

    def __init__(self, detector: Detector, noise: DetectorNoise, seed: int) -> None:
        """
        Args:
            detector: an exact detector.
            seed: of all errors, with the frame's number.
        """
        self._detector = detector
        self._noise = noise
        self._seed = seed

    @property
    def name(self) -> str:
        return f"{self._detector.name} with noise ({self._noise})"

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The detector's classes, and those that they are confused with."""
        reported = set(self._detector.vocabulary)
        return tuple(sorted(reported.union(*map(confusable_labels, reported))))

    def detect(self, frame: RGBDFrame) -> Detections:
        """The detector's detections with errors, and false ones; best first.

        Raises:
            PerceptionError: the detector failed.
        """
        exact = self._detector.detect(frame)
        rng = self._generator(_FRAME, frame.number)
        found = [
            detection
            for row in range(len(exact))
            if (detection := self._with_errors(exact, row, frame, rng)) is not None
        ]
        found += self._false_positives(frame)
        if not found:
            return Detections.empty()
        found.sort(key=lambda detection: -detection[1])
        labels, scores, boxes, masks = zip(*found, strict=True)
        return Detections(labels, np.array(scores, np.float32), np.array(boxes, np.float32), masks)

    def _with_errors(
        self, exact: Detections, row: int, frame: RGBDFrame, rng: np.random.Generator
    ) -> _Detection | None:
        """One detection with errors; None where it is missed."""
        noise, label, box = self._noise, exact.labels[row], exact.boxes_px[row]
        white, spread = rng.random(), rng.standard_normal(6)
        ragged = np.random.default_rng(rng.integers(2**32))
        persistent = self._persistent_generator(label, box, frame)
        smallness = float(np.exp(-np.sqrt(np.prod(box[2:] - box[:2])) / noise.small_px))
        miss = noise.miss + max(0.0, noise.miss_small - noise.miss) * smallness
        if white < miss / 2 or persistent.random() < miss / 2:
            return None
        reported = self._reported_label(label, persistent)
        cost = _SMALL_COST * smallness + _WRONG_COST * (reported != label)
        cost += _CUT_COST * bool(_on_border(box, frame).any())
        score = float(np.clip(_BEST_SCORE - cost + _SCORE_SPREAD * spread[0], 0.0, 0.99))
        loose = _jittered(box, noise.jitter * spread[1:5], frame)
        if score < noise.min_score or loose is None:
            return None
        mask = exact.masks[row]
        if mask is not None:
            shift = noise.mask_shift_px * (persistent.standard_normal() + spread[5]) / np.sqrt(2.0)
            mask = noisy_mask(mask, loose, float(shift), noise.mask_raggedness, ragged)
            if not mask.bits.any():
                return None
        return reported, score, loose, mask

    def _reported_label(self, label: str, persistent: np.random.Generator) -> str:
        """The label, or at the configured rate that of a confusable class."""
        others = confusable_labels(label)
        is_wrong = persistent.random() < self._noise.wrong_label and len(others) > 0
        return others[int(persistent.integers(len(others)))] if is_wrong else label

    def _persistent_generator(
        self, label: str, box: NDArray[np.float32], frame: RGBDFrame
    ) -> np.random.Generator:
        """Generator of persistent errors: the same for a label at a place for some frames."""
        place = np.floor(_world_position(box, frame) / _PLACE_M).astype(np.int64) + 2**20
        name = zlib.crc32(label.encode())
        period = (frame.number + name % self._noise.persistence) // self._noise.persistence
        return self._generator(_PERSISTENT, name, *place.tolist(), period)

    def _false_positives(self, frame: RGBDFrame) -> list[_Detection]:
        """False positives, each of which persists for some frames."""
        lasting, vocabulary = self._noise.persistence, self.vocabulary
        found: list[_Detection] = []
        for born in range(max(0, frame.number - lasting + 1), frame.number + 1):
            rng = self._generator(_FALSE, born)
            for _ in range(rng.poisson(self._noise.false_positives / lasting) if vocabulary else 0):
                label = vocabulary[int(rng.integers(len(vocabulary)))]
                found.append(_false_positive(label, frame, rng))
        return [detection for detection in found if detection[1] >= self._noise.min_score]

    def _generator(self, *numbers: int) -> np.random.Generator:
        return np.random.default_rng((self._seed, *numbers))


def _world_position(box: NDArray[np.float32], frame: RGBDFrame) -> NDArray[np.float64]:
    """(3,) approximate world position of a box's centre; the camera's where depth is missing."""
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
    """(4,) bool: sides of a box on the image border."""
    low, high = box[:2] < 0.5, box[2:] > np.array([frame.camera.width, frame.camera.height]) - 0.5
    return np.concatenate((low, high))


def _jittered(
    box: NDArray[np.float32], shares: NDArray[np.float64], frame: RGBDFrame
) -> NDArray[np.float32] | None:
    """The box with each side moved by a share of its size; None where too little is left.

    Sides at the image border stay there, as with networks.
    """
    free = ~_on_border(box, frame)
    limit = (frame.camera.width, frame.camera.height) * 2
    shifted = box + free * shares * np.tile(box[2:] - box[:2], 2)
    moved: NDArray[np.float32] = np.clip(shifted, 0.0, limit).astype(np.float32)
    return moved if (moved[2:] - moved[:2]).min() >= _MIN_SIDE_PX else None


def _false_positive(label: str, frame: RGBDFrame, rng: np.random.Generator) -> _Detection:
    """A false detection: a random ellipse."""
    camera = frame.camera
    width, height = (rng.uniform(*_FALSE_SIDES, 2) * camera.width).astype(int) + 4
    height = min(height, camera.height)
    x0, y0 = (
        int(rng.integers(camera.width - width + 1)),
        int(rng.integers(camera.height - height + 1)),
    )
    bits = np.zeros((height, width), np.uint8)
    cv2.ellipse(bits, (width // 2, height // 2), (width // 2, height // 2), 0, 0, 360, 1, -1)
    box = np.array([x0, y0, x0 + width, y0 + height], np.float32)
    mask = BoxMask(x0, y0, bits.astype(np.bool_))
    return label, float(rng.uniform(*_FALSE_SCORES)), box, mask


def confusable_labels(label: str) -> tuple[str, ...]:
    """Classes that a detector may report instead, sorted; empty for unknown labels."""
    others = {other for group in _LOOK_ALIKES if label in group for other in group}
    return tuple(sorted(others - {label}))


def noisy_mask(
    mask: BoxMask,
    box_px: NDArray[np.floating],
    shift: float,
    raggedness: float,
    rng: np.random.Generator,
) -> BoxMask:
    """An exact mask as a network's mask head would give it with a box.

    Mask heads decide on a grid of a quarter of the image's resolution, interpolate, and cut the
    result to the detected box: borders are smooth, off by a few pixels and ragged where the
    network is unsure, and parts outside the box are missing.

    Args:
        mask: the exact mask.
        box_px: (4,) x0, y0, x1, y1 of the detection, inside the image; the result is cut to it.
        shift: erosion (< 0) or dilation (> 0), in about pixels.
        raggedness: 0 for a smooth border; 1 moves it by a pixel or two.
    """
    x0, y0 = (int(v) for v in np.floor(box_px[:2]))
    x1, y1 = (int(v) for v in np.ceil(box_px[2:]))
    exact = _window(mask, x0, y0, x1, y1)
    height, width = exact.shape
    grid = (-(-width // _CELL_PX), -(-height // _CELL_PX))
    coarse = cv2.resize(exact.astype(np.float32), grid, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(coarse, (3, 3), 0.6, borderType=cv2.BORDER_REPLICATE)
    unsure = 4.0 * soft * (1.0 - soft)
    soft += unsure * (0.12 * shift + 0.12 * raggedness * rng.standard_normal(soft.shape))
    fine = cv2.resize(soft.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    return BoxMask(x0, y0, fine > 0.5)


def _window(mask: BoxMask, x0: int, y0: int, x1: int, y1: int) -> NDArray[np.bool_]:
    """(y1 - y0, x1 - x0) bool: the mask in another rectangle."""
    height, width = mask.bits.shape
    window = np.zeros((y1 - y0, x1 - x0), dtype=np.bool_)
    left, top = max(x0, mask.x_px), max(y0, mask.y_px)
    right, bottom = min(x1, mask.x_px + width), min(y1, mask.y_px + height)
    if left < right and top < bottom:
        window[top - y0 : bottom - y0, left - x0 : right - x0] = mask.bits[
            top - mask.y_px : bottom - mask.y_px, left - mask.x_px : right - mask.x_px
        ]
    return window
