"""Perception models that all questions of a process share: one detector and one segmenter."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.models import Allowance
from scenemind.perception.backends import make_detector
from scenemind.perception.protocols import OpenVocabularyDetector, Segmenter
from scenemind.perception.types import BoxMask, Detections, PerceptionError

Model = TypeVar("Model")


class SharedModel(Generic[Model]):
    """A model that is loaded for the first question that needs it, and used by one at a time.

    It is loaded on a thread of its own: a question that runs out of time gives up the wait, and the
    next one finds the model.
    """

    def __init__(self, build: Callable[[], Model], kind: str) -> None:
        """
        Args:
            build: loads the model; called again after an error.
            kind: name of the loading thread.
        """
        self._build = build
        self._kind = kind
        self._changed = threading.Condition()  # guards the two below
        self._made: Future[Model] | None = None
        self._is_busy = False

    def find(self) -> Model | None:
        """The model, if it is loaded."""
        made = self._made
        if made is None or not made.done() or made.exception() is not None:
            return None
        return made.result()

    def get(self, allowance: Allowance | None = None) -> Model:
        """The model; waits until it is loaded.

        Args:
            allowance: limits the wait; None: no limit.

        Raises:
            PerceptionError: it cannot be loaded; or any error of `build`.
            ModelError: cancelled, or the allowance is used up.
        """
        with self._changed:
            made = self._made
            if made is None:
                made = self._made = Future()
                make = threading.Thread(
                    target=self._make, args=(made,), name=self._kind, daemon=True
                )
                make.start()
        self._wait(made.done, allowance)
        return made.result()

    @contextmanager
    def turn(self, allowance: Allowance | None = None) -> Iterator[Model]:
        """The model for exclusive use; waits and raises as `get`."""
        model = self.get(allowance)
        self._wait(self._take_turn, allowance)
        try:
            yield model
        finally:
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()

    def _make(self, made: Future[Model]) -> None:
        try:
            model = self._build()
        except BaseException as error:  # noqa: BLE001  # raised in every waiting thread
            with self._changed:
                self._made = None
                made.set_exception(error)
                self._changed.notify_all()
            return
        with self._changed:
            made.set_result(model)
            self._changed.notify_all()

    def _take_turn(self) -> bool:
        was_free, self._is_busy = not self._is_busy, True
        return was_free

    def _wait(self, is_over: Callable[[], bool], allowance: Allowance | None) -> None:
        """Wait for a condition.

        Raises:
            ModelError: cancelled, or the allowance is used up.
        """
        waking = nullcontext() if allowance is None else allowance.waking(self._wake)
        with waking, self._changed:
            while not is_over():
                if allowance is not None:
                    allowance.check_time()
                self._changed.wait(None if allowance is None else max(0.0, allowance.left_s))

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


class SharedDetector:
    """An open-vocabulary detector for questions, one frame at a time, from any thread. Each
    question sets its vocabulary, therefore it must not be the mapper's detector."""

    def __init__(self, build: Callable[[], OpenVocabularyDetector]) -> None:
        """
        Args:
            build: loads the detector; called again after an error.
        """
        self._shared = SharedModel(build, "detector")

    @property
    def name(self) -> str:
        """Name of the detector; empty before it is loaded."""
        detector = self._shared.find()
        return "" if detector is None else detector.name

    def open(self, allowance: Allowance | None = None) -> None:
        """Load it now; raises early where it is not available.

        Args:
            allowance: limits the wait; None: no limit.

        Raises:
            PerceptionError: it is not available.
            ModelError: cancelled, or the allowance is used up.
        """
        self._shared.get(allowance)

    def detect(
        self, frame: RGBDFrame, classes: tuple[str, ...], allowance: Allowance | None = None
    ) -> Detections:
        """Detections of these classes, highest score first.

        Args:
            classes: normalised (`checked_vocabulary`).
            allowance: limits the wait for a turn; None: no limit.

        Raises:
            PerceptionError: the detector is not available, rejects the classes, or failed.
            ModelError: cancelled, or the allowance is used up.
        """
        with self._shared.turn(allowance) as detector:
            if detector.vocabulary != classes:  # another question's, or none yet
                detector.set_vocabulary(classes)
            return detector.detect(frame)


def open_detector(config: DetectorConfig) -> SharedDetector:
    """The configured detector. It is loaded by the first question that needs it, which fails where
    the detector has a fixed vocabulary."""
    return SharedDetector(lambda: _open_vocabulary(config))


def _open_vocabulary(config: DetectorConfig) -> OpenVocabularyDetector:
    found = make_detector(config)
    if not isinstance(found, OpenVocabularyDetector):
        raise PerceptionError(
            f"the detector {found.name} finds only what it was trained for: name the weights of"
            " an open-vocabulary one, such as yoloe-26n-seg, in detector.weights or with --detector"
        )
    return found


class SharedSegmenter:
    """A segmenter for questions, one image at a time, from any thread."""

    def __init__(self, build: Callable[[], Segmenter]) -> None:
        """
        Args:
            build: loads the segmenter; called again after an error.
        """
        self._shared = SharedModel(build, "segmenter")

    def within(self, allowance: Allowance) -> Segmenter:
        """The segmenter for one query, with the allowance as limit of every wait. The first image
        raises where it is not available."""
        return _OfQuery(self._shared, allowance)


@dataclass(frozen=True, slots=True)
class _OfQuery:
    shared: SharedModel[Segmenter]
    allowance: Allowance

    @property
    def name(self) -> str:
        """Name of the segmenter, when it is loaded."""
        segmenter = self.shared.find()
        return "the segmenter" if segmenter is None else segmenter.name

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`.

        Raises:
            ModelError: cancelled, or the allowance is used up.
        """
        with self.shared.turn(self.allowance) as segmenter:
            return segmenter.segment(frame, boxes_px)
