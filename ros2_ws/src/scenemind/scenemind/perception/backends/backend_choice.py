"""Choice of a detector's backend from a file or a model's name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from scenemind.config import DetectorConfig
from scenemind.perception.types import PerceptionError
from scenemind.perception.weights import DETECTORS, EXPORTED, WEIGHTS_VARIABLE, locate_weights

Family = Literal["yolo_world", "yoloe"]

IN_TORCH = (".pt", ".pth")
ARCHITECTURE = (".yaml", ".yml")  # built with random weights, for measuring speed
_DEFAULT_WEIGHTS: dict[Family, str] = {
    "yolo_world": "yolov8s-worldv2.pt",
    "yoloe": "yoloe-26n-seg.pt",
}


def with_backend(config: DetectorConfig, more_folders: Sequence[Path] = ()) -> DetectorConfig:
    """The settings with `auto` replaced by a backend, and with weights.

    Default weights are a torch family's smallest model, else `$SCENEMIND_WEIGHTS`. Weights become
    a full path where the file exists; nothing is downloaded.

    Args:
        more_folders: where a name is looked for as well; see `locate_weights`.

    Raises:
        PerceptionError: no weights are named, they do not exist, or the backend cannot run them.
    """
    if config.backend == "instance_camera":
        return config
    named = config.weights
    if config.backend in ("yolo_world", "yoloe"):
        named = named or _DEFAULT_WEIGHTS[config.backend]
    named = named or os.environ.get(WEIGHTS_VARIABLE, "")
    if not named:
        raise PerceptionError(
            f"no detector is named: say `--detector FILE.onnx`, or set {WEIGHTS_VARIABLE}"
            " (settings and nodes: detector.weights). `scenemind detector --help` says where to"
            " get one"
        )
    is_architecture = Path(named).suffix in ARCHITECTURE
    place = Path(named) if is_architecture else locate_weights(named, DETECTORS, more_folders)
    backend = _backend_of(place) if config.backend == "auto" else config.backend
    if (backend == "onnx") != (place.suffix in EXPORTED):
        raise PerceptionError(
            f"detector.backend is {backend}, which cannot run {place}: leave it at auto"
        )
    weights = str(place.resolve()) if place.is_file() else named
    return config.model_copy(update={"backend": backend, "weights": weights})


def family_of(weights: str) -> Family:
    """The family of a torch model by its name.

    Raises:
        PerceptionError: the name contains neither family's.
    """
    stem = Path(weights).stem.lower()
    if "world" in stem:
        return "yolo_world"
    if "yoloe" in stem:
        return "yoloe"
    raise PerceptionError(
        f"{weights!r} names neither a YOLO-World nor a YOLOE model, such as yolov8s-worldv2.pt"
        " or yoloe-26n-seg.pt, and only these take words: name the file so, or set"
        " detector.backend to yolo_world or yoloe"
    )


def _backend_of(place: Path) -> Literal["onnx"] | Family:
    if place.suffix in EXPORTED:
        return "onnx"
    if place.suffix in (*IN_TORCH, *ARCHITECTURE):
        return family_of(str(place))
    raise PerceptionError(
        f"{place} ends in {place.suffix or 'no suffix'}: detectors are .onnx and .xml files"
        " (exported), or .pt files (torch)"
    )
