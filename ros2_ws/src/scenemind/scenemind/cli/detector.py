"""Which detector looks at a sequence."""

from __future__ import annotations

import os
from pathlib import Path

from scenemind.config import DetectorConfig, SceneMindConfig
from scenemind.frames import RecordedSequence
from scenemind.perception.backends import make_detector
from scenemind.perception.backends.backend_choice import with_backend
from scenemind.perception.protocols import Detector
from scenemind.perception.weights import WEIGHTS_VARIABLE
from scenemind.simulation import SimulatedSequence

_DATA_BESIDE_THE_REPOSITORY = Path("shared/data")


def choose_detector(
    config: SceneMindConfig, sequence: RecordedSequence, named: str | None
) -> tuple[SceneMindConfig, Detector]:
    """The detector for a sequence, and the settings with its choice in them.

    A simulated room has its own instance camera, unless a detector is named on the command line
    or in the settings. A recorded sequence has the one that is named there or by
    `SCENEMIND_WEIGHTS`, else the best of the data beside the repository.

    Args:
        named: on the command line: see `with_backend`.

    Raises:
        PerceptionError: none is named and none can be found, or it cannot be used.
    """
    names = sequence.class_names if isinstance(sequence, SimulatedSequence) else None
    settings = detector_settings(config, named, is_simulated=names is not None)
    return settings, make_detector(settings.detector, names)


def detector_settings(
    config: SceneMindConfig, named: str | None = None, *, is_simulated: bool
) -> SceneMindConfig:
    """See `choose_detector`."""
    detector = config.detector
    if named:
        detector = _with(detector, weights=named)
        if detector.backend == "instance_camera":
            detector = _with(detector, backend="auto")
    elif detector.backend == "auto" and not detector.weights:
        if is_simulated:
            detector = _with(detector, backend="instance_camera")
        elif not os.environ.get(WEIGHTS_VARIABLE):
            detector = _with(detector, weights=str(data_beside_the_repository("weights") or ""))
    return config.model_copy(update={"detector": with_backend(detector)})


def _with(detector: DetectorConfig, **settings: str) -> DetectorConfig:
    return detector.model_copy(update=settings)


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
