"""The configured detector and segmenter; a backend's runtime is imported only where it is used."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from scenemind.config import DetectorConfig, SegmenterConfig
from scenemind.perception.backends.backend_choice import ARCHITECTURE, IN_TORCH, with_backend
from scenemind.perception.backends.depth_segmenter import DepthSegmenter
from scenemind.perception.protocols import (
    Detector,
    OpenVocabularyDetector,
    Segmenter,
    TextEncoder,
)
from scenemind.perception.types import PerceptionError
from scenemind.perception.weights import (
    DETECTORS,
    SEGMENTERS,
    find_weights,
    is_path,
    locate_weights,
)

_log = logging.getLogger(__name__)
SEGMENTER_VARIABLE = "SCENEMIND_SEGMENTER"
_DEFAULT_WEIGHTS = "sam_vit_b_01ec64.pth"
_EXAMPLES = "sam_vit_b_01ec64.pth, mobile_sam.pt, or a folder with an encoder and a decoder in ONNX"


def make_detector(
    config: DetectorConfig,
    instance_names: Mapping[int, str] | None = None,
    encoder: TextEncoder | None = None,
) -> Detector:
    """The configured detector.

    Args:
        config: which backend, and its settings.
        instance_names: instance id -> label of a simulated sequence, for the instance camera.
        encoder: words to vectors, for an open-vocabulary model; None: the model's own.

    Raises:
        PerceptionError: no model is named, it cannot be used, or the instance camera has no
            names.
    """
    config = with_backend(config)
    if config.backend == "onnx":
        return _exported_detector(config, encoder)
    if config.backend in ("yolo_world", "yoloe"):
        return _torch_detector(config, encoder)
    if instance_names is None:
        raise PerceptionError(
            "detector.backend is instance_camera, but this sequence has no instance names: only"
            " simulated sequences have them; set detector.backend to auto and detector.weights"
        )
    from scenemind.perception.backends.instance_camera import InstanceCamera

    return InstanceCamera(instance_names)


def _exported_detector(config: DetectorConfig, encoder: TextEncoder | None) -> Detector:
    from scenemind.perception.backends.runtimes import open_network
    from scenemind.perception.backends.yolo_detectors import (
        OnnxDetector,
        PromptedDetector,
        encoder_of,
    )

    path = find_weights(config.weights, DETECTORS)
    network = open_network(path, config)
    if network.texts_shape is None:
        return OnnxDetector(network, config, path.stem)
    return PromptedDetector(network, encoder or encoder_of(network, path.name), config, path.stem)


def _torch_detector(config: DetectorConfig, encoder: TextEncoder | None) -> OpenVocabularyDetector:
    from scenemind.perception.backends.yolo_detectors import PromptedDetector, encoder_of
    from scenemind.perception.backends.yolo_torch import TorchSession

    network = TorchSession(config)
    title = network.metadata["description"]
    return PromptedDetector(network, encoder or encoder_of(network, title), config, title)


def make_segmenter(config: SegmenterConfig) -> Segmenter:
    """The configured segmenter, loaded; weights with a known name are downloaded where needed.

    Raises:
        PerceptionError: the model is not available or cannot be used here; names the remedy.
    """
    weights = config.weights or os.environ.get(SEGMENTER_VARIABLE, "")
    backend = _backend_of(weights) if config.backend == "auto" else config.backend
    if backend != "depth" and weights and _is_exported(weights) != (backend == "sam_onnx"):
        raise PerceptionError(
            f"segmenter.backend is {backend}, which cannot run {weights}: leave it at auto"
        )
    if backend == "depth":
        if config.backend == "auto":
            _warn_without_model()
        return DepthSegmenter()
    from scenemind.perception.backends.sam_segmenter import SamSegmenter

    if backend == "sam_onnx":
        from scenemind.perception.backends.sam_segmenter import SamOnnx, find_pair

        if not weights:
            raise PerceptionError(
                "segmenter.backend is sam_onnx, but no files are named: set segmenter.weights to a"
                " folder with an encoder and a decoder"
            )
        encoder, decoder = find_pair(_path_of(weights))
        title = encoder.stem.replace("encoder", "").strip("_-. ") or "SAM"
        return SamSegmenter(SamOnnx(encoder, decoder), title)
    from scenemind.perception.backends.sam_torch import SamTorch, load_sam

    model = load_sam(weights or _DEFAULT_WEIGHTS)
    return SamSegmenter(SamTorch(model, config.device), model.title)


def _backend_of(weights: str) -> Literal["depth", "sam", "sam_onnx"]:
    if not weights:
        return "depth"
    if _is_exported(weights):
        return "sam_onnx"
    suffix = Path(weights).suffix
    if suffix in (*IN_TORCH, *ARCHITECTURE) or not suffix:
        return "sam"
    raise PerceptionError(
        f"segmenter.weights {weights!r} ends in {suffix}: name weights of SAM, such as {_EXAMPLES}"
    )


def _is_exported(weights: str) -> bool:
    return Path(weights).suffix == ".onnx" or _is_folder(weights)


def _is_folder(weights: str) -> bool:
    return is_path(weights) and Path(weights).expanduser().is_dir()


def _path_of(weights: str) -> Path:
    return (
        Path(weights).expanduser() if _is_folder(weights) else locate_weights(weights, SEGMENTERS)
    )


@cache  # once a process
def _warn_without_model() -> None:
    _log.warning(
        "no SAM is configured: masks come from depth and colour, and are coarser; name weights in"
        " vlm_grounder.segmenter.weights or $%s, such as %s",
        SEGMENTER_VARIABLE,
        _EXAMPLES,
    )
