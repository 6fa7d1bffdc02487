"""Open-vocabulary detectors: networks that take the vectors of words as a second input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.perception.backends.network import Network
from scenemind.perception.backends.onnx_detector import wanted_classes
from scenemind.perception.backends.picture_pipeline import LookedFor, PicturePipeline
from scenemind.perception.errors import PerceptionError
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text import (
    checked_vocabulary,
    default_vocabulary,
    label_similarity,
    make_text_encoder,
)
from scenemind.perception.types import Detections


class PromptedDetector:
    """An `OpenVocabularyDetector`: YOLO-World or YOLOE, exported or in torch."""

    def __init__(
        self, network: Network, encoder: TextEncoder, config: DetectorConfig, title: str
    ) -> None:
        """Embed the configured vocabulary and run the network once.

        Args:
            network: one with words as an input.
            encoder: the one that the network was trained with.
            config: thresholds, and the vocabulary (empty: the default indoor words).
            title: of the model, shown with its runtime as the detector's name.

        Raises:
            PerceptionError: the head is not known, the encoder's vectors do not fit, or a word
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
        self._pipeline = PicturePipeline(network, config)
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
        """Look for these from the next `detect` on; may be called from any thread.

        Raises:
            PerceptionError: a word cannot be embedded, or the model has fewer slots; the
                vocabulary stays as it was.
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
        # One assignment: a `detect` that is under way keeps the whole of the old one.
        self._looked_for = LookedFor(names, wanted, texts)

    def label_similarity(self, a: str, b: str) -> float:
        """How alike two labels are to the text encoder, in [0, 1]; see `text.label_similarity`."""
        return self._similarity(a, b)

    def detect(self, frame: RGBDFrame) -> Detections:
        """Detections of the frame's colour image, best first.

        Raises:
            PerceptionError: the model failed on this frame.
        """
        return self._pipeline.detect(frame.color, self._looked_for)


def encoder_of(network: Network, title: str) -> TextEncoder:
    """The text encoder that the network says it was trained with.

    Raises:
        PerceptionError: it names none, or one that is not known.
    """
    family = network.metadata.get("text_encoder")
    if family is None:
        raise PerceptionError(
            f"{title} takes words but does not say whose vectors (metadata `text_encoder`):"
            " export it with `scenemind detector export`"
        )
    return make_text_encoder(family)


def padded(vectors: NDArray[np.float32], slots: int | None) -> NDArray[np.float32]:
    """(N, D) to (1, slots, D); rows of zeros are slots that never fire."""
    count, dimension = vectors.shape
    texts = np.zeros((1, slots or count, dimension), dtype=np.float32)
    texts[0, :count] = vectors
    return texts
