"""Best views of objects: visibility and crops."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.describing.best_views import Crop, DamagedFrames, best_crops, jpeg_of, visible_share
from scenemind.frames import read_sequence
from scenemind.geometry import PinholeCamera, Pose
from scenemind.mapping import Mapper, map_all
from scenemind.memory import KeyFrame, MapObject, Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Sensors, simulate
from tests.unit.memory.things import thing

CAMERA = PinholeCamera(200, 200, 100.0, 100.0, 100.0, 100.0)
# At the origin, looking along the world's x: right is -y, down is -z.
LOOKING_AHEAD = Pose(np.array([(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)]), np.zeros(3))
FLAT = 0.001


def plate(
    object_id: int, distance_m: float, y: float, width_m: float, depth_m: float = FLAT
) -> MapObject:
    """An upright square across the view, with its front at `distance_m`."""
    center = (distance_m + depth_m / 2, y, 0.0)
    return thing(object_id, "plate", center, (depth_m, width_m, width_m))


def box_px(obj: MapObject) -> tuple[float, float, float, float]:
    """The box of its front in the image, cut by the border."""
    distance_m = obj.box.center[0] - obj.box.size[0] / 2
    u = 100.0 - 100.0 * obj.box.center[1] / distance_m
    half = 50.0 * obj.box.size[1] / distance_m
    return (max(u - half, 0.0), 100.0 - half, min(u + half, 200.0), 100.0 + half)


def share_of(first: MapObject, *others: MapObject, moved_to: float | None = None) -> float:
    things = {obj.object_id: obj for obj in (first, *others)}
    boxes_px = {i: box_px(obj) for i, obj in things.items()}
    if moved_to is not None:
        things[first.object_id] = plate(first.object_id, 2.0, moved_to, 0.5)
    frame = KeyFrame(0, 0, 0, CAMERA, LOOKING_AHEAD, b"", 1.0, boxes_px)
    return visible_share(things[first.object_id], frame, things)


def test_a_thing_that_stands_free_is_seen_whole() -> None:
    assert share_of(plate(1, 2.0, 0.0, 0.5)) == pytest.approx(1.0)


@pytest.mark.parametrize(("y", "share"), [(-2.0, 0.5), (-1.9, 0.6), (2.1, 0.4)])
def test_part_beyond_the_border_is_not_visible(y: float, share: float) -> None:
    # At 2 m the image ends 2 m beside the axis; the plate is 1 m wide.
    assert share_of(plate(1, 2.0, y, 1.0)) == pytest.approx(share, abs=0.01)


def test_thing_before_an_object_hides_it() -> None:
    behind = plate(1, 4.0, 0.0, 1.0)
    left_half = plate(2, 2.0, 0.25, 0.5)
    assert share_of(behind, left_half) == pytest.approx(0.5, abs=0.05)
    right_half = plate(3, 2.0, -0.25, 0.5)
    assert share_of(behind, left_half, right_half) == pytest.approx(0.0, abs=0.05)
    assert share_of(behind, left_half, plate(4, 1.0, 0.125, 0.25)) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(("behind_front_m", "share"), [(0.04, 0.0), (0.06, 1.0)])
def test_thing_that_touches_an_object_in_front_hides_it(
    behind_front_m: float, share: float
) -> None:
    """A picture on a door: its back may lie up to 5 cm behind the front of the door's box."""
    picture = plate(2, 2.0 + behind_front_m - FLAT, 0.0, 0.6)
    assert share_of(plate(1, 2.0, 0.0, 0.5), picture) == pytest.approx(share, abs=0.05)


def test_thing_behind_an_object_does_not_hide_it() -> None:
    assert share_of(plate(1, 2.0, 0.0, 0.5), plate(2, 4.0, 0.0, 3.0)) == pytest.approx(1.0)


def test_supporter_does_not_hide_an_object() -> None:
    cup = plate(1, 2.0, 0.0, 0.1)
    table = plate(2, 1.2, 0.0, 1.5, depth_m=1.2)
    assert share_of(cup, table) == pytest.approx(1.0)


@pytest.mark.parametrize(("seen_at", "share"), [(0.0, 1.0), (-2.0, 0.5)])
def test_visibility_of_a_moved_object_comes_from_its_detection(
    seen_at: float, share: float
) -> None:
    assert share_of(plate(1, 2.0, seen_at, 0.5), moved_to=1.5) == pytest.approx(share)


