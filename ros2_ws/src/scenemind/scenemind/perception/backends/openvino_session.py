"""One exported file in OpenVINO on the CPU: opened, compiled for the image size, run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.backends.network import check_inputs
from scenemind.perception.errors import PerceptionError

_DEVICE = "CPU"
_FLOAT_TYPES = ("f32", "f16", "bf16")


class OpenVinoSession:
    """A `Network` from an ONNX file or from OpenVINO's own format (.xml beside its .bin).

    With precision `auto` OpenVINO computes in bfloat16 where the CPU has instructions for it. It
    keeps what follows the last convolution, where boxes become pixels, in float32; box sides that
    the convolution gives still carry bfloat16's error, about 0.2 % of their length.
    """

    def __init__(self, path: Path, threads: int, precision: Literal["auto", "float32"]) -> None:
        """Read the file; it is compiled at once where its image size is fixed.

        Args:
            threads: 0: as many as there are cores.

        Raises:
            PerceptionError: OpenVINO is not installed, no model that it reads, or other inputs.
        """
        self._openvino = _import_openvino(path)
        self._path = path
        self._settings: dict[str, Any] = {
            "PERFORMANCE_HINT": "LATENCY",
            # The mapper works on the same cores: the system may move these threads away from it.
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
        """What an ONNX file says about itself, also after conversion to OpenVINO's format."""
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
        """See `Network`; an image of another size than the last one is compiled for first."""
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
        if not types <= set(_FLOAT_TYPES):
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
            f"OpenVINO is to run {path} and is not installed: pip install 'scenemind[openvino]', or"
            f" {_instead(path)}"
        ) from error
    return openvino


def _instead(path: Path) -> str:
    if path.suffix == ".xml":
        return "name the .onnx file that it was made from"
    return "set detector.runtime to auto"
