"""One file a model; `make_detector` and `make_segmenter` build those that are configured."""

from __future__ import annotations

from collections.abc import Mapping

from scenemind.config import DetectorConfig
from scenemind.perception.backends.backend_choice import with_backend
from scenemind.perception.backends.segmenter_choice import make_segmenter
from scenemind.perception.errors import PerceptionError
from scenemind.perception.protocols import Detector, OpenVocabularyDetector, TextEncoder
from scenemind.perception.weights import find_weights

__all__ = ["make_detector", "make_segmenter"]


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
    # A backend's runtime is imported only where the backend is used.
    if config.backend == "onnx":
        return _exported(config, encoder)
    if config.backend in ("yolo_world", "yoloe"):
        return _in_torch(config, encoder)
    if instance_names is None:
        raise PerceptionError(
            "detector.backend is instance_camera, but this sequence has no instance names: only"
            " simulated sequences have them; set detector.backend to auto and detector.weights"
        )
    from scenemind.perception.backends.instance_camera import InstanceCamera

    return InstanceCamera(instance_names)


def _exported(config: DetectorConfig, encoder: TextEncoder | None) -> Detector:
    from scenemind.perception.backends.onnx_detector import OnnxDetector
    from scenemind.perception.backends.open_network import open_network
    from scenemind.perception.backends.prompted_detector import PromptedDetector, encoder_of

    path = find_weights(config.weights)
    network = open_network(path, config)
    if network.texts_shape is None:
        return OnnxDetector(network, config, path.stem)
    return PromptedDetector(network, encoder or encoder_of(network, path.name), config, path.stem)


def _in_torch(config: DetectorConfig, encoder: TextEncoder | None) -> OpenVocabularyDetector:
    from scenemind.perception.backends.prompted_detector import PromptedDetector, encoder_of
    from scenemind.perception.backends.torch_session import TorchSession

    network = TorchSession(config)
    title = network.metadata["description"]
    return PromptedDetector(network, encoder or encoder_of(network, title), config, title)