Instances = dict[int, NDArray[np.int32]]


@pytest.fixture(scope="module")
def room() -> Iterator[tuple[Memory, Instances]]:
    """The first third of a drive, and the true instance images by frame."""
    sequence = simulate(1, 90, Sensors(320, 240))
    with Memory.create(None, SceneMindConfig()) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, SceneMindConfig())
        frames = list(islice(read_sequence(sequence), 30))
        map_all(mapper, frames)
        memory.flush()
        yield memory, {f.number: f.instances for f in frames if f.instances is not None}


def test_nearly_every_crop_shows_its_object(room: tuple[Memory, Instances]) -> None:
    memory, instances = room
    objects = memory.snapshot().objects
    crops = {
        i: best_crops(memory, thing, objects, 3, DamagedFrames()) for i, thing in objects.items()
    }
    shown = [
        (crop.visible, _true_share(crop, memory, i, instances))
        for i, of_object in crops.items()
        for crop in of_object
    ]
    assert len(shown) >= len(objects) >= 10
    # In crops of fully visible objects, the object fills its box as far as its form does.
    clear = [share for visible, share in shown if visible > 0.95]
    hidden = [share for visible, share in shown if visible < 0.5]
    assert np.median(clear) > 0.7
    assert len(hidden) < len(clear)
    assert not hidden or np.median(hidden) < np.median(clear)


def test_crops_come_best_first_from_different_frames(room: tuple[Memory, Instances]) -> None:
    memory, _ = room
    objects = memory.snapshot().objects
    for mapped in objects.values():
        crops = best_crops(memory, mapped, objects, 3, DamagedFrames())
        frames = [crop.frame_number for crop in crops]
        assert len(set(frames)) == len(frames) <= 3
        locations = [crop.location_id for crop in crops]
        distinct = len(set(locations))
        assert len(set(locations[:distinct])) == distinct, "a new location comes before a known one"


@pytest.mark.parametrize("damage", ["no image", "unreadable", "too small"])
def test_the_next_best_frame_takes_the_place_of_a_damaged_one(
    row: Memory, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    objects = row.snapshot().objects
    whole = best_crops(row, objects[1], objects, 3, DamagedFrames())
    best = row.path / "frames" / f"{whole[0].frame_number:06d}.jpg"
    if damage == "no image":
        best.write_bytes(bytes(best.stat().st_size))
    elif damage == "too small":
        best.write_bytes(jpeg_of(np.zeros((4, 4, 3), np.uint8), 4, 90))
    else:
        best.unlink()
        best.mkdir()
    damaged = DamagedFrames()
    for _ in range(2):
        left = best_crops(row, objects[1], objects, 3, damaged)
        assert left
        assert whole[0].frame_number not in [crop.frame_number for crop in left]
    assert damaged.count == 0  # the memory finds those, and logs them
    assert len([r for r in caplog.records if f"frame {whole[0].frame_number} " in r.message]) == 1


def test_a_picture_is_made_smaller_and_never_larger() -> None:
    rgb = np.full((50, 200, 3), (200, 30, 30), np.uint8)
    small = cv2.imdecode(np.frombuffer(jpeg_of(rgb, 100, 90), np.uint8), cv2.IMREAD_COLOR)
    assert small.shape == (25, 100, 3)
    assert np.allclose(small[10, 50][::-1], (200, 30, 30), atol=6)
    same = cv2.imdecode(np.frombuffer(jpeg_of(rgb, 500, 90), np.uint8), cv2.IMREAD_COLOR)
    assert same.shape == rgb.shape


def _true_share(crop: Crop, memory: Memory, object_id: int, instances: Instances) -> float:
    """Share of the most frequent thing in the middle of the object's box: the object itself, unless
    something else is before it."""
    frame = memory.key_frame(crop.frame_number, [object_id])
    x0, y0, x1, y1 = (round(v) for v in frame.boxes_px[object_id])
    inside = instances[crop.frame_number][y0:y1, x0:x1]
    label_ids = np.bincount(inside[inside > 0])
    return float(label_ids.max() / inside.size)
