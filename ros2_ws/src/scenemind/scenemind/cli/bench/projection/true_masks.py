"""Masks of simulated frames, exact or as networks give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import iou_matrix_2d
from scenemind.perception.backends.noisy_masks import noisy_mask
from scenemind.perception.types import BoxMask, Detections
from scenemind.reasoning.vlm_grounder.types import BoxPx

MaskKind = Literal["exact", "coarse", "erring"]

_BOX_SIGMA_PX = 2.0
_WRONG_EXTENT = 0.18  # of SAM's masks (paper, Table 10)


class TrueMasks:
    """A `Segmenter` that gives the thing whose extent is most like the box."""

    def __init__(self, masks: Mapping[int, Mapping[int, BoxMask]], kind: MaskKind) -> None:
        """
        Args:
            masks: frame number -> instance id -> its visible part, exactly.
            kind: coarse: masks are shifted, rounded off and gnawed, and cut to a box that is off;
                erring: of these, some are of the whole box, or of a half.
        """
        self._masks = masks
        self._kind = kind
        self.name = f"{kind} masks of a simulated room"

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`."""
        size_px = frame.camera.width, frame.camera.height
        return tuple(self.mask_of(frame.number, box_px, size_px) for box_px in boxes_px)

    def mask_of(
        self, number: int, box_px: NDArray[np.floating], size_px: tuple[int, int]
    ) -> BoxMask | None:
        """Of one box in the frame of that number; None where nothing overlaps it.

        Args:
            size_px: width and height of the frame.
        """
        masks = self._masks[number]
        instance = find_instance(masks, box_px)
        if instance is None:
            return None
        mask = masks[instance]
        if self._kind == "exact":
            return mask
        rng = np.random.default_rng((number, instance))
        box, most = np.array(extent_px(mask)), np.tile(mask.bits.shape[::-1], 2) / 4
        box += np.clip(rng.normal(0.0, _BOX_SIGMA_PX, 4), -most, most)
        coarse = noisy_mask(mask, np.clip(box, 0, size_px * 2), rng.normal(), 1.0, rng)
        return _misjudged(coarse, rng) if self._kind == "erring" else coarse


def instance_masks(instances: NDArray[np.int32], found: Detections) -> dict[int, BoxMask]:
    """What an instance camera detected in its image (H, W), by instance id."""
    masks = {}
    for mask in found.masks:
        assert mask is not None
        height, width = mask.bits.shape
        window = instances[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width]
        masks[int(window[mask.bits][0])] = mask
    return masks


def find_instance(
    masks: Mapping[int, BoxMask], box_px: NDArray[np.floating], least_iou: float = 0.0
) -> int | None:
    """Whose extent is most like a box (4,); None where none overlaps it by more than that."""
    if not masks:
        return None
    extents = np.array([extent_px(mask) for mask in masks.values()])
    iou = iou_matrix_2d(np.asarray(box_px)[None], extents)[0]
    best = int(np.argmax(iou))
    return list(masks)[best] if iou[best] > least_iou else None


def extent_px(mask: BoxMask) -> BoxPx:
    height, width = mask.bits.shape
    return (float(mask.x_px), float(mask.y_px), float(mask.x_px + width), float(mask.y_px + height))


def _misjudged(mask: BoxMask, rng: np.random.Generator) -> BoxMask:
    """Now and then with all that the box shows, or with one half of the thing only."""
    if rng.random() >= _WRONG_EXTENT:
        return mask
    bits = np.ones_like(mask.bits)
    if rng.random() < 0.5:
        middle = bits.shape[1] // 2
        half = slice(None, middle) if rng.random() < 0.5 else slice(middle, None)
        bits[:, half] = False
        bits &= mask.bits
    return BoxMask(mask.x_px, mask.y_px, bits)
