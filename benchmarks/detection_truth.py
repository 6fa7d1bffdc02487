"""The real object that each detection of a simulated frame shows, whatever its label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

# Below this IoU a detection is a false positive.
MIN_IOU = 0.3


class ImageMask(Protocol):
    """A mask cut to its rectangle, such as `perception.BoxMask`."""

    @property
    def x_px(self) -> int: ...
    @property
    def y_px(self) -> int: ...
    @property
    def bits(self) -> NDArray[np.bool_]: ...


class ImageDetections(Protocol):
    """The detections of one image, such as `perception.Detections`."""

    @property
    def boxes_px(self) -> NDArray[np.float32]: ...
    @property
    def masks(self) -> Sequence[ImageMask | None]: ...


def true_instances(
    detections: ImageDetections, instances: NDArray[np.int32], min_iou: float = MIN_IOU
) -> NDArray[np.int32]:
    """Instance id (N,) of each detection, 0 for false positives.

    The instance with the largest IoU with the mask; without a mask, the instance whose
    visible extent has the largest IoU with the box. Detections may share an instance.

    Args:
        detections: of this frame, N of them.
        instances: (H, W) ids, 0 for floor, walls and ceiling.
        min_iou: below this, a detection is a false positive.
    """
    found = np.zeros(len(detections.boxes_px), dtype=np.int32)
    if len(found) == 0:
        return found
    pixels = np.bincount(np.maximum(instances, 0).ravel())
    has_boxes_only = any(mask is None for mask in detections.masks)
    extents = _extents(instances, len(pixels)) if has_boxes_only else np.zeros((1, 4))
    for row, (box, mask) in enumerate(zip(detections.boxes_px, detections.masks, strict=True)):
        if mask is None:
            iou = _box_ious(box, extents)
        else:
            iou = _mask_ious(mask, instances, pixels)
        iou[0] = 0.0
        best = int(np.argmax(iou))
        found[row] = best if iou[best] >= min_iou else 0
    return found


def _mask_ious(
    mask: ImageMask, instances: NDArray[np.int32], pixels: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(M,): IoU of the mask with each instance id's pixels."""
    height, width = mask.bits.shape
    window = instances[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width]
    shared = np.bincount(np.maximum(window[mask.bits], 0), minlength=len(pixels))
    return np.asarray(shared / np.maximum(pixels + int(mask.bits.sum()) - shared, 1))


def _extents(instances: NDArray[np.int32], count: int) -> NDArray[np.float64]:
    """Bounds (M, 4): x0, y0, x1, y1 around each instance id's pixels; empty for invisible ids."""
    extents = np.zeros((count, 4))
    for instance, window in enumerate(ndimage.find_objects(instances), start=1):
        if window is not None:
            rows, columns = window
            extents[instance] = (columns.start, rows.start, columns.stop, rows.stop)
    return extents


def _box_ious(box: NDArray[np.float32], extents: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = np.maximum(extents[:, :2], box[:2]), np.minimum(extents[:, 2:], box[2:])
    shared = np.prod(np.clip(high - low, 0.0, None), axis=1)
    areas = np.prod(extents[:, 2:] - extents[:, :2], axis=1) + float(np.prod(box[2:] - box[:2]))
    return np.asarray(shared / np.maximum(areas - shared, 1.0))
