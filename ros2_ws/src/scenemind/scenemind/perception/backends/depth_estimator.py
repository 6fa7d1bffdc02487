"""Metres from a plain photograph, in torch (extra `depth`), imported only on use.

Depth Anything V2 (Yang et al. 2024), metric variants: trained on rooms or on streets, they tell
distances up to some 20 or 80 m. A single picture does not hold its scale: a model goes by how large
things usually are, so that its metres are estimates, and wrong together where the lens is unusual.
"""

from __future__ import annotations

import threading
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames.encodings import without_unmeasured
from scenemind.perception.backends.depth_model_files import DepthModelFiles
from scenemind.perception.errors import PerceptionError
from scenemind.perception.torchvision_shim import ensure_torchvision


class MonocularDepth:
    """A `DepthEstimator`. Thread-safe: one picture at a time."""

    def __init__(self, name_or_folder: str) -> None:
        """Cheap: the weights are read by the first picture, and fetched where `fetch` has not.

        Args:
            name_or_folder: of a metric variant in the files of the transformers library.

        Raises:
            PerceptionError: the extra is not installed, there is no such model, or it tells no
                metres.
        """
        self._files = DepthModelFiles(name_or_folder)
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    @property
    def name(self) -> str:
        return self._files.title

    def fetch(self) -> None:
        """Have the weights on this machine, before somebody waits for a depth.

        Raises:
            PerceptionError: they cannot be fetched.
        """
        self._files.with_weights()

    def estimate(self, color: NDArray[np.uint8]) -> NDArray[np.float32]:
        """See `DepthEstimator`."""
        if color.ndim != 3 or color.shape[2] != 3 or 0 in color.shape or color.dtype != np.uint8:
            raise PerceptionError(
                f"a picture is (H, W, 3) of uint8, not {color.shape} of {color.dtype}"
            )
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            processor, model = self._loaded
            return self._predict(processor, model, color)

    def _load(self) -> tuple[Any, Any]:
        """What prepares pictures, and the model, on a GPU where there is one."""
        folder = self._files.with_weights()
        ensure_torchvision()
        import torch
        from huggingface_hub.errors import StrictDataclassError
        from safetensors import SafetensorError
        from transformers import AutoImageProcessor, AutoModelForDepthEstimation
        from transformers.utils import logging

        logging.disable_progress_bar()  # of reading a file that is here
        device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            processor = AutoImageProcessor.from_pretrained(folder, local_files_only=True)
            model = AutoModelForDepthEstimation.from_pretrained(
                folder, local_files_only=True, use_safetensors=True
            )
        except (OSError, RuntimeError, ValueError, SafetensorError, StrictDataclassError) as error:
            first_line = str(error).strip().partition("\n")[0]
            raise PerceptionError(
                f"the depth model in {folder} cannot be read ({first_line}): fetch it anew"
            ) from error
        return processor, model.to(device).eval()

    def _predict(self, processor: Any, model: Any, color: NDArray[np.uint8]) -> NDArray[np.float32]:
        import torch

        try:
            with torch.inference_mode():
                given = processor(
                    images=color, input_data_format="channels_last", return_tensors="pt"
                )
                found = model(**given.to(model.device)).predicted_depth[0]
        except (RuntimeError, ValueError) as error:
            raise PerceptionError(f"{self.name} failed on this picture: {error}") from error
        height, width = color.shape[:2]
        # The library's own way back, a bicubic one, makes up depths beside the edges of things.
        depth_m = cv2.resize(found.float().cpu().numpy(), (width, height))
        return without_unmeasured(np.asarray(depth_m, np.float32))
