"""Exported networks, run by ONNX Runtime or OpenVINO."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.errors import install_line
from scenemind.perception.backends.onnx_file import check_external_data
from scenemind.perception.types import PerceptionError
from scenemind.perception.weights import cache_root

_log = logging.getLogger(__name__)
_IMAGE_RANK, _TEXTS_RANK = 4, 3
_ONNX_FLOAT_TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16}
# TensorRT builds engines for minutes at start: it is used only where configured.
_PREFERRED = ("CUDAExecutionProvider", "CPUExecutionProvider")
_TENSORRT = "TensorrtExecutionProvider"
_DEVICE = "CPU"
_OPENVINO_FLOAT_TYPES = ("f32", "f16", "bf16")
_ACCELERATORS = ("CUDAExecutionProvider", "TensorrtExecutionProvider")


class Network(Protocol):
    """A network in any runtime, with an image input (1, 3, h, w) and perhaps word vectors
    (1, slots, D)."""

    @property
    def fixed_size(self) -> tuple[int, int] | None:
        """Width and height of the image input; None where any size is accepted."""
        ...

    @property
    def texts_shape(self) -> tuple[int | None, int] | None:
        """Slots (None: any number) and dimension of the word vectors; None without this input."""
        ...

    @property
    def metadata(self) -> Mapping[str, str]:
        """Metadata of the file."""
        ...

    @property
    def runtime(self) -> str:
        """Runtime and device, such as `OpenVINO, CPU bf16`."""
        ...

    def run(
        self, images: NDArray[np.float32], texts: NDArray[np.float32] | None = None
    ) -> list[NDArray[np.float32]]:
        """Outputs in the file's order, float32; the next `run` may overwrite them.

        Args:
            images: (1, 3, h, w), or as many at once as the network was exported for.
            texts: (1, slots, D), where `texts_shape` is not None.

        Raises:
            PerceptionError: the runtime failed, for instance out of memory.
        """
        ...


def open_network(path: Path, config: DetectorConfig) -> Network:
    """The exported file in the configured runtime.

    Raises:
        PerceptionError: no such runtime, or a file that it cannot use.
    """
    if choose_runtime(path, config) == "openvino":
        return OpenVinoSession(path, config.threads, config.precision)

    return OnnxSession(path, config.providers, config.threads, config.precision)


def choose_runtime(path: Path, config: DetectorConfig) -> Literal["onnxruntime", "openvino"]:
    """The configured runtime, or the fastest installed one.

    Raises:
        PerceptionError: the settings or the file do not fit the runtime.
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
    """Check that the inputs are an image and perhaps word vectors.

    Args:
        path: of the file, for the message.
        shapes: by input name; None stands for any length.

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


class OnnxSession:
    """A `Network` in ONNX Runtime, on the CPU, CUDA or TensorRT."""

    def __init__(
        self,
        path: Path,
        providers: Sequence[str],
        threads: int,
        precision: Literal["auto", "float32"] = "auto",
    ) -> None:
        """Open a file.

        Args:
            path: the ONNX file.
            providers: ONNX Runtime's execution providers in order; empty: CUDA if present, CPU.
            threads: of the CPU provider; 0: one per core.
            precision: auto allows reduced precision on GPUs (TF32 in CUDA, half in TensorRT).

        Raises:
            PerceptionError: no ONNX model, no such provider, or other inputs.
        """
        self._session = open_session(path, providers, threads, precision)
        inputs = self._session.get_inputs()
        if not all(port.type in _ONNX_FLOAT_TYPES for port in inputs):
            raise PerceptionError(
                f"{path} takes {', '.join(port.type for port in inputs)}, not floats: export the"
                " model without pre-processing"
            )
        self._names = [port.name for port in inputs]
        self._types = [_ONNX_FLOAT_TYPES[port.type] for port in inputs]
        self._shapes = [_lengths(port.shape) for port in inputs]
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
        """Runtime and first provider, such as `ONNX Runtime, CPU`."""
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
        except Exception as error:  # ONNX Runtime's errors have no common base
            shapes = [array.shape for array in arrays]
            raise PerceptionError(f"ONNX Runtime failed on {shapes}: {error}") from error
        return [np.asarray(output, dtype=np.float32) for output in outputs]


def open_session(
    path: Path,
    providers: Sequence[str],
    threads: int,
    precision: Literal["auto", "float32"] = "auto",
) -> onnxruntime.InferenceSession:
    """An ONNX file with any inputs, opened; arguments as of `OnnxSession`.

    Raises:
        PerceptionError: no ONNX model, no such provider, or one that does not start here.
    """
    if _TENSORRT in providers:
        _engine_folder().mkdir(parents=True, exist_ok=True)
    offered = providers_with_options(_available(providers), precision)
    check_external_data(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    _load_libraries([name for name, _ in offered])
    try:
        # Without this, ONNX Runtime goes on with another provider where one fails.
        session = onnxruntime.InferenceSession(
            str(path), options, providers=offered, enable_fallback=0
        )
    except Exception as error:  # ONNX Runtime's errors have no common base
        raise PerceptionError(f"{path} does not load as an ONNX model: {error}") from error
    _check_started(session, [name for name, _ in offered], is_configured=bool(providers))
    return session


def _load_libraries(providers: Sequence[str]) -> None:
    """Load what CUDA and TensorRT need from pip's packages, which are in no folder of the
    system's."""
    if _TENSORRT in providers and importlib.util.find_spec("tensorrt") is not None:
        importlib.import_module("tensorrt")
    preload = getattr(onnxruntime, "preload_dlls", None)  # missing before 1.21
    if preload is not None and set(_ACCELERATORS) & set(providers):
        with contextlib.redirect_stdout(sys.stderr):  # it prints what is missing
            preload()


