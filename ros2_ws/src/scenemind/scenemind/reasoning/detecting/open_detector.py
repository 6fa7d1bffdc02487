"""The configured detector, told what to look for."""

from __future__ import annotations

from scenemind.config import DetectorConfig
from scenemind.perception.backends import make_detector
from scenemind.perception.errors import PerceptionError
from scenemind.perception.protocols import OpenVocabularyDetector
from scenemind.reasoning.detecting.shared_detector import SharedDetector


def open_detector(config: DetectorConfig) -> SharedDetector:
    """Cheap: the model is read from disk by the first question that needs it, which is told then
    where it is none of an open vocabulary."""
    return SharedDetector(lambda: _open_vocabulary(config))


def _open_vocabulary(config: DetectorConfig) -> OpenVocabularyDetector:
    found = make_detector(config)
    if not isinstance(found, OpenVocabularyDetector):
        raise PerceptionError(
            f"the detector {found.name} finds only what it was trained for: name the weights of"
            " an open-vocabulary one, such as yoloe-26n-seg, in detector.weights or with --detector"
        )
    return found
