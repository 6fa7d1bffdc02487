"""One ONNX file in ONNX Runtime: opened, warmed up, run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from scenemind.perception.errors import PerceptionError

_FLOAT_TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16}
# TensorRT builds an engine for minutes when it starts: it is used only where it is asked for.
_PREFERRED = ("CUDAExecutionProvider", "CPUExecutionProvider")


class OnnxSession:
    """A network with one image input (1, 3, h, w)."""

    def __init__(self, path: Path, providers: Sequence[str], threads: int) -> None:
        """Open it.

        Args:
            path: the ONNX file.
            providers: ONNX Runtime's execution providers in order; empty: CUDA if there, CPU.
            threads: of the CPU provider; 0: as many as there are cores.

        Raises:
            PerceptionError: no such file, no ONNX model, no such provider, or another input.
        """
        if not path.is_file():
            raise PerceptionError(
                f"no model at {str(path)!r}: set detector.weights to an ONNX file"
                " (for example one made by `yolo export model=... format=onnx`)"
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=_available(providers)
            )
        except Exception as error:  # ONNX Runtime has a dozen kinds without a base
            raise PerceptionError(f"{path} does not load as an ONNX model: {error}") from error
        inputs = self._session.get_inputs()
        shape = inputs[0].shape if len(inputs) == 1 else []
        if len(shape) != 4 or shape[1] != 3 or inputs[0].type not in _FLOAT_TYPES:
            raise PerceptionError(
                f"{path} takes {[(i.name, i.shape, i.type) for i in inputs]}, not one float image"
                " (1, 3, height, width): export the model without pre-processing"
            )
        self._input = inputs[0].name
        self._dtype = _FLOAT_TYPES[inputs[0].type]
        self._shape = shape

    @property
    def fixed_size(self) -> tuple[int, int] | None:
        """Width and height of the input; None where the file takes any."""
        _, _, height, width = self._shape
        return (width, height) if isinstance(width, int) and isinstance(height, int) else None

    @property
    def metadata(self) -> Mapping[str, str]:
        return dict(self._session.get_modelmeta().custom_metadata_map)

    @property
    def runtime(self) -> str:
        """The provider that runs it, such as CUDA or CPU."""
        return str(self._session.get_providers()[0]).removesuffix("ExecutionProvider")

    def run(self, images: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """(1, 3, h, w) to the outputs in the file's order, float32.

        Raises:
            PerceptionError: ONNX Runtime failed, such as out of memory on the accelerator.
        """
        feed = {self._input: images.astype(self._dtype, copy=False)}
        try:
            outputs = self._session.run(None, feed)
        except Exception as error:  # as above
            raise PerceptionError(f"ONNX Runtime failed on {images.shape}: {error}") from error
        return [np.asarray(output, dtype=np.float32) for output in outputs]


def _available(wanted: Sequence[str]) -> list[str]:
    offered = onnxruntime.get_available_providers()
    missing = [name for name in wanted if name not in offered]
    if missing:
        raise PerceptionError(
            f"this ONNX Runtime has no {', '.join(missing)}, only {', '.join(offered)}:"
            " install onnxruntime-gpu, or leave detector.providers empty"
        )
    return list(wanted) or [name for name in _PREFERRED if name in offered]
