"""Metric depth of a plain photograph, in torch (extra `depth`), imported only on use.

Depth Anything V2 (Yang et al. 2024), metric variants, trained on rooms or on streets with ranges of
about 20 and 80 m. One picture does not determine its scale: the model infers it from usual sizes of
objects, so metres are estimates, with a common error where the lens is unusual.
"""

from __future__ import annotations

import importlib.util
import os
import re
import threading
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.errors import install_line
from scenemind.frames.images import without_unmeasured
from scenemind.perception.torchvision_shim import ensure_torchvision
from scenemind.perception.types import PerceptionError
from scenemind.perception.weights import OFFLINE_VARIABLE
from scenemind.untrusted import MOST_JSON_BYTES, load_json, read_regular

EXAMPLE_MODEL = "depth-anything/Depth-Anything-V2-Metric-Indoor-Small-hf"
_CONFIG = "config.json"
_SETTINGS = ("*.json",)
_WEIGHTS = ("*.json", "*.safetensors")
_PACKAGES = ("torch", "torchvision", "transformers")
_COMMIT = re.compile(r"[0-9a-f]{40}")


class MonocularDepth:
    """A `DepthEstimator`. Thread-safe: one picture at a time."""

    def __init__(self, name_or_folder: str) -> None:
        """Name the model; weights are read, and downloaded where needed, for the first picture.

        Args:
            name_or_folder: a metric variant, in the file format of the transformers library; of
                the hub as NAME@COMMIT, which stays the same when its owner changes the model.

        Raises:
            PerceptionError: see `DepthModelFiles`.
        """
        self._files = DepthModelFiles(name_or_folder)
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    @property
    def name(self) -> str:
        return self._files.title

    def fetch(self) -> None:
        """Download the weights before the first picture.

        Raises:
            PerceptionError: the download failed.
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
        """The image processor and the model, on a GPU where there is one."""
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
        # The library's own bicubic resizing invents depths beside edges.
        depth_m = cv2.resize(found.float().cpu().numpy(), (width, height))
        return without_unmeasured(np.asarray(depth_m, np.float32))


class DepthModelFiles:
    """Files of a metric depth model: in a folder, or on the Hugging Face hub (`$HF_HOME`)."""

    def __init__(self, name_or_folder: str) -> None:
        """
        Raises:
            PerceptionError: the extra is not installed, there is no such folder, a name of the hub
                has no commit (the message says the present one), or the settings are not those of a
                metric depth model.
        """
        _require_extra()
        path = Path(name_or_folder).expanduser()
        self._is_local = _is_path(name_or_folder)
        name, _, revision = name_or_folder.partition("@")
        self._named = str(path) if self._is_local else name
        self._revision = revision or None
        folder = self._folder(_SETTINGS)
        check_is_metric(_read_json(folder / _CONFIG, self._named), self._named)
        if not self._is_local and not _COMMIT.fullmatch(revision):
            raise PerceptionError(
                f"the owner of {name} can put another model there at any time: say which one you"
                f" mean, by its commit. At present it is {name}@{folder.name}"
            )

    @property
    def title(self) -> str:
        """Name of the model, without folders."""
        return Path(self._named).name

    def with_weights(self) -> Path:
        """Folder of all files of the model, downloaded where needed.

        Raises:
            PerceptionError: the download failed.
        """
        return self._folder(_WEIGHTS)

    def _folder(self, patterns: tuple[str, ...]) -> Path:
        if self._is_local:
            return Path(self._named)
        from huggingface_hub import snapshot_download

        is_offline = bool(os.environ.get(OFFLINE_VARIABLE))
        try:
            found = snapshot_download(
                self._named,
                revision=self._revision,
                allow_patterns=list(patterns),
                local_files_only=is_offline,
            )
        except (OSError, ValueError) as error:  # the hub's errors are among them
            why = f"${OFFLINE_VARIABLE} is set" if is_offline else _first_line(error)
            raise PerceptionError(
                f"cannot fetch the depth model {self._named}: {why}. Fetch it where there is a"
                f" network (`hf download {self._named} --local-dir FOLDER`), and name that folder"
            ) from error
        return Path(found)


def check_is_metric(settings: Any, name: str) -> None:
    """Check that a model's depth is metric.

    Args:
        settings: content of the model's config.json.

    Raises:
        PerceptionError: its depth is relative, without a unit.
    """
    kind = settings.get("model_type") if isinstance(settings, dict) else None
    if kind != "depth_anything":
        raise PerceptionError(
            f"{name} is a model of type {kind!r}: depth comes from Depth Anything V2 in its metric"
            f" variants, such as {EXAMPLE_MODEL}"
        )
    if settings.get("depth_estimation_type") != "metric":
        raise PerceptionError(
            f"{name} gives relative depth, not metres: name a metric variant, such as"
            f" {EXAMPLE_MODEL}"
        )


def _is_path(name: str) -> bool:
    """Whether a name is a path: names of the hub have one slash inside and no leading dot."""
    return name.startswith((".", "/", "~")) or name.count("/") != 1


def _read_json(path: Path, name: str) -> Any:
    try:
        return load_json(read_regular(path, MOST_JSON_BYTES, follow=True))
    except (OSError, ValueError) as error:
        raise PerceptionError(
            f"there is no depth model at {name} ({path.name} cannot be read: {error}): name a"
            f" folder with {_CONFIG}, preprocessor_config.json and model.safetensors, or a name of"
            f" the hub such as {EXAMPLE_MODEL}"
        ) from error


def _require_extra() -> None:
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise PerceptionError(f"a depth model needs {', '.join(missing)}: {install_line('depth')}")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
