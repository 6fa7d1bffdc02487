"""A network that is run on pictures, whatever runs it."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.perception.errors import PerceptionError

_IMAGE_RANK, _TEXTS_RANK = 4, 3
_ACCELERATORS = ("CUDAExecutionProvider", "TensorrtExecutionProvider")


class Network(Protocol):
    """One image input `images` (1, 3, h, w) and perhaps one of word vectors (1, slots, D)."""

    @property
    def fixed_size(self) -> tuple[int, int] | None:
        """Width and height of the image input; None where it takes any."""
        ...

    @property
    def texts_shape(self) -> tuple[int | None, int] | None:
        """Slots (None: any number) and dimension of the word vectors; None without this input."""
        ...

    @property
    def metadata(self) -> Mapping[str, str]:
        """What the file says about itself."""
        ...

    @property
    def runtime(self) -> str:
        """What runs it and where, such as `OpenVINO, CPU bf16`."""
        ...

    def run(
        self, images: NDArray[np.float32], texts: NDArray[np.float32] | None = None
    ) -> list[NDArray[np.float32]]:
        """The outputs in the file's order, float32; they may be overwritten by the next `run`.

        Args:
            images: (1, 3, h, w).
            texts: (1, slots, D), where `texts_shape` is not None.

        Raises:
            PerceptionError: the runtime failed, such as out of memory on the accelerator.
        """
        ...


def open_network(path: Path, config: DetectorConfig) -> Network:
    """The exported file in the configured runtime.

    Raises:
        PerceptionError: no such runtime, or a file that it cannot use.
    """
    if choose_runtime(path, config) == "openvino":
        from scenemind.perception.backends.openvino_session import OpenVinoSession

        return OpenVinoSession(path, config.threads, config.precision)
    from scenemind.perception.backends.onnx_session import OnnxSession

    return OnnxSession(path, config.providers, config.threads, config.precision)


def choose_runtime(path: Path, config: DetectorConfig) -> Literal["onnxruntime", "openvino"]:
    """The configured runtime, or the fastest of those that are installed.

    Raises:
        PerceptionError: the settings or the file ask for what the runtime has not.
    """
    if config.runtime == "openvino" and config.providers:
        raise PerceptionError(
            f"detector.providers {config.providers} are ONNX Runtime's, but detector.runtime is"
            " openvino: leave one of them out"
        )
    if path.suffix == ".xml" and (config.runtime == "onnxruntime" or config.providers):
        raise PerceptionError(
            f"{path} is an OpenVINO model, which ONNX Runtime cannot run: set detector.runtime to"
            " openvino, or detector.weights to the ONNX file"
        )
    if path.suffix == ".xml":
        return "openvino"
    if config.runtime != "auto":
        return config.runtime
    if config.providers or set(_ACCELERATORS) & set(onnxruntime.get_available_providers()):
        return "onnxruntime"
    return "openvino" if importlib.util.find_spec("openvino") is not None else "onnxruntime"


def check_inputs(path: Path, shapes: Mapping[str, tuple[int | None, ...]]) -> None:
    """An image, and perhaps word vectors, by input name; None in a shape: any number.

    Raises:
        PerceptionError: other inputs; names them.
    """
    images, *others = shapes.values() if shapes else [()]
    as_image = len(images) == _IMAGE_RANK and images[1] == 3
    as_texts = [len(texts) == _TEXTS_RANK and texts[2] is not None for texts in others]
    if not as_image or len(others) > 1 or not all(as_texts):
        raise PerceptionError(
            f"{path} takes {dict(shapes)}, not one float image (1, 3, height, width) and perhaps"
            " word vectors (1, slots, dimension): export the model without pre-processing"
        )
