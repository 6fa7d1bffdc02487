"""One detector for questions on several threads."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.models import Allowance, ModelError
from scenemind.perception import PerceptionError
from scenemind.perception.types import Detections
from scenemind.reasoning.detecting import SharedDetector, open_detector, picture

PICTURE = picture(np.zeros((60, 80, 3), np.uint8))


class Echo:
    """Detects one of each class that it was told; notices when two use it at once."""

    name = "echo"

    def __init__(self) -> None:
        self.vocabulary: tuple[str, ...] = ()
        self._alone = threading.Lock()

    def set_vocabulary(self, classes: Sequence[str]) -> None:
        assert self._alone.acquire(blocking=False)
        self.vocabulary = tuple(classes)

    def label_similarity(self, a: str, b: str) -> float:
        return float(a == b)

    def detect(self, frame: RGBDFrame) -> Detections:  # noqa: ARG002
        n = len(self.vocabulary)
        if self._alone.locked():
            self._alone.release()
        boxes = np.zeros((n, 4), np.float32)
        return Detections(self.vocabulary, np.ones(n, np.float32), boxes, (None,) * n)


def test_each_question_gets_its_own_classes_from_one_detector() -> None:
    built: list[Echo] = []

    def build() -> Echo:
        built.append(Echo())
        return built[-1]

    shared = SharedDetector(build)
    assert shared.name == ""
    assert not built
    asked = [(f"thing {i % 3}",) for i in range(60)]
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda classes: shared.detect(PICTURE, classes), asked))
    assert [detections.labels for detections in found] == asked
    assert len(built) == 1
    assert shared.name == "echo"


def test_a_detector_that_could_not_be_had_is_tried_again() -> None:
    tries: list[int] = []

    def build() -> Echo:
        tries.append(1)
        if len(tries) == 1:
            raise PerceptionError("no network")
        return Echo()

    shared = SharedDetector(build)
    with pytest.raises(PerceptionError, match="no network"):
        shared.detect(PICTURE, ("cup",))
    assert shared.detect(PICTURE, ("cup",)).labels == ("cup",)


class Held(Echo):
    """One that takes its time."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.released = threading.Event(), threading.Event()

    def detect(self, frame: RGBDFrame) -> Detections:
        self.begun.set()
        assert self.released.wait(20.0)
        return super().detect(frame)


def test_nobody_waits_for_another_questions_frame_longer_than_their_own_time() -> None:
    held = Held()
    shared = SharedDetector(lambda: held)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(shared.detect, PICTURE, ("cup",))
        assert held.begun.wait(20.0)
        with pytest.raises(ModelError) as late:
            shared.detect(PICTURE, ("chair",), Allowance(0.02))
        allowance = Allowance(60.0)
        second = pool.submit(shared.detect, PICTURE, ("chair",), allowance)
        allowance.cancel()
        cancelled = second.exception(20.0)
        held.released.set()
        assert first.result(20.0).labels == ("cup",)
    assert late.value.kind == "too_late"
    assert isinstance(cancelled, ModelError)
    assert cancelled.kind == "cancelled"
    assert shared.detect(PICTURE, ("chair",), Allowance(20.0)).labels == ("chair",)


def test_a_detector_that_is_long_in_coming_is_there_for_a_later_question() -> None:
    released = threading.Event()
    built: list[Echo] = []

    def build() -> Echo:
        assert released.wait(20.0)
        built.append(Echo())
        return built[-1]

    shared = SharedDetector(build)
    for _ in range(2):
        with pytest.raises(ModelError, match="are over"):
            shared.detect(PICTURE, ("cup",), Allowance(0.02))
    assert shared.name == ""
    released.set()
    assert shared.detect(PICTURE, ("cup",), Allowance(20.0)).labels == ("cup",)
    assert len(built) == 1


def test_what_knows_no_words_is_told_apart(shared_data: Path) -> None:
    weights = shared_data / "weights" / "yolox_nano.onnx"
    with pytest.raises(PerceptionError, match="only what it was trained for"):
        open_detector(DetectorConfig(weights=str(weights))).detect(PICTURE, ("cup",))
