"""Models that are loaded once and shared by all questions."""

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
from scenemind.reasoning.shared_models import SharedDetector, SharedModel, open_detector
from scenemind.reasoning.stored_frames import color_frame


def test_model_is_loaded_once_when_it_is_needed() -> None:
    made: list[str] = []
    shared = SharedModel(lambda: made.append("model") or "model", "model")  # type: ignore[func-returns-value]
    assert shared.find() is None
    with shared.turn() as first:
        pass
    assert shared.get() == first == shared.find() == "model"
    assert made == ["model"]


def test_failed_loading_is_tried_again() -> None:
    answers = iter((ValueError("no weights"), "model"))

    def build() -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    shared = SharedModel(build, "model")
    with pytest.raises(ValueError, match="no weights"):
        shared.get()
    assert shared.find() is None
    assert shared.get() == "model"


def test_question_without_time_does_not_wait_for_a_turn() -> None:
    shared = SharedModel(lambda: "model", "model")
    with (
        shared.turn(),
        pytest.raises(ModelError, match=r"the 0\.05 s"),
        shared.turn(Allowance(0.05)),
    ):
        pytest.fail("two had a turn")
    with shared.turn(Allowance(20.0)) as model:
        assert model == "model"


def test_caller_may_stop_waiting_and_the_next_gets_the_model() -> None:
    may_end = threading.Event()

    def build() -> str:
        may_end.wait(20.0)
        return "model"

    shared = SharedModel(build, "model")
    allowance = Allowance(20.0)
    threading.Timer(0.05, allowance.cancel).start()
    with pytest.raises(ModelError, match="cancelled"):
        shared.get(allowance)
    may_end.set()
    assert shared.get(Allowance(20.0)) == "model"


PICTURE = color_frame(np.zeros((60, 80, 3), np.uint8))


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


def test_detector_with_fixed_classes_is_refused(shared_data: Path) -> None:
    weights = shared_data / "weights" / "yolox_nano.onnx"
    with pytest.raises(PerceptionError, match="only what it was trained for"):
        open_detector(DetectorConfig(weights=str(weights))).detect(PICTURE, ("cup",))
