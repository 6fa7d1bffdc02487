"""Real architectures with random weights: their speed is that of trained ones, what they find is
nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.perception.backends import make_detector
from scenemind.perception.cache_root import cache_root
from scenemind.perception.protocols import Detector

# Name -> ultralytics' architecture.
RANDOM_MODELS: Mapping[str, str] = {
    "yolo-world-s": "yolov8s-worldv2.yaml",
    "yoloe-26n-seg": "yoloe-26n-seg.yaml",
}
# A crowded frame, whatever the scores: each of them gets its box and, where there are any, a mask.
_DETECTIONS = 20


class RandomWords:
    """A `TextEncoder` without a model: every word has a random direction of its own."""

    name = "random words"
    dimension = 512

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, 512) of unit length."""
        vectors = np.stack(
            [np.random.default_rng(list(t.encode())).normal(size=512) for t in texts]
        )
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def random_detector(name: str, config: DetectorConfig) -> Detector:
    """One of `RANDOM_MODELS`, which reports 20 boxes a frame.

    Args:
        config: of backend `auto`, in which case the model is exported first, once for a machine,
            or of `yolo_world` and `yoloe`, which run in torch; with what its runtime needs.

    Raises:
        PerceptionError: the extra `ultralytics` or the runtime is not installed.
    """
    architecture = RANDOM_MODELS[name]
    if config.backend == "auto":
        weights = str(_exported(name, architecture))
    else:
        weights = architecture
    thresholds = {"weights": weights, "min_score": 0.0, "max_detections": _DETECTIONS}
    return make_detector(config.model_copy(update=thresholds), encoder=RandomWords())


def _exported(name: str, architecture: str) -> Path:
    path = cache_root() / "bench" / f"{name} with random weights.onnx"
    if not path.is_file():
        from scenemind.perception.backends.export import export_onnx

        unfinished = path.with_name(f"unfinished {name}.onnx")
        export_onnx(architecture, unfinished)
        unfinished.rename(path)
    return path
