"""Sources of boxes and depths: the map, a detector, estimates, and the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.models import Allowance
from scenemind.perception import PerceptionError
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.reasoning import Query, ReasoningError
from scenemind.reasoning.memtree_qa.baseline_selectors import ObjectSelector
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.sandbox import ApiError, Sandbox
from scenemind.reasoning.shared_models import SharedDetector
from scenemind.reasoning.vadar import Vadar
from scenemind.reasoning.vadar.views import (
    ORACLE,
    BoxPx,
    ImageDepth,
    View,
    oracle_view,
    view_of_frame,
    view_of_photograph,
)
from scenemind.simulation import Sensors, simulate
from tests.chat_server import ChatServer
from tests.unit.reasoning.learned_methods.talk import Author
from tests.unit.reasoning.memtree_qa.talk import chat_with
from tests.unit.reasoning.scene import ROOM, snapshot_of
from tests.unit.reasoning.vadar.eyes import (
    RED_BOX,
    RedDetector,
    SlopeEstimator,
    red_thing_on_a_desk,
)
from tests.unit.reasoning.vadar.room import BOXES, FRAME


@pytest.fixture
def photograph(tmp_path: Path) -> Path:
    return red_thing_on_a_desk(tmp_path / "desk.png")


def answered(sandbox: Sandbox, view: View, *programs: str) -> MethodReply:
    author = Author(programs=programs)
    with chat_with(ChatServer(author.step)) as chat:
        vadar = Vadar(chat, chat, ObjectSelector(), sandbox)
        return vadar.ask_view(Query("what is it?"), view, Asking(Allowance(20.0)))


def test_a_photograph_is_seen_by_a_detector_and_a_depth_estimator(
    sandbox: Sandbox, photograph: Path
) -> None:
    view = view_of_photograph(photograph, SharedDetector(RedDetector), SlopeEstimator())
    assert view.locator.locate("red thing") == [RED_BOX]
    assert view.locator.locate("unicorn") == []
    reply = answered(sandbox, view, "final_result = depth(image, loc(image, 'Red_thing')[0])")
    assert float(reply.text) == pytest.approx(np.interp(60, (0, 119), (5, 1)), abs=0.05)
    source = "photograph desk.png: a detector finds things, slope (estimated) knows depths"
    assert source.replace("a detector", "red detector") in reply.steps


def test_without_an_estimator_a_program_is_told_that_no_depth_is_known(
    sandbox: Sandbox, photograph: Path
) -> None:
    view = view_of_photograph(photograph, SharedDetector(RedDetector))
    careful = "final_result = len(loc(image, 'red thing'))"
    reply = answered(sandbox, view, "final_result = depth(image, [40, 30, 80, 90])", careful)
    assert reply.text == "1"
    assert any("is not known" in step for step in reply.steps)


def test_words_that_name_nothing_are_the_programs_mistake(photograph: Path) -> None:
    view = view_of_photograph(photograph, SharedDetector(RedDetector))
    with pytest.raises(ApiError, match="no name of a thing"):
        view.locator.locate("?!")


def test_an_estimator_looks_once_and_only_where_somebody_asks(photograph: Path) -> None:
    """It may take seconds, and many questions are about no depth."""
    estimator = SlopeEstimator()
    view = view_of_photograph(photograph, SharedDetector(RedDetector), estimator)
    view.locator.locate("red thing")
    assert estimator.asked == 0
    assert view.depth is not None
    near, far = (view.depth.find_depth_m((0.0, y, 10.0, y + 2.0)) for y in (118.0, 0.0))
    assert (near, far, estimator.asked) == (
        pytest.approx(1.0, abs=0.1),
        pytest.approx(5.0, abs=0.1),
        1,
    )


@pytest.mark.parametrize(
    ("size", "shrunk"), [((4000, 3000), (1536, 1152)), ((10, 5000), (3, 1536))]
)
def test_a_large_photograph_is_scaled_down_once(
    tmp_path: Path, size: tuple[int, int], shrunk: tuple[int, int]
) -> None:
    width, height = size
    bgr = np.full((height, width, 3), 200, np.uint8)
    bgr[height // 4 : height // 2, width // 2 :] = (0, 0, 255)
    path = tmp_path / "large.png"
    cv2.imwrite(str(path), bgr)
    view = view_of_photograph(path, SharedDetector(RedDetector))
    assert (view.width, view.height) == shrunk
    assert view.decoded().shape[:2] == shrunk[::-1]
    (box,) = view.locator.locate("red thing")
    expected = (shrunk[0] / 2, shrunk[1] / 4, shrunk[0], shrunk[1] / 2)
    assert box == pytest.approx(expected, abs=1.0)


@pytest.mark.parametrize(("file", "says"), [("", "it is no file"), ("nowhere.jpg", "no such file")])
def test_a_path_that_is_no_file_is_refused_at_once(tmp_path: Path, file: str, says: str) -> None:
    with pytest.raises(ReasoningError, match=says):
        view_of_photograph(tmp_path / file, SharedDetector(RedDetector))


@pytest.mark.parametrize("box", [(-90.0, -90.0, 1.0, 1.0), (-20.0, 0.0, -10.0, 5.0)])
def test_depth_is_known_within_the_image_only(box: BoxPx) -> None:
    depth_m = np.full((40, 50), 2.0, np.float32)
    assert ImageDepth(depth_m, "a camera").find_depth_m(box) is None


def test_pixels_without_depth_do_not_count() -> None:
    depth_m = np.full((40, 50), 0.0, np.float32)
    depth_m[::2, ::4], depth_m[1::4] = 2.0, np.nan
    assert ImageDepth(depth_m, "a camera").find_depth_m((5.0, 5.0, 45.0, 35.0)) == 2.0


def test_of_things_one_behind_the_other_the_nearer_one_is_measured() -> None:
    eye, cup = FRAME.world_T_camera.translation, ROOM[1]
    behind = (eye + (cup.box.center - eye) * 4.0 / 3.0).astype(np.float32)[None]
    scene = snapshot_of([replace(ROOM[7], points=behind), cup])
    everywhere = (0.0, 0.0, float(FRAME.camera.width), float(FRAME.camera.height))
    center = FRAME.world_T_camera.inverse().transform(np.array([cup.box.center]))
    ((u, v),) = FRAME.camera.project(center)[0].tolist()
    view = view_of_frame(replace(FRAME, boxes_px={8: everywhere, 2: everywhere}), scene)
    assert view.depth is not None
    assert view.depth.find_depth_m((u - 9.0, v - 9.0, u + 9.0, v + 9.0)) == pytest.approx(3.0)


@pytest.mark.parametrize("content", [None, b"", b"no picture"])
def test_a_picture_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "desk.jpg"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ReasoningError, match=r"desk\.jpg cannot be read"):
        view_of_photograph(path, SharedDetector(RedDetector))


def test_words_that_a_detector_does_not_know_are_told_to_the_program(photograph: Path) -> None:
    """The detector has published vectors of words and lacks their encoder."""

    class Knows(RedDetector):
        def set_vocabulary(self, classes: Sequence[str]) -> None:
            if classes == ("beaker",):
                raise PerceptionError("beaker has no vector")
            super().set_vocabulary(classes)

    view = view_of_photograph(photograph, SharedDetector(Knows))
    with pytest.raises(ApiError, match=r"beaker cannot be looked for.*no vector"):
        view.locator.locate("beaker")
    assert view.locator.locate("red thing") == [RED_BOX]


def test_a_detector_that_cannot_be_had_is_no_mistake_of_a_program(photograph: Path) -> None:
    def build() -> RedDetector:
        raise PerceptionError("no weights")

    view = view_of_photograph(photograph, SharedDetector(build))
    with pytest.raises(PerceptionError, match="no weights"):
        view.locator.locate("red thing")


def test_the_map_knows_depths_from_the_surfaces_that_it_has_measured() -> None:
    """A wall of points 4 m away, and a box nearer than it that covers its middle."""
    wall, cup = ROOM[7], ROOM[1]
    x, z = np.meshgrid(np.linspace(-3, -1, 40), np.linspace(0.1, 0.8, 40))
    points = np.column_stack((x.ravel(), np.full(x.size, 1.0), z.ravel())).astype(np.float32)
    scene = snapshot_of([replace(wall, points=points), cup])
    view = view_of_frame(FRAME, scene)
    assert view.depth is not None
    assert view.depth.find_depth_m(BOXES[8]) == pytest.approx(4.0)
    assert view.depth.find_depth_m(BOXES[2]) == pytest.approx(3.0)
    assert view.depth.find_depth_m((600.0, 0.0, 640.0, 20.0)) is None


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("chair", [4, 5]),
        ("black chair", [4]),
        ("seat", [4, 5, 8]),
        ("cup", [2, 10]),
        ("unicorn", []),
        ("", []),
    ],
)
def test_the_map_knows_things_by_words(words: str, ids: list[int]) -> None:
    view = view_of_frame(FRAME, snapshot_of(ROOM))
    found = view.find_objects(view.locator.locate(words))
    assert sorted(found) == ids


def test_a_detector_can_look_at_key_frames_too() -> None:
    view = view_of_frame(FRAME, snapshot_of(ROOM), SharedDetector(RedDetector))
    assert view.locator.locate("red thing") == []  # the room is grey
    damaged = replace(FRAME, jpeg=b"broken")
    with pytest.raises(ReasoningError, match="frame 7 cannot be read"):
        view_of_frame(damaged, snapshot_of(ROOM), SharedDetector(RedDetector))


def test_an_oracle_knows_true_boxes_and_depths_and_says_that_it_is_one(sandbox: Sandbox) -> None:
    sequence = simulate(3, 2, Sensors(320, 240))
    frame = next(iter(read_sequence(sequence)))
    truth = InstanceCamera(sequence.class_names).detect(frame)
    label = truth.labels[0]
    view = oracle_view(frame, truth)
    program = f"""boxes = loc(image, {label!r})
