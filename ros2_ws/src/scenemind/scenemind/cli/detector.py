"""Which detector looks at a sequence."""

from __future__ import annotations

import os
from pathlib import Path

from scenemind.cli.errors import CommandError
from scenemind.config import SceneMindConfig
from scenemind.frames import RecordedSequence
from scenemind.perception.backends import make_detector
from scenemind.perception.protocols import Detector
from scenemind.simulation import SimulatedSequence

WEIGHTS_VARIABLE = "SCENEMIND_WEIGHTS"
# Masks give better boxes in the world than boxes do; large inputs find small things.
_PREFERRED = ("yolov8n-seg_deq640.onnx", "yolov8n-seg_int8.onnx", "yolox_nano.onnx")
_DATA_BESIDE_THE_REPOSITORY = Path("shared/data")


def choose_detector(
    config: SceneMindConfig, sequence: RecordedSequence, weights: Path | None
) -> tuple[SceneMindConfig, Detector]:
    """The detector for a sequence, and the settings with its choice in them.

    A simulated room has its own instance camera, unless weights are named.

    Raises:
        CommandError: no weights are named and none can be found.
        PerceptionError: the weights cannot be used.
    """
    settings = detector_settings(config, sequence, weights)
    names = sequence.class_names if isinstance(sequence, SimulatedSequence) else None
    return settings, make_detector(settings.detector, names)


def detector_settings(
    config: SceneMindConfig, sequence: RecordedSequence, weights: Path | None
) -> SceneMindConfig:
    """See `choose_detector`."""
    if weights is None and config.detector.backend in ("yolo_world", "yoloe"):
        return config  # whose weights are found, or fetched, by name
    if weights is None and not config.detector.weights and isinstance(sequence, SimulatedSequence):
        chosen = {"backend": "instance_camera"}
    else:
        chosen = {"backend": "onnx", "weights": str(find_weights(config, weights))}
    return config.model_copy(update={"detector": config.detector.model_copy(update=chosen)})


def find_weights(config: SceneMindConfig, named: Path | None = None) -> Path:
    """The ONNX file: named, from the settings, from `SCENEMIND_WEIGHTS`, or beside the repository.

    Of a folder, the best of the models that are known by name.

    Raises:
        CommandError: there is none.
    """
    told = named or config.detector.weights or os.environ.get(WEIGHTS_VARIABLE)
    if told:
        path = Path(told).expanduser()
        if path.is_dir():
            path = next(filter(Path.is_file, (path / name for name in _PREFERRED)), path)
        if not path.is_file():
            raise CommandError(f"there is no ONNX file at {path}")
        return path
    for name in _PREFERRED:
        if (found := data_beside_the_repository(f"weights/{name}")) is not None:
            return found
    raise CommandError(
        "a recorded sequence needs a detector: name an ONNX file with --detector or"
        f" ${WEIGHTS_VARIABLE}. An open-vocabulary model becomes one with"
        " `scenemind detector export yoloe-26n-seg --out yoloe.onnx`"
    )


def find_recordings() -> list[Path]:
    """The recorded sequences beside the repository; none where there are none."""
    folder = data_beside_the_repository("sequences")
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder else []


def data_beside_the_repository(name: str) -> Path | None:
    """A file or folder of the data that some machines have."""
    for folder in Path(__file__).resolve().parents:
        if (path := folder / _DATA_BESIDE_THE_REPOSITORY / name).exists():
            return path
    return None
