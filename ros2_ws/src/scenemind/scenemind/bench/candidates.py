"""What can run detectors here: runtimes with their precision, and what is missing for others."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import onnxruntime

from scenemind.bench.workload import random_detector, random_network
from scenemind.config import DetectorConfig
from scenemind.errors import UsageError, install_line
from scenemind.perception.backends.runtimes import Network
from scenemind.perception.protocols import Detector

_CPU, _CUDA, _TENSORRT = (f"{name}ExecutionProvider" for name in ("CPU", "CUDA", "Tensorrt"))
_EXACT = {"precision": "float32"}


@dataclass(frozen=True, slots=True)
class Runtime:
    """A runtime on a device, in a precision.

    Attributes:
        name: such as `torch CUDA float16`.
        settings: of `DetectorConfig`; without a backend they are for exported files.
        in_torch: the backend is the model's, in torch.
        half: takes files that were exported in half precision.
        on_gpu: whether pictures go to a GPU and results come back.
    """

    name: str
    settings: dict[str, Any]
    in_torch: bool = False
    half: bool = False
    on_gpu: bool = False

    def config(self, model: str = "") -> DetectorConfig:
        """Settings of a detector.

        Args:
            model: one of `RANDOM_MODELS`; only exported files need none.
        """
        backend = "yolo_world" if "world" in model else "yoloe"
        return DetectorConfig.model_validate(
            {**self.settings, **({"backend": backend} if self.in_torch else {})}
        )

    def detector(self, model: str) -> Detector:
        """One of `RANDOM_MODELS` in this runtime.

        Raises:
            PerceptionError: the extra `ultralytics` or the runtime is missing.
        """
        return random_detector(model, self.config(model), half=self.half)

    def network(self, model: str, batch: int) -> tuple[Network, Any]:
        """The network alone, for `batch` pictures at once, and its words; errors as above."""
        return random_network(model, self.config(model), half=self.half, batch=batch)


def runtimes() -> tuple[Runtime, ...]:
    """All that is installed, those of GPUs first."""
    return (*_of_gpus(), *_of_processor())


def chosen(names: Sequence[str]) -> tuple[Runtime, ...]:
    """The runtimes with these names; all for none.

    Raises:
        UsageError: an unknown name, or one that is not installed.
    """
    here = {runtime.name: runtime for runtime in runtimes()}
    for name in names:
        if name not in here:
            why = {**missing(), "": ""}.get(name, "")
            raise UsageError(
                f"no runtime {name!r} here{f' ({why})' if why else ''}; there are {', '.join(here)}"
            )
    return tuple(here[name] for name in names) if names else tuple(here.values())


def missing() -> dict[str, str]:
    """Runtimes that are not installed, with the way to them."""
    providers = onnxruntime.get_available_providers()
    found = {
        "openvino": "" if _is_installed("openvino") else install_line("openvino"),
        "torch": "" if _is_installed("torch") else install_line("ultralytics"),
        "onnxruntime CUDA": "" if _CUDA in providers else "pip install onnxruntime-gpu",
        "onnxruntime TensorRT": ""
        if _TENSORRT in providers
        else "pip install onnxruntime-gpu tensorrt",
    }
    return {name: f"not installed: {line}" for name, line in found.items() if line}


def has_torch_cuda() -> bool:
    """Whether torch is installed and sees a GPU; imports it, whose CUDA libraries ONNX Runtime
    takes too."""
    if not _is_installed("torch"):
        return False
    import torch

    return bool(torch.cuda.is_available())


def _of_gpus() -> Iterator[Runtime]:
    if has_torch_cuda():
        on_cuda = {"device": "cuda"}
        yield Runtime("torch CUDA float16", on_cuda, in_torch=True, on_gpu=True)
        yield Runtime("torch CUDA float32", on_cuda | _EXACT, in_torch=True, on_gpu=True)
    providers = onnxruntime.get_available_providers()
    if _TENSORRT in providers:
        order: dict[str, Any] = {"providers": [_TENSORRT, _CUDA, _CPU]}
        yield Runtime("onnxruntime TensorRT float16", order, on_gpu=True)
        yield Runtime("onnxruntime TensorRT float32", order | _EXACT, on_gpu=True)
    if _CUDA in providers:
        order = {"providers": [_CUDA, _CPU]}
        yield Runtime("onnxruntime CUDA float16", order, half=True, on_gpu=True)
        yield Runtime("onnxruntime CUDA tf32", order, on_gpu=True)
        yield Runtime("onnxruntime CUDA float32", order | _EXACT, on_gpu=True)


def _of_processor() -> Iterator[Runtime]:
    if _is_installed("openvino"):
        yield Runtime("openvino", {"runtime": "openvino"})
    yield Runtime("onnxruntime", {"providers": [_CPU]})
    if _is_installed("torch"):
        yield Runtime("torch", {"device": "cpu"}, in_torch=True)


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
