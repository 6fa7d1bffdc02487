"""Quality and time of a segmenter on simulated pictures."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.bench.machine import machine, versions
from scenemind.config.reasoning import SegmenterConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.perception.backends import make_segmenter
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.protocols import Segmenter
from scenemind.perception.types import BoxMask, Detections
from scenemind.simulation import Sensors, StereoDepthNoise, simulate

_LEAST_PIXELS = 200  # minimum number of visible pixels
_STEPS_PX = (1, 2, 4)
_GOOD = 0.5
_Pictures = Sequence[tuple[RGBDFrame, Detections]]


def bench_segment(weights: str = "", rooms: int = 3, frames: int = 12) -> dict[str, Any]:
    """Segment all visible objects in frames of a drive through each room, given their true boxes.

    By the pixel spacing of stored depth: mean and median IoU with the true masks, and the share
    above 0.5. Milliseconds are medians for an image with all its boxes: `ms_first`, and `ms_again`
    for a second request about the same image.

    Args:
        weights: see `SegmenterConfig`; empty: depth and colour, without a model.
    """
    config = SegmenterConfig(weights=weights) if weights else SegmenterConfig(backend="depth")
    segmenter = make_segmenter(config)
    seen = [pair for seed in range(1, rooms + 1) for pair in _pictures(seed, frames)]
    alone = [float(mask.bits.mean()) for _, truth in seen for mask in truth.masks if mask]
    return {
        "depth_of_every_px": {str(step): _measured(segmenter, seen, step) for step in _STEPS_PX},
        "mean_iou_boxes_alone": float(np.mean(alone)),
        "things": len(alone),
        "pictures": len(seen),
        "segmenter": segmenter.name,
        "machine": machine(),
        "versions": versions(),
    }


def _pictures(seed: int, frames: int) -> Iterator[tuple[RGBDFrame, Detections]]:
    sequence = simulate(seed, frames, Sensors(640, 480, StereoDepthNoise()))
    camera = InstanceCamera(sequence.class_names, _LEAST_PIXELS)
    for frame in read_sequence(sequence):
        truth = camera.detect(frame)
        if len(truth):
            yield replace(frame, instances=None), truth


def _measured(segmenter: Segmenter, pictures: _Pictures, step: int) -> dict[str, float]:
    overlaps: list[float] = []
    first_ms: list[float] = []
    again_ms: list[float] = []
    for frame, truth in pictures:
        depth_m = np.zeros_like(frame.depth_m)
        depth_m[::step, ::step] = frame.depth_m[::step, ::step]
        thinned = replace(frame, depth_m=depth_m)
        for times in (first_ms, again_ms):
            started = time.perf_counter()
            masks = segmenter.segment(thinned, truth.boxes_px)
            times.append(1e3 * (time.perf_counter() - started))
        overlaps += map(_iou, masks, truth.masks, [depth_m.shape] * len(masks))
    return {
        "mean_iou": float(np.mean(overlaps)),
        "median_iou": float(np.median(overlaps)),
        "iou_50": float(np.mean(np.array(overlaps) > _GOOD)),
        "ms_first": float(np.median(first_ms)),
        "ms_again": float(np.median(again_ms)),
    }


def _iou(a: BoxMask | None, b: BoxMask | None, shape: tuple[int, int]) -> float:
    in_a, in_b = _whole(a, shape), _whole(b, shape)
    either = int(np.count_nonzero(in_a | in_b))
    return float(np.count_nonzero(in_a & in_b)) / max(1, either)


def _whole(mask: BoxMask | None, shape: tuple[int, int]) -> NDArray[np.bool_]:
    bits = np.zeros(shape, np.bool_)
    if mask is not None:
        height, width = mask.bits.shape
        bits[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width] = mask.bits
    return bits
