"""The image tower of CLIP in torch (extra `ultralytics`), imported only here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.perception.errors import PerceptionError
from scenemind.perception.text.torch_towers import load_openai_clip, unit_vectors

_BATCH = 16


class TorchImageEncoder:
    """An image tower of the vision transformers that CLIP comes with.

    A picture is fitted into the tower's square whole, with the mean colour around it: CLIP's own
    preparation cuts off what is beyond the square, which of an object's crop is the object.
    """

    def __init__(self, name: str, dimension: int, tower: Any, device: Any) -> None:
        """`tower` is open_clip's visual part, with `image_size`."""
        self._name = name
        self._dimension = dimension
        self._tower = tower
        self._device = device
        size = tower.image_size
        self._side_px: int = size[0] if isinstance(size, tuple) else size

    def encode(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """(N, dimension) of unit length, of pictures (H, W, 3) RGB.

        Raises:
            PerceptionError: no picture; or the tower's weights are another model's.
        """
        for image in images:
            if image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
                raise PerceptionError(f"a picture to encode is (H, W, 3), not {image.shape}")
        batches = [self._encode(images[n : n + _BATCH]) for n in range(0, len(images), _BATCH)]
        return np.concatenate([np.zeros((0, self._dimension), np.float32), *batches])

    def _encode(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        import torch

        pixels = torch.from_numpy(np.stack([self._fitted(image) for image in images]))
        return unit_vectors(
            self._tower,
            pixels.to(self._device),
            self._dimension,
            f"image encoder {self._name}",
        )

    def _fitted(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(3, side, side), normalised; 0 is the mean colour."""
        import open_clip

        height, width = image.shape[:2]
        scale = self._side_px / max(height, width)
        size = max(round(width * scale), 1), max(round(height * scale), 1)
        method = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_CUBIC
        small = cv2.resize(image, size, interpolation=method).astype(np.float32) / 255.0
        normal = (small - open_clip.OPENAI_DATASET_MEAN) / open_clip.OPENAI_DATASET_STD
        square = np.zeros((self._side_px, self._side_px, 3), np.float32)
        left, top = (self._side_px - size[0]) // 2, (self._side_px - size[1]) // 2
        square[top : top + size[1], left : left + size[0]] = normal
        return square.transpose(2, 0, 1)


def load_clip_images(name: str, weights: Path, dimension: int = 512) -> TorchImageEncoder:
    """OpenAI's CLIP (Radford et al. 2021), of which only the image tower is kept.

    Args:
        name: of the encoder.
        weights: OpenAI's TorchScript archive, or the state dict of the same model.
        dimension: of its vectors.

    Raises:
        PerceptionError: torch is not installed, or the file holds no CLIP.
    """
    model, device = load_openai_clip(weights)
    return TorchImageEncoder(name, dimension, model.visual, device)
