"""One ONNX file in ONNX Runtime: opened and run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from scenemind.perception.backends.network import check_inputs
from scenemind.perception.cache_root import cache_root
from scenemind.perception.errors import PerceptionError

_FLOAT_TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16}
# TensorRT builds an engine for minutes when it starts: it is used only where it is asked for.
_PREFERRED = ("CUDAExecutionProvider", "CPUExecutionProvider")
_TENSORRT = "TensorrtExecutionProvider"


class OnnxSession:
    """A `Network` in ONNX Runtime, on the CPU, CUDA or TensorRT."""

    def __init__(
        self,
        path: Path,
        providers: Sequence[str],
        threads: int,
        precision: Literal["auto", "float32"] = "auto",
    ) -> None:
        """Open it.

        Args:
            path: the ONNX file.
            providers: ONNX Runtime's execution providers in order; empty: CUDA if there, CPU.
            threads: of the CPU provider; 0: as many as there are cores.
            precision: auto lets GPUs round inside (TF32 in CUDA, half in TensorRT).

        Raises:
            PerceptionError: no ONNX model, no such provider, or other inputs.
        """
        self._session = open_session(path, providers, threads, precision)
        inputs = self._session.get_inputs()
        if not all(port.type in _FLOAT_TYPES for port in inputs):
            raise PerceptionError(
                f"{path} takes {', '.join(port.type for port in inputs)}, not floats: export the"
                " model without pre-processing"
            )
        self._names = [port.name for port in inputs]
        self._types = [_FLOAT_TYPES[port.type] for port in inputs]
        self._shapes = [_numbers(port.shape) for port in inputs]
        check_inputs(path, dict(zip(self._names, self._shapes, strict=True)))

    @property
    def fixed_size(self) -> tuple[int, int] | None:
        _, _, height, width = self._shapes[0]
        return None if width is None or height is None else (width, height)

    @property
    def texts_shape(self) -> tuple[int | None, int] | None:
        if len(self._shapes) == 1:
            return None
        _, slots, dimension = self._shapes[1]
        return slots, dimension  # type: ignore[return-value]  # checked when it was opened

    @property
    def metadata(self) -> Mapping[str, str]:
        return dict(self._session.get_modelmeta().custom_metadata_map)

    @property
    def runtime(self) -> str:
        """Such as `ONNX Runtime, CPU`: the provider that is asked first."""
        provider = str(self._session.get_providers()[0]).removesuffix("ExecutionProvider")
        return f"ONNX Runtime, {provider}"

    def run(
        self, images: NDArray[np.float32], texts: NDArray[np.float32] | None = None
    ) -> list[NDArray[np.float32]]:
        """See `Network`."""
        arrays = [images] if texts is None else [images, texts]
        typed = [a.astype(t, copy=False) for a, t in zip(arrays, self._types, strict=True)]
        try:
            outputs = self._session.run(None, dict(zip(self._names, typed, strict=True)))
        except Exception as error:  # as above
            shapes = [array.shape for array in arrays]
            raise PerceptionError(f"ONNX Runtime failed on {shapes}: {error}") from error
        return [np.asarray(output, dtype=np.float32) for output in outputs]


def open_session(
    path: Path,
    providers: Sequence[str],
    threads: int,
    precision: Literal["auto", "float32"] = "auto",
) -> onnxruntime.InferenceSession:
    """A file with any inputs; the arguments are those of `OnnxSession`.

    Raises:
        PerceptionError: no ONNX model, or no such provider.
    """
    if _TENSORRT in providers:
        _engine_folder().mkdir(parents=True, exist_ok=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            str(path), options, providers=with_options(_available(providers), precision)
        )
    except Exception as error:  # ONNX Runtime has a dozen kinds without a base
        raise PerceptionError(f"{path} does not load as an ONNX model: {error}") from error


def with_options(
    providers: Sequence[str], precision: Literal["auto", "float32"]
) -> list[tuple[str, dict[str, Any]]]:
    """Each provider with its options.

    TensorRT keeps the engines that it builds for minutes, one for each model, image size and GPU,
    so that the next start takes seconds.
    """
    options: dict[str, dict[str, Any]] = {
        "CUDAExecutionProvider": {"use_tf32": int(precision == "auto")},
        _TENSORRT: {
            "trt_engine_cache_enable": True,
            "trt_engine_cache_path": str(_engine_folder()),
            "trt_timing_cache_enable": True,
            "trt_fp16_enable": precision == "auto",
        },
    }
    return [(name, options.get(name, {})) for name in providers]


def _engine_folder() -> Path:
    return cache_root() / "tensorrt"


def _available(wanted: Sequence[str]) -> list[str]:
    offered = onnxruntime.get_available_providers()
    missing = [name for name in wanted if name not in offered]
    if missing:
        raise PerceptionError(
            f"this ONNX Runtime has no {', '.join(missing)}, only {', '.join(offered)}:"
            " install onnxruntime-gpu, or leave detector.providers empty"
        )
    return list(wanted) or [name for name in _PREFERRED if name in offered]


def _numbers(shape: Sequence[int | str | None]) -> tuple[int | None, ...]:
    """ONNX names dimensions that may have any length."""
    return tuple(length if isinstance(length, int) else None for length in shape)
