"""Which runtime runs an exported network."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Literal

import onnxruntime

from scenemind.config import DetectorConfig
from scenemind.perception.backends.network import Network
from scenemind.perception.errors import PerceptionError

_ACCELERATORS = ("CUDAExecutionProvider", "TensorrtExecutionProvider")


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
