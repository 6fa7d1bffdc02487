"""One open-vocabulary detector for all questions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext

from scenemind.frames import RGBDFrame
from scenemind.models import Allowance
from scenemind.perception.protocols import OpenVocabularyDetector
from scenemind.perception.types import Detections


class SharedDetector:
    """Made for the first question that needs it; used from any thread, a frame at a time. It is
    told what to look for, so it must not be the mapper's.

    Nobody waits for it longer than their own time: it is made on a thread of its own, which goes on
    where the question that needed it has been given up, and the next one finds it.
    """

    def __init__(self, build: Callable[[], OpenVocabularyDetector]) -> None:
        """
        Args:
            build: makes the detector; called again where it failed.
        """
        self._build = build
        self._changed = threading.Condition()  # of the two below
        self._made: Future[OpenVocabularyDetector] | None = None
        self._is_busy = False

    @property
    def name(self) -> str:
        """Of the detector; empty before it is made."""
        made = self._made
        if made is None or not made.done() or made.exception() is not None:
            return ""
        return made.result().name

    def open(self, allowance: Allowance | None = None) -> None:
        """Have it made now, where it costs more to find out later that it cannot be had.

        Args:
            allowance: of who waits; None: as long as it takes.

        Raises:
            PerceptionError: it cannot be had.
            ModelError: cancelled, or the allowance is used up.
        """
        self._opened(allowance)

    def detect(
        self, frame: RGBDFrame, classes: tuple[str, ...], allowance: Allowance | None = None
    ) -> Detections:
        """Things of these classes, surest first.

        Args:
            classes: normalised (`checked_vocabulary`).
            allowance: of who waits for a turn; None: as long as it takes.

        Raises:
            PerceptionError: the detector cannot be had, does not take the classes, or failed.
            ModelError: cancelled, or the allowance is used up.
        """
        detector = self._opened(allowance)
        with self._turn(allowance):
            if detector.vocabulary != classes:  # another question's, or none yet
                detector.set_vocabulary(classes)
            return detector.detect(frame)

    def _opened(self, allowance: Allowance | None) -> OpenVocabularyDetector:
        with self._changed:
            made = self._made
            if made is None:
                made = self._made = Future()
                make = threading.Thread(
                    target=self._make, args=(made,), name="detector", daemon=True
                )
                make.start()
        self._wait(made.done, allowance)
        return made.result()

    def _make(self, made: Future[OpenVocabularyDetector]) -> None:
        try:
            made.set_result(self._build())
        except BaseException as error:  # noqa: BLE001  # raised again for all who wait
            made.set_exception(error)
        with self._changed:
            if made.exception() is not None:
                self._made = None
            self._changed.notify_all()

    @contextmanager
    def _turn(self, allowance: Allowance | None) -> Iterator[None]:
        self._wait(self._take_turn, allowance)
        try:
            yield
        finally:
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()

    def _take_turn(self) -> bool:
        was_free, self._is_busy = not self._is_busy, True
        return was_free

    def _wait(self, is_over: Callable[[], bool], allowance: Allowance | None) -> None:
        """
        Raises:
            ModelError: cancelled, or the allowance is used up.
        """
        waking = nullcontext() if allowance is None else allowance.waking(self._wake)
        with waking, self._changed:
            while not is_over():
                if allowance is not None:
                    allowance.check()
                self._changed.wait(None if allowance is None else max(0.0, allowance.left_s))

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
