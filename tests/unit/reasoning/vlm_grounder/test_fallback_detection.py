"""A look over stored frames for what nothing mapped fits."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.memory import KeyFrame, Memory
from scenemind.models import Allowance, ModelError
from scenemind.perception import PerceptionError
from scenemind.perception.types import Detections
from scenemind.reasoning.detecting import SharedDetector, open_detector
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.fallback_detection import (
    ClassDetector,
    Seen,
    coarse_to_fine,
)
from tests.unit.reasoning.chair_row import make_memory
from tests.unit.reasoning.memtree_qa.talk import Heard


class RedDetector:
    """Finds two of `warm thing` where red is 20 to 40; frame n has n as its red."""

    name = "red detector"

    def __init__(self) -> None:
        self.vocabulary: tuple[str, ...] = ()
        self.told: list[tuple[str, ...]] = []
        self.seen: list[int] = []

    def set_vocabulary(self, classes: Sequence[str]) -> None:
        if "unicorn" in classes:
            raise PerceptionError("nobody has words for a unicorn")
        self.vocabulary = tuple(classes)
        self.told.append(self.vocabulary)

    def label_similarity(self, a: str, b: str) -> float:
        return float(a == b)

    def detect(self, frame: RGBDFrame) -> Detections:
        self.seen.append(frame.number)
        if self.vocabulary != ("warm thing",) or not 20 <= frame.color[..., 0].mean() <= 40:
            return Detections.empty()
        boxes = np.array([[10, 20, 50, 60], [5, 6, 7, 8], [0, 0, 9, 9]], np.float32)
        scores = np.array([0.5, 0.3, 0.1], np.float32)
        return Detections(("warm thing",) * 3, scores, boxes, (None,) * 3)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with make_memory(tmp_path_factory.mktemp("memory") / "row") as memory:
        memory.flush()
        yield memory


def look(
    memory: Memory,
    detector: RedDetector,
    words: str = "Warm_thing",
    asking: Asking | None = None,
    numbers: Sequence[int] | None = None,
    most_frames: int = 100,
) -> Seen:
    eyes = ClassDetector(SharedDetector(lambda: detector), most_frames, least_score=0.2)
    return eyes.detect(words, memory, asking or Asking(Allowance(20.0)), numbers)


def test_frames_that_show_the_class_come_with_boxes_that_are_sure_enough(memory: Memory) -> None:
    detector, stored = RedDetector(), memory.stored_frames()
    seen = look(memory, detector)
    showing = [number for number in stored if 20 <= number <= 40]
    assert len(showing) > 2
    assert [box.frame_number for box in seen.boxes] == sorted(showing * 2)
    assert [box.score for box in seen.boxes[:2]] == pytest.approx([0.5, 0.3])
    assert seen.boxes[0].box_px == (10.0, 20.0, 50.0, 60.0)
    assert sorted(detector.seen) == list(stored)
    assert detector.told == [("warm thing",)]
    assert seen.steps[0].startswith(
        f'looked for "Warm_thing" in {len(stored)} of {len(stored)} frames: {len(showing)} show'
        " some (red detector, "
    )


def test_a_bounded_look_is_spread_over_all_frames(memory: Memory) -> None:
    detector, stored = RedDetector(), memory.stored_frames()
    seen = look(memory, detector, most_frames=4)
    places = sorted(stored.index(number) / len(stored) for number in detector.seen)
    assert len(places) == 4
    assert max(np.diff([*places, 1.0])) <= 0.5
    assert f"in 4 of {len(stored)} frames" in seen.steps[0]


def test_the_image_that_a_model_chose_is_looked_at_alone(memory: Memory) -> None:
    detector = RedDetector()
    number = next(n for n in memory.stored_frames() if 20 <= n <= 40)
    seen = look(memory, detector, numbers=[number])
    assert detector.seen == [number]
    assert [box.frame_number for box in seen.boxes] == [number] * 2


class Clock:
    """Stands still but when it is told to go on."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class SlowDetector(RedDetector):
    """Takes a second a frame."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def detect(self, frame: RGBDFrame) -> Detections:
        self._clock.now_s += 1.0
        return super().detect(frame)


def test_half_of_the_time_is_left_for_the_model(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    detector, asking = SlowDetector(clock), Asking(Allowance(10.0))
    seen = look(memory, detector, asking=asking)
    assert len(detector.seen) == 5
    assert asking.allowance.left_s == 5.0
    assert f"in 5 of {len(memory.stored_frames())} frames" in seen.steps[0]
    assert seen.steps[1] == "the look ended early: its part of the question's time was over"


def test_a_detector_that_is_long_in_coming_does_not_end_the_question(memory: Memory) -> None:
    released = threading.Event()

    def build() -> RedDetector:
        assert released.wait(60.0)
        return RedDetector()

    eyes = ClassDetector(SharedDetector(build), 10, 0.2, share_of_time=0.0005)
    allowance = Allowance(60.0)
    seen = eyes.detect("warm thing", memory, Asking(allowance))
    released.set()
    allowance.check()
    assert seen.boxes == ()
    assert seen.steps == (
        'could not look for "warm thing": its part of the question\'s time was over',
    )


class FailingDetector(RedDetector):
    """Runs out of memory after so many frames."""

    def __init__(self, frames: int) -> None:
        super().__init__()
        self._frames = frames

    def detect(self, frame: RGBDFrame) -> Detections:
        if len(self.seen) == self._frames:
            raise PerceptionError("out of memory")
        return super().detect(frame)


def test_what_was_found_before_the_detector_failed_stays(memory: Memory) -> None:
    stored = memory.stored_frames()
    seen = look(memory, FailingDetector(len(stored) - 1))
    assert len(seen.boxes) > 2
    assert f"in {len(stored) - 1} of {len(stored)} frames" in seen.steps[0]
    assert seen.steps[1] == "the look ended early: out of memory"


def test_a_look_ends_when_it_is_cancelled(memory: Memory) -> None:
    allowance, detector, heard = Allowance(20.0), RedDetector(), Heard()

    def cancel(stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        heard(stage, text, key_frames)
        allowance.cancel()

    with pytest.raises(ModelError, match="cancelled"):
        look(memory, detector, asking=Asking(allowance, cancel))
    assert len(detector.seen) <= 1  # none where the detector was still being made
    assert heard.reports[0][:2] == (
        "detect",
        f"looked for warm thing in 0 of {len(memory.stored_frames())}",
    )


@pytest.mark.parametrize(
    ("words", "why"), [("unicorn", "nobody has words for a unicorn"), ("?!", "no name of a thing")]
)
def test_a_class_that_cannot_be_looked_for_is_a_step(
    words: str, why: str, memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        seen = look(memory, RedDetector(), words)
    assert seen.boxes == ()
    assert seen.steps[0].startswith(f'could not look for "{words}": ')
    assert why in seen.steps[0]
    assert why in caplog.text


def test_a_detector_that_knows_no_words_is_a_step(memory: Memory, tmp_path: Path) -> None:
    config = DetectorConfig(weights=str(tmp_path / "none.onnx"))
    eyes = ClassDetector(open_detector(config), 10, 0.2)
    seen = eyes.detect("lamp", memory, Asking(Allowance(20.0)))
    assert seen.boxes == ()
    assert "none.onnx" in seen.steps[0]


@given(st.lists(st.integers(0, 10_000), unique=True, max_size=300))
def test_coarse_to_fine_has_all_once_and_every_beginning_is_spread(numbers: list[int]) -> None:
    order = coarse_to_fine(numbers)
    assert sorted(order) == sorted(numbers)
    for taken in (2, 7, 30):
        if len(numbers) >= 2 * taken:
            places = sorted(numbers.index(number) for number in order[:taken])
            assert max(np.diff([*places, len(numbers)])) <= 4 * len(numbers) / taken


@pytest.mark.extras
@pytest.mark.parametrize(
    ("backend", "weights"),
    [("yolo_world", "yolov8n-worldv2.yaml"), ("yoloe", "yoloe-11n-seg.yaml")],
)
def test_real_detectors_are_told_the_class(backend: str, weights: str, memory: Memory) -> None:
    """With random weights: that words get there and boxes come back in the image."""
    from scenemind.perception.backends import make_detector
    from tests.unit.perception.backends.conftest import HashedWords

    config = DetectorConfig.model_validate(
        {"backend": backend, "weights": weights, "device": "cpu", "min_score": 0.0}
    )
    detector = make_detector(config, encoder=HashedWords())
    eyes = ClassDetector(SharedDetector(lambda: detector), 3, 0.0)  # type: ignore[arg-type,return-value]
    seen = eyes.detect("bean bag", memory, Asking(Allowance(60.0)))
    assert detector.vocabulary == ("bean bag",)
    assert 'looked for "bean bag" in 3 of ' in seen.steps[0]
    for box in seen.boxes:
        x0, y0, x1, y1 = box.box_px
        assert 0 <= x0 <= x1 <= 160
        assert 0 <= y0 <= y1 <= 120