final_result = min(depth(image, box) for box in boxes)"""
    reply = answered(sandbox, view, program)
    depths = [_middle_m(frame, box) for box in truth.boxes_px[[n == label for n in truth.labels]]]
    assert float(reply.text) == pytest.approx(min(depths), rel=0.05)
    assert sum(ORACLE in step for step in reply.steps) >= 1


def _middle_m(frame: RGBDFrame, box: NDArray[np.float32]) -> float:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return float(np.median(frame.depth_m[int(y) - 1 : int(y) + 2, int(x) - 1 : int(x) + 2]))


def test_the_maps_depths_are_those_that_were_measured() -> None:
    """In a simulated room: of each thing in each key frame against its own pixels."""
    sequence = simulate(2, 100, Sensors(160, 120))
    camera, frames = InstanceCamera(sequence.class_names), {}
    with Memory.create(None, SceneMindConfig()) as memory:
        mapper = Mapper(camera, memory, SceneMindConfig())
        for frame in read_sequence(sequence):
            mapper.process(frame)
            frames[frame.number] = frame
        memory.flush()
        scene = memory.snapshot()
        errors, within = [], []
        for number in memory.stored_frames():
            view = view_of_frame(memory.key_frame(number), scene)
            assert view.depth is not None
            for object_id, box in view.boxes_px.items():
                label = scene.objects[object_id].label
                of_label = [i for i, name in sequence.class_names.items() if name == label]
                x0, y0, x1, y1 = map(int, box)
                window = slice(y0, y1 + 1), slice(x0, x1 + 1)
                own = np.isin(frames[number].instances[window], of_label)
                true_m = frames[number].depth_m[window][own]
                told_m = view.depth.find_depth_m(box)
                assert told_m is not None
                errors.append(abs(told_m - float(np.median(true_m))))
                within.append(true_m.min() - 0.05 < told_m < true_m.max() + 0.05)
                assert object_id in view.find_objects(view.locator.locate(label))
    assert len(errors) > 100
    assert np.median(errors) < 0.05
    assert np.mean(within) > 0.95
