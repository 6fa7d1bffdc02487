"""View preselection (section 3.1): candidates, the best frames, the fallback detector."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Pose
from scenemind.memory import FrameIndex, KeyFrame, MapObject, Memory
from scenemind.models import Allowance, ModelError
from scenemind.perception import PerceptionError
from scenemind.perception.types import Detections
from scenemind.reasoning.method import Asking, Progress
from scenemind.reasoning.shared_models import SharedDetector, open_detector
from scenemind.reasoning.vlm_grounder.targets import QueryAnalysis, StoredScene
from scenemind.reasoning.vlm_grounder.view_preselection import (
    Candidates,
    ClassDetector,
    Seen,
    SeenBox,
    ViewSelection,
    ViewSelector,
    all_candidates,
    candidates_of_class,
    coarse_to_fine,
    frames_showing,
    frames_to_show,
    seen_candidates,
)
from tests.unit.reasoning.chair_row import make_memory
from tests.unit.reasoning.memtree_qa.talk import Heard
from tests.unit.reasoning.scene import snapshot_of, thing
from tests.unit.reasoning.vlm_grounder.film import CAMERA, Shot, index_of
from tests.unit.reasoning.vlm_grounder.film import Seen as Shown

FILM = index_of(
    [
        Shot(0.0, (Shown("chair", 1), Shown("stool", 2), Shown("chair", 3, 0.1))),
        Shot(1.0, (Shown("sofa", 1), Shown("chair", 4), Shown("chair", 0, 0.4))),
        Shot(2.0, (Shown("tv", 5),)),
    ]
)


def found(candidates: Candidates) -> list[tuple[int, int]]:
    return list(zip(candidates.rows.tolist(), candidates.object_ids.tolist(), strict=True))


def of_class(index: FrameIndex, objects: list[MapObject]) -> list[tuple[int, int]]:
    by_id = {o.object_id: o for o in objects}
    return found(candidates_of_class(index, {"chair"}, by_id, 0.2))


def chair(object_id: int, label: str = "chair") -> MapObject:
    return thing(object_id, label, (0, 0, 0.5), (0.5, 0.5, 1.0))


def test_labels_of_the_detector_count_where_it_was_sure() -> None:
    assert of_class(FILM, []) == [(0, 1), (1, 4), (1, 0)]


def test_labels_of_the_map_count_whatever_the_detector_gave() -> None:
    assert of_class(FILM, [chair(1)]) == [(0, 1), (1, 1), (1, 4), (1, 0)]


def test_the_name_that_a_person_gave_counts_alone() -> None:
    stool = replace(chair(2), perceived_label="stool")  # renamed: a chair
    armchair = replace(chair(4, "throne"), perceived_label="chair")
    assert of_class(FILM, [stool, armchair]) == [(0, 1), (0, 2), (1, 0)]


def test_all_that_is_sure_may_be_meant_where_no_class_is_known() -> None:
    assert found(all_candidates(FILM, 0.2)) == [(0, 1), (0, 2), (1, 1), (1, 4), (1, 0), (2, 5)]


def test_detections_are_listed_at_their_frames() -> None:
    boxes = [
        SeenBox(30, (1, 2, 3, 4), 0.5),
        SeenBox(10, (5, 6, 7, 8), 0.4),
        SeenBox(11, (0,) * 4, 1),
    ]
    candidates = seen_candidates(FILM, boxes)
    assert found(candidates) == [(0, 0), (2, 0)]
    assert candidates.boxes_px.tolist() == [[5, 6, 7, 8], [1, 2, 3, 4]]


def at(x_px: float, **more: object) -> Shown:
    return Shown("chair", x_px=x_px, **more)  # type: ignore[arg-type]


def test_targets_of_a_frame_go_from_left_to_right_each_object_once() -> None:
    seen = (at(90.0, object_id=2), at(20.0), at(50.0, object_id=1, score=0.5))
    film = index_of([Shot(0.0, (at(5.0),)), Shot(1.0, (*seen, at(120.0, object_id=1)))])
    frame = KeyFrame(20, 0, 0, CAMERA, Pose.identity(), b"")
    targets = all_candidates(film, 0.2).targets(1, frame)
    assert [target.object_id for target in targets] == [None, 2, 1]
    assert [target.box_px[0] for target in targets] == [0.0, 70.0, 100.0]
    assert targets[2].score == pytest.approx(0.9)
    assert all(target.frame is frame for target in targets)


def test_very_many_candidates_of_a_frame_are_the_surest() -> None:
    scores = np.random.default_rng(1).permutation(np.linspace(0.3, 0.9, 100))
    seen = tuple(at(float(n), score=float(score)) for n, score in enumerate(scores))
    film = index_of([Shot(0.0, seen)])
    frame = KeyFrame(10, 0, 0, CAMERA, Pose.identity(), b"")
    targets = all_candidates(film, 0.2).targets(0, frame)
    assert min(target.score for target in targets) >= np.sort(scores)[-40] - 1e-6


CHAIR = Shown("chair", 1)


def shown(index: FrameIndex, most: int = 100, *, with_all: bool = False) -> list[int]:
    found = all_candidates(index, 0.2)
    rows = np.arange(len(index)) if with_all else frames_showing(index, found)
    return frames_to_show(index, found, rows, most).tolist()


def test_frames_that_show_nothing_of_it_are_left_out_unless_all_may() -> None:
    index = index_of([Shot(0.0), Shot(1.0, (CHAIR,)), Shot(2.0), Shot(3.0, (CHAIR,))])
    assert shown(index) == [1, 3]
    assert shown(index, with_all=True) == [0, 1, 2, 3]


def test_of_neighbours_that_look_the_same_the_best_stays() -> None:
    near = [Shot(0.03 * n, (CHAIR._replace(score=0.5 + 0.1 * n),)) for n in range(3)]
    turned = Shot(0.06, (CHAIR,), turn_rad=0.5)
    assert shown(index_of([*near, turned, Shot(5.0, (CHAIR,))])) == [2, 3, 4]


def test_a_camera_that_creeps_on_is_followed() -> None:
    index = index_of([Shot(0.01 * n, (CHAIR,)) for n in range(101)])  # 1 m
    assert 9 <= len(shown(index)) <= 12


def test_new_objects_before_a_still_camera_are_shown() -> None:
    standing = [Shot(0.0, (CHAIR,)), Shot(0.0, (CHAIR, Shown("cup", 2))), Shot(0.0, (CHAIR,))]
    assert shown(index_of(standing)) == [0, 1, 2]


def test_objects_cut_by_the_border_are_shown_only_if_no_frame_has_more() -> None:
    whole, sliver = Shown("chair", 1), Shown("chair", 1, x_px=-14.0)  # 6 of 160 pixels are left
    index = index_of([Shot(0.0, (sliver,)), Shot(1.0, (whole,)), Shot(2.0, (sliver,))])
    assert shown(index) == [1]
    assert shown(index, with_all=True) == [0, 1, 2]
    cut = whole._replace(x_px=5.0)  # half of it
    other, unknown = sliver._replace(object_id=2), sliver._replace(object_id=0)
    shots = [Shot(1.0 * n, (seen,)) for n, seen in enumerate((whole, cut, other, unknown))]
    assert shown(index_of(shots)) == [0, 1, 2, 3]
    assert shown(index_of([Shot(0.0, (sliver, Shown("chair", 3))), Shot(1.0, (whole,))])) == [0, 1]


def test_too_many_frames_are_spread_over_locations_and_objects() -> None:
    # Four locations of ten frames; the last frame of each shows the chair best, and one chair is
    # in a single frame, where it is small.
    shots = [
        Shot(1.0 * (10 * place + n), (CHAIR._replace(object_id=place, side_px=10.0 + n),), place)
        for place in range(1, 5)
        for n in range(10)
    ]
    shots[13] = shots[13]._replace(seen=(*shots[13].seen, Shown("chair", 9, 0.3, 5.0)))
    index = index_of(shots)
    assert shown(index, 5) == [9, 13, 19, 29, 39]
    assert len(shown(index, 17)) == 17


def test_equal_frames_without_anything_are_spread_over_locations() -> None:
    index = index_of([Shot(1.0 * n, (), n // 10) for n in range(40)])
    rows = shown(index, 8, with_all=True)
    assert sorted(index.location_ids[rows].tolist()) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_no_candidates() -> None:
    assert shown(index_of([Shot(0.0)])) == []


@given(
    st.lists(
        st.tuples(
            st.floats(0.0, 3.0),
            st.lists(st.tuples(st.integers(0, 3), st.floats(0.0, 1.0)), max_size=3),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 12),
    st.booleans(),
)
def test_chosen_frames_are_in_order_bounded_and_have_candidates(
    film: list, most: int, with_all: bool
) -> None:
    film.sort(key=lambda shot: shot[2])  # locations follow each other
    index = index_of(
        [
            Shot(x, tuple(Shown("c", i, score) for i, score in seen), place)
            for x, seen, place in film
        ]
    )
    rows = shown(index, most, with_all=with_all)
    assert rows == sorted(set(rows))
    assert len(rows) <= most
    if not with_all:
        assert set(rows) <= set(index.detection_frames[index.detection_scores > 0.2].tolist())
    if with_all or np.any(index.detection_scores > 0.2):
        assert rows


def select(film: Sequence[Shot], most_frames: int = 96, **said: Any) -> ViewSelection:
    scene = StoredScene(None, index_of(film), snapshot_of(()))  # type: ignore[arg-type]
    selector = ViewSelector(None, None, most_frames, 0.2)
    return selector.select(QueryAnalysis("chair", **said), scene, Asking(Allowance(20.0)))


def test_some_images_without_the_class_are_always_shown() -> None:
    """Detectors err: of 40 images with a chair and 40 others some of both are there."""
    film = [Shot(float(n), (Shown("chair" if n % 2 else "tv", 1),)) for n in range(80)]
    chosen = select(film)
    assert chosen.by == "words"
    assert (len(chosen.rows), chosen.rest.sum()) == (40 + 16, 16)
    assert (chosen.rows[chosen.rest] % 2 == 0).all()
    few = select(film, most_frames=12)
    assert (len(few.rows), few.rest.sum()) == (12, 3)


def test_without_the_class_all_are_shown_and_all_may_be_it() -> None:
    chosen = select([Shot(0.0, (Shown("tv", 1),)), Shot(1.0)])
    assert (chosen.rows.tolist(), chosen.rest.any(), chosen.by) == ([0, 1], False, "")
    assert len(chosen.candidates) == 1
    guessed = select([Shot(0.0, (Shown("tv", 1),)), Shot(1.0)], labels=("tv",))
    assert (guessed.rows.tolist(), guessed.by) == ([0, 1], "model")


def test_a_drawn_box_is_of_what_was_detected_there_unless_it_was_a_candidate() -> None:
    chosen = select([Shot(0.0, (Shown("chair", 1), Shown("tv", 7, x_px=140.0)))])
    frame = KeyFrame(10, 0, 0, CAMERA, Pose.identity(), b"")
    at_tv = chosen.drawn(0, frame, (118.0, 40.0, 160.0, 82.0))
    assert (at_tv.object_id, at_tv.not_objects) == (7, {1})
    assert chosen.drawn(0, frame, (60.0, 40.0, 100.0, 80.0)).object_id is None
    assert chosen.drawn(0, frame, (0.0, 0.0, 20.0, 20.0)).object_id is None


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
    most_frames: int = 100,
) -> Seen:
    eyes = ClassDetector(SharedDetector(lambda: detector), most_frames, least_score=0.2)
    return eyes.detect(words, memory, asking or Asking(Allowance(20.0)))


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


class Clock:
    """A clock that moves only when a test advances it."""

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


def test_views_found_before_the_detector_failed_are_kept(memory: Memory) -> None:
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
        look(memory, detector, asking=Asking(allowance, Progress(cancel)))
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
