"""SAM in torch, on the CPU or a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.backends.sam_models import SamModel
from scenemind.perception.backends.torch_session import fastest_type, torch_device
from scenemind.perception.errors import PerceptionError


class SamTorch:
    """A `SamNetwork`. Images are encoded in half precision on CUDA, and in bfloat16 on CPUs with
    instructions for it; boxes are decoded in float32."""

    def __init__(self, model: SamModel, device: str) -> None:
        """
        Raises:
            PerceptionError: no such device, or no room on it.
        """
        import torch

        self._torch = torch
        self._device = torch_device(torch, device, "segmenter.device")
        self._dtype = fastest_type(torch, self._device)
        try:
            self._model = model.module.to(self._device).eval().requires_grad_(False)
        except RuntimeError as error:
            raise PerceptionError(f"{model.title} does not fit {self._device}: {error}") from error

    @property
    def runtime(self) -> str:
        return f"torch, {self._device} {str(self._dtype).removeprefix('torch.')}"

    def encode(self, image: NDArray[np.float32]) -> Any:
        """See `SamNetwork`."""
        torch = self._torch
        exact = self._dtype == torch.float32
        cast = torch.autocast(self._device.type, dtype=self._dtype, enabled=not exact)
        try:
            with torch.inference_mode(), cast:
                return self._model.image_encoder(torch.from_numpy(image).to(self._device)).float()
        except RuntimeError as error:  # out of memory among them
            raise PerceptionError(f"SAM failed on an image on {self._device}: {error}") from error

    def decode(
        self, embedding: Any, boxes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """See `SamNetwork`."""
        torch, model = self._torch, self._model
        try:
            with torch.inference_mode():
                asked = torch.from_numpy(boxes).to(self._device)
                sparse, dense = model.prompt_encoder(points=None, boxes=asked, masks=None)
                logits, overlaps = model.mask_decoder.predict_masks(
                    image_embeddings=embedding,
                    image_pe=model.prompt_encoder.get_dense_pe(),
                    sparse_prompt_embeddings=sparse,
                    dense_prompt_embeddings=dense,
                )
                return logits.cpu().numpy(), overlaps.cpu().numpy()
        except RuntimeError as error:
            raise PerceptionError(
                f"SAM failed on {len(boxes)} boxes on {self._device}: {error}"
            ) from error
