"""Detectors of the YOLO family: with fixed classes, or with an open vocabulary."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.perception.backends.detection_pipeline import ClassSelection, DetectionPipeline
from scenemind.perception.backends.runtimes import Network
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text import (
    checked_vocabulary,
    default_vocabulary,
    label_similarity,
    make_text_encoder,
)
from scenemind.perception.types import Detections, PerceptionError
from scenemind.perception.upright import detect_upright


class OnnxDetector:
    """An exported detector with fixed classes: YOLOv8, YOLO11 (also end2end) and YOLOX."""

    def __init__(self, network: Network, config: DetectorConfig, title: str) -> None:
        """Run the network once, to recognise its head and to warm it up.

        Args:
            network: a network without words as an input.
            config: thresholds and the classes to keep.
            title: of the model, shown with its runtime as the detector's name.

        Raises:
            PerceptionError: the head or a configured class is unknown; names the remedy.
        """
        self._pipeline = DetectionPipeline(network, config)
        names = self._pipeline.head.class_names
        self._looked_for = ClassSelection(names, wanted_classes(config.classes, names))
        self._name = f"{title} ({network.runtime})"

    @property
    def name(self) -> str:
        return self._name

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return self._looked_for.vocabulary

    @property
    def stage_ms(self) -> Mapping[str, float]:
        """Wall time of the last `detect`: `pre`, `network`, `post`."""
        return self._pipeline.stage_ms

    def detect(self, frame: RGBDFrame) -> Detections:
        """Detections of the frame's colour image, turned upright, best first.

        Raises:
            PerceptionError: the model failed on this frame.
        """
        looked_for = self._looked_for
        return detect_upright(frame, lambda color: self._pipeline.detect(color, looked_for))


def wanted_classes(wanted: Sequence[str], names: tuple[str, ...]) -> NDArray[np.bool_]:
    """(len(names),) bool, the configured classes; all where none is configured.

    Raises:
        PerceptionError: an unknown class; names similar ones.
    """
    words = [word.lower() for word in wanted]
    for word, lower in zip(wanted, words, strict=True):
        if lower not in names:
            near = difflib.get_close_matches(lower, names, n=3) or names[:10]
            raise PerceptionError(
                f"detector.classes names {word!r}, which this model does not know;"
                f" it knows {len(names)} classes, such as {', '.join(near)}"
            )
    return np.array([not words or name in words for name in names], dtype=np.bool_)


class PromptedDetector:
    """An `OpenVocabularyDetector`: YOLO-World or YOLOE, exported or in torch."""

    def __init__(
        self, network: Network, encoder: TextEncoder, config: DetectorConfig, title: str
    ) -> None:
        """Embed the configured vocabulary and run the network once.

        Args:
            network: a network with words as an input.
            encoder: the encoder that the network was trained with.
            config: thresholds, and the vocabulary (empty: the default indoor words).
            title: of the model, shown with its runtime as the detector's name.

        Raises:
            PerceptionError: the head is unknown, the encoder's vectors do not fit, or a word
                cannot be embedded.
        """
        if network.texts_shape is None:
            raise PerceptionError(f"{title} takes no words: its classes are fixed")
        self._slots, dimension = network.texts_shape
        if encoder.dimension != dimension:
            raise PerceptionError(
                f"{title} compares vectors of {dimension} numbers, but the text encoder"
                f" {encoder.name} gives {encoder.dimension}: it is not the model's own"
            )
        self._encoder = encoder
        self._config = config
        self._title = title
        self._pipeline = DetectionPipeline(network, config)
        self._name = f"{title} ({network.runtime})"
        self.set_vocabulary(config.vocabulary or default_vocabulary())

    @property
    def name(self) -> str:
        return self._name

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return self._looked_for.vocabulary

    @property
    def stage_ms(self) -> Mapping[str, float]:
        """Wall time of the last `detect`: `pre`, `network`, `post`."""
        return self._pipeline.stage_ms

    def set_vocabulary(self, classes: Sequence[str]) -> None:
        """Set the classes of the next `detect`; may be called from any thread.

        Raises:
            PerceptionError: a word cannot be embedded, or the model has fewer slots; the
                vocabulary is unchanged.
        """
        names = checked_vocabulary(classes)
        if self._slots is not None and len(names) > self._slots:
            raise PerceptionError(
                f"{len(names)} words do not fit into the {self._slots} slots of {self._title}:"
                f" leave some out, or export it again with --slots {len(names)} or more"
            )
        wanted = wanted_classes(self._config.classes, names)
        try:
            vectors = self._encoder.encode(names)
        except PerceptionError as error:
            raise PerceptionError(
                f"{error}; or leave them out of detector.vocabulary (`scenemind vocabulary list`"
                " tells whose vectors are here)"
            ) from error
        texts = padded(vectors, self._slots)
        self._similarity = label_similarity(self._encoder.name, names, vectors)
        # One assignment: a running `detect` keeps the complete old selection.
        self._looked_for = ClassSelection(names, wanted, texts)

    def label_similarity(self, a: str, b: str) -> float:
        """Similarity of two labels by the text encoder, in [0, 1]; see `text.label_similarity`."""
        return self._similarity(a, b)

    def detect(self, frame: RGBDFrame) -> Detections:
        """Detections of the frame's colour image, turned upright, best first.

        Raises:
            PerceptionError: the model failed on this frame.
        """
        looked_for = self._looked_for
        return detect_upright(frame, lambda color: self._pipeline.detect(color, looked_for))


def encoder_of(network: Network, title: str) -> TextEncoder:
    """The text encoder named in the network's metadata.

    Raises:
        PerceptionError: none is named, or an unknown one.
    """
    family = network.metadata.get("text_encoder")
    if family is None:
        raise PerceptionError(
            f"{title} takes words but does not say whose vectors (metadata `text_encoder`):"
            " export it with `scenemind detector export`"
        )
    return make_text_encoder(family)


def padded(vectors: NDArray[np.float32], slots: int | None) -> NDArray[np.float32]:
    """Vectors (N, D) padded to (1, slots, D); zero rows are slots that never fire."""
    count, dimension = vectors.shape
    texts = np.zeros((1, slots or count, dimension), dtype=np.float32)
    texts[0, :count] = vectors
    return texts
