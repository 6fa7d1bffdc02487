"""Screens of which the front alone is seen, against boxes that are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D, iou_3d
from scenemind.memory.objects.hidden_backs import HiddenBack
from scenemind.memory.objects.object_map import ObjectMap
from scenemind.memory.types import MapObject
from tests.unit.memory.things import empty_frame, observe, thing

USUAL_M = (0.08, 0.12)
WIDTH_M, DEPTH_M, HEIGHT_M = 1.0, 0.1, 0.6
TURNS = [0.0, 0.5, np.pi / 2, 2.0, np.pi, -2.4, -np.pi / 2]


def sheet(depth_m: float, count: int, width_m: float = WIDTH_M) -> NDArray[np.float64]:
    """(count, 3) points that far behind the front of a screen, which looks towards -x."""
    rng = np.random.default_rng(count)
    y, z = (rng.uniform(-side / 2, side / 2, count) for side in (width_m, HEIGHT_M))
    return np.column_stack((depth_m + rng.normal(0.0, 0.002, count), y, z))


def screen(points: NDArray[np.float64], turn: float) -> MapObject:
    c, s = np.cos(turn), np.sin(turn)
    x, y, z = points.T
    world = np.column_stack((c * x - s * y, s * x + c * y, z + 1.0)).astype(np.float32)
    bare = thing(1, "tv", (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    return replace(bare, points=world, box=Box3D.from_bounds(world.min(axis=0), world.max(axis=0)))


def true_box(turn: float) -> Box3D:
    half = DEPTH_M / 2
    x, y = half * np.cos(turn), half * np.sin(turn)
    return Box3D((x, y, 1.0), (DEPTH_M, WIDTH_M, HEIGHT_M), turn)


def views(turn: float, *aside: float) -> NDArray[np.float64]:
    angles = turn + np.array(aside or (-0.5, 0.0, 0.4))
    return np.column_stack((np.cos(angles), np.sin(angles)))


@pytest.mark.parametrize("turn", TURNS)
def test_a_sheet_has_its_back_away_from_the_cameras(turn: float) -> None:
    seen = screen(sheet(0.0, 400), turn)
    whole = HiddenBack().complete(seen, USUAL_M, views(turn))
    assert iou_3d(seen.yaw_box, true_box(turn)) < 0.3
    assert iou_3d(whole.yaw_box, true_box(turn)) > 0.7
    assert min(whole.yaw_box.size) == pytest.approx(USUAL_M[0], abs=0.015)
    assert whole.measured_share < 0.3
    assert (whole.points == seen.points).all()
    low, high = whole.box.bounds()
    corners = whole.yaw_box.corners()
    assert ((corners > low - 0.02) & (corners < high + 0.02)).all()


@pytest.mark.parametrize("turn", TURNS)
def test_the_wall_behind_a_screen_is_no_part_of_it(turn: float) -> None:
    seen = screen(np.concatenate((sheet(0.0, 400), sheet(0.2, 100))), turn)
    whole = HiddenBack().complete(seen, USUAL_M, views(turn))
    assert iou_3d(seen.yaw_box, true_box(turn)) < 0.5
    assert iou_3d(whole.yaw_box, true_box(turn)) > 0.7
    assert len(whole.points) == 400


@pytest.mark.parametrize(
    ("points", "aside"),
    [
        pytest.param(sheet(0.0, 400), (0.0, 3.0), id="its back was seen"),
        pytest.param(
            np.concatenate([sheet(x, 40) for x in np.arange(0.0, 0.6, 0.05)]),
            (0.0,),
            id="no flat thing",
        ),
        pytest.param(
            np.concatenate((sheet(0.0, 200), sheet(0.1, 60))), (0.0,), id="as deep as usual"
        ),
    ],
)
def test_what_tells_its_depth_stays(points: NDArray[np.float64], aside: tuple[float, ...]) -> None:
    seen = screen(points, 0.3)
    assert HiddenBack().complete(seen, USUAL_M, views(0.3, *aside)) is seen


def test_a_back_that_comes_into_view_is_no_longer_hidden() -> None:
    seen, back = screen(sheet(0.0, 400), 0.3), HiddenBack()
    whole = back.complete(seen, USUAL_M, views(0.3))
    assert back.complete(seen, USUAL_M, views(0.3)).yaw_box is whole.yaw_box, "not found again"
    assert back.complete(seen, USUAL_M, views(0.3, 0.0, 3.0)) is seen
    assert back.complete(seen, USUAL_M, views(0.3)[:0]) is seen, "views are unknown"


@pytest.mark.parametrize("side", [(1, 0), (0, 1), (-1, 0), (0, -1)])
@pytest.mark.parametrize(("label", "depth_m"), [("tv", 0.08), ("monitor", 0.1), ("picture", 0.02)])
def test_screens_of_a_map_are_as_deep_as_usual(
    label: str, depth_m: float, side: tuple[int, int]
) -> None:
    """The camera stands at the origin: what is missing lies farther away."""
    out = np.array((*side, 0))
    size = np.where(out, 0.02, (0.8, 0.8, 0.5))
    object_map = ObjectMap(ObjectMapConfig())
    for number in range(4):
        seen = observe(2.0 * out, size, label, track_id=1, seed=number)
        object_map.update([seen], empty_frame(number * 33_000_000, (0.0, 0.0, 0.0), number))
    (found,) = object_map.objects().values()
    near_m, far_m = sorted((found.box.bounds() @ out).tolist())
    assert near_m == pytest.approx(1.99, abs=0.01)
    assert far_m == pytest.approx(1.99 + depth_m, abs=0.02)
    assert min(found.yaw_box.size) == pytest.approx(depth_m, abs=0.02)
