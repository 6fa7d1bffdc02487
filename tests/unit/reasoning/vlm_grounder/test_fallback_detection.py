"""A look over stored frames for what nothing mapped fits."""

from __future__ import annotations

import logging
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
        f'looked for "warm thing" in {len(stored)} of {len(stored)} frames: {len(showing)} show'
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


class Fading(Allowance):
    """Loses a second whenever somebody looks how many are left."""

    def __init__(self, seconds: int) -> None:
        super().__init__(float(seconds))
        self.seconds_left = seconds

    @property
    def left_s(self) -> float:
        self.seconds_left -= 1
        return float(self.seconds_left)


def test_half_of_the_time_is_left_for_the_model(memory: Memory) -> None:
    detector = RedDetector()
    asking = Asking(Fading(21))
    look(memory, detector, asking=asking)
    assert 4 <= len(detector.seen) <= 6  # it looks at the clock twice a frame
    asking.allowance.check()


def test_a_look_ends_when_it_is_cancelled(memory: Memory) -> None:
    allowance, detector, heard = Allowance(20.0), RedDetector(), Heard()

    def cancel(stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        heard(stage, text, key_frames)
        allowance.cancel()

    with pytest.raises(ModelError, match="cancelled"):
        look(memory, detector, asking=Asking(allowance, cancel))
    assert len(detector.seen) == 1
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