def _check_started(
    session: onnxruntime.InferenceSession, wanted: Sequence[str], *, is_configured: bool
) -> None:
    """ONNX Runtime lists providers whose libraries are missing, and leaves them out silently."""
    missing = [name for name in wanted if name not in session.get_providers()]
    if not missing:
        return
    text = (
        f"ONNX Runtime could not start {', '.join(missing)}: no GPU, or its libraries are not"
        " installed (CUDA and cuDNN of the versions that `onnxruntime.print_debug_info()` names;"
        " for TensorRT also pip install tensorrt)"
    )
    if is_configured:
        raise PerceptionError(f"{text}; or take it out of detector.providers")
    _log.warning("%s; detection runs on %s", text, ", ".join(session.get_providers()))


def providers_with_options(
    providers: Sequence[str], precision: Literal["auto", "float32"]
) -> list[tuple[str, dict[str, Any]]]:
    """The providers with their options.

    TensorRT caches its engines, one for each model, image size and GPU, which take minutes to
    build.
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


def _lengths(shape: Sequence[int | str | None]) -> tuple[int | None, ...]:
    """The shape with None for variable dimensions, which ONNX gives as names."""
    return tuple(length if isinstance(length, int) else None for length in shape)


class OpenVinoSession:
    """A `Network` from an ONNX file or from OpenVINO's own format (.xml beside its .bin).

    With precision `auto` OpenVINO computes in bfloat16 where the CPU has instructions for it, and
    decodes boxes in float32; box sides carry bfloat16's error, about 0.2 % of their length.
    """

    def __init__(self, path: Path, threads: int, precision: Literal["auto", "float32"]) -> None:
        """Read the file; compile it at once where its image size is fixed.

        Args:
            threads: 0: one per core.

        Raises:
            PerceptionError: OpenVINO is not installed or cannot read the file, or other inputs.
        """
        self._openvino = _import_openvino(path)
        self._path = path
        if path.suffix == ".onnx":
            check_external_data(path)
        self._settings: dict[str, Any] = {
            "PERFORMANCE_HINT": "LATENCY",
            # The mapper uses the same cores: the system may move these threads away from it.
            "ENABLE_CPU_PINNING": False,
        }
        if threads:
            self._settings["INFERENCE_NUM_THREADS"] = threads
        if precision == "float32":
            self._settings["INFERENCE_PRECISION_HINT"] = "f32"
        try:
            self._core = self._openvino.Core()
            self._model = self._core.read_model(path)
        except RuntimeError as error:
            raise PerceptionError(f"{path} does not load in OpenVINO: {error}") from error
        self._check_inputs()
        self._request: Any = None
        self._size: tuple[int, int] | None = None
        if self.fixed_size is not None:
            self._compile(self.fixed_size)

    @property
    def fixed_size(self) -> tuple[int, int] | None:
        _, _, height, width = _shape(self._model.inputs[0])
        return None if width is None or height is None else (width, height)

    @property
    def texts_shape(self) -> tuple[int | None, int] | None:
        if len(self._model.inputs) == 1:
            return None
        _, slots, dimension = _shape(self._model.inputs[1])
        return slots, dimension  # type: ignore[return-value]  # checked when it was opened

    @property
    def metadata(self) -> Mapping[str, str]:
        """Metadata of an ONNX file, kept by the conversion to OpenVINO's format."""
        if not self._model.has_rt_info(["framework"]):
            return {}
        section = self._model.get_rt_info(["framework"]).value
        return {str(key): str(value) for key, value in section.items()}

    @property
    def runtime(self) -> str:
        if self._request is None:
            return f"OpenVINO, {_DEVICE}"
        compiled = self._request.get_compiled_model()
        precision = compiled.get_property("INFERENCE_PRECISION_HINT").to_string()
        return f"OpenVINO, {_DEVICE} {precision}"

    def run(
        self, images: NDArray[np.float32], texts: NDArray[np.float32] | None = None
    ) -> list[NDArray[np.float32]]:
        """See `Network`; compiles first for an image of a new size."""
        size = (images.shape[3], images.shape[2])
        if size != self._size:
            self._compile(size)
        feed = [images] if texts is None else [images, texts]
        try:
            self._request.infer(feed, share_inputs=True)
        except (RuntimeError, ValueError) as error:
            shapes = [array.shape for array in feed]
            raise PerceptionError(f"OpenVINO failed on {shapes}: {error}") from error
        outputs = (tensor.data for tensor in self._request.output_tensors)
        return [np.asarray(output, dtype=np.float32) for output in outputs]

    def _compile(self, size: tuple[int, int]) -> None:
        try:
            model = self._model.clone()
            if self.fixed_size is None:
                model.reshape({0: self._openvino.PartialShape([1, 3, size[1], size[0]])})
            compiled = self._core.compile_model(model, _DEVICE, self._settings)
        except RuntimeError as error:
            raise PerceptionError(
                f"OpenVINO cannot compile {self._path} for {size[0]}x{size[1]}: {error}"
            ) from error
        self._request = compiled.create_infer_request()
        self._size = size

    def _check_inputs(self) -> None:
        types = {port.get_element_type().get_type_name() for port in self._model.inputs}
        if not types <= set(_OPENVINO_FLOAT_TYPES):
            raise PerceptionError(
                f"{self._path} takes {', '.join(sorted(types))}, not floats: export the model"
                " without pre-processing"
            )
        names = [port.any_name for port in self._model.inputs]
        shapes = [_shape(port) for port in self._model.inputs]
        check_inputs(self._path, dict(zip(names, shapes, strict=True)))


def _shape(port: Any) -> tuple[int | None, ...]:
    return tuple(None if d.is_dynamic else d.get_length() for d in port.partial_shape)


def _import_openvino(path: Path) -> Any:
    try:
        import openvino
    except ImportError as error:
        raise PerceptionError(
            f"OpenVINO is to run {path} and is not installed: {install_line('openvino')}; or"
            f" {_alternative(path)}"
        ) from error
    return openvino


def _alternative(path: Path) -> str:
    if path.suffix == ".xml":
        return "name the .onnx file that it was made from"
    return "set detector.runtime to auto"
