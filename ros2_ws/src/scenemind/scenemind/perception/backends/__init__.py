"""One file a model; `make_detector` builds the one that is configured."""

from __future__ import annotations

from collections.abc import Mapping

from scenemind.config import DetectorConfig
from scenemind.perception.errors import PerceptionError
from scenemind.perception.protocols import Detector

__all__ = ["make_detector"]


def make_detector(
    config: DetectorConfig, instance_names: Mapping[int, str] | None = None
) -> Detector:
    """The configured detector.

    Args:
        config: which backend, and its settings.
        instance_names: instance id -> label of a simulated sequence, for the instance camera.

    Raises:
        PerceptionError: the model cannot be used, or the instance camera has no names.
    """
    # A backend's runtime is imported only where the backend is used.
    if config.backend == "onnx":
        from scenemind.perception.backends.onnx_detector import OnnxDetector

        return OnnxDetector(config)
    if instance_names is None:
        raise PerceptionError(
            "detector.backend is instance_camera, but this sequence has no instance names: only"
            " simulated sequences have them; set detector.backend to onnx and detector.weights"
        )
    from scenemind.perception.backends.instance_camera import InstanceCamera

    return InstanceCamera(instance_names)
