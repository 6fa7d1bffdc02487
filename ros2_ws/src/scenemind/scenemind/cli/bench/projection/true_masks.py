"""Masks of simulated frames, exact or as networks give them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.cli.bench.projection.filmed_room import FilmedFrame
from scenemind.frames import RGBDFrame
from scenemind.geometry import iou_matrix_2d
from scenemind.perception.backends.noisy_masks import noisy_mask
from scenemind.perception.types import BoxMask

_BOX_SIGMA_PX = 2.0


class TrueMasks:
    """A `Segmenter` that gives the thing whose extent is most like the box."""

    def __init__(self, frames: Sequence[FilmedFrame], *, noise: bool) -> None:
        """Args: noise: shift, round off and gnaw the masks, and cut them to a box that is off."""
        self._frames = frames
        self._noise = noise
        self.name = f"{'noisy' if noise else 'true'} masks of a simulated room"

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`."""
        return tuple(self.mask_of(frame.number, box_px) for box_px in boxes_px)

    def mask_of(self, number: int, box_px: NDArray[np.floating]) -> BoxMask | None:
        """Of one box in the frame of that number; None where nothing overlaps it."""
        filmed = self._frames[number]
        boxes = filmed.frame.boxes_px
        if not boxes:
            return None
        iou = iou_matrix_2d(np.asarray(box_px)[None], np.array(list(boxes.values())))[0]
        if iou.max() <= 0.0:
            return None
        instance = list(boxes)[int(np.argmax(iou))]
        mask = filmed.masks[instance]
        if not self._noise:
            return mask
        rng = np.random.default_rng((number, instance))
        camera = filmed.frame.camera
        off = rng.normal(0.0, _BOX_SIGMA_PX, 4)
        box = np.array(boxes[instance]) + off
        box = np.clip(box, 0, (camera.width, camera.height, camera.width, camera.height))
        return noisy_mask(mask, box, rng.normal(), 1.0, rng)
