"""Relations between things and the floors, walls and ceilings that they touch."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.memory.graph.building import Building, extent_of_points, in_frame, surfaces_of
from scenemind.memory.graph.pair_facts import Facts, shape_of
from tests.unit.memory.things import thing


def test_a_wall_along_y_is_one_surface() -> None:
    (wall,) = surfaces_of("wall", Box3D((2.0, 1.0, 1.2), (0.1, 4.0, 2.4)))
    assert wall.axis == (0.0, 1.0)
    assert wall.reach == pytest.approx((1.95, -1.0, 0.0, 2.05, 3.0, 2.4))
    # Along: y from -1 to 3; across: to the left of +y, which is -x.
    assert wall.bounds == pytest.approx((-1.0, -2.05, 0.0, 3.0, -1.95, 2.4))


def test_a_wall_box_around_a_corner_stands_at_its_faces() -> None:
    faces = surfaces_of("wall", Box3D((1.0, 2.0, 1.2), (2.0, 3.0, 2.4)))
    across = sorted(tuple(np.round(f.reach, 3)) for f in faces)
    assert across == [
        (0.0, 0.5, 0.0, 0.1, 3.5, 2.4),
        (0.0, 0.5, 0.0, 2.0, 0.6, 2.4),
        (0.0, 3.4, 0.0, 2.0, 3.5, 2.4),
        (1.9, 0.5, 0.0, 2.0, 3.5, 2.4),
    ]


@pytest.mark.parametrize(
    ("center_z", "thickness", "surface_z"),
    [
        pytest.param(-0.01, 0.02, 0.0, id="a plane"),
        pytest.param(0.15, 0.4, 0.0, id="with the feet of what stands on it"),
    ],
)
def test_where_a_floor_is(center_z: float, thickness: float, surface_z: float) -> None:
    (floor,) = surfaces_of("floor", Box3D((0, 0, center_z), (6, 6, thickness)))
    assert floor.bounds[5] == pytest.approx(surface_z)
    assert floor.bounds[0] < -3.0  # a little more than was seen


angles = st.floats(-math.pi, math.pi)
numbers = st.floats(-5.0, 5.0)


@given(numbers, numbers, angles)
def test_a_point_in_a_frame_is_turned(x: float, y: float, turn: float) -> None:
    axis = (math.cos(turn), math.sin(turn))
    point = np.array([[x, y, 0.0, x, y, 0.0]])
    along, across = in_frame(point, np.array([axis]))[0, :2]
    assert along == pytest.approx(x * axis[0] + y * axis[1], abs=1e-9)
    assert across == pytest.approx(y * axis[0] - x * axis[1], abs=1e-9)
    extent = extent_of_points(np.array([[x, y, 0.0]], np.float32), axis)
    np.testing.assert_allclose(extent, [along, across, along, across], atol=1e-5)


@given(angles, st.floats(0.5, 6.0), st.floats(0.01, 0.45))
def test_a_wall_any_way_round_fits_its_box(yaw: float, length: float, thickness: float) -> None:
    box = Box3D((1.0, -2.0, 1.0), (length, thickness, 2.0), yaw)
    (wall,) = surfaces_of("wall", box)
    # Near to an axis it is snapped to it, by a millimetre a metre.
    corners = box.corners().astype(np.float32)
    extent = extent_of_points(corners, wall.axis)
    x0, y0, _, x1, y1, _ = wall.bounds
    np.testing.assert_allclose(extent, [x0, y0, x1, y1], atol=0.01)
    np.testing.assert_allclose(wall.reach, box.extent(), atol=0.01)


FLOOR, WALL, CEILING = -1, -2, -3


def room(yaw: float = 0.0) -> Building:
    """A floor at 0, a ceiling at 2.5 m, and a wall through (0, 2) turned about that point."""
    building = Building(RelationConfig())
    building.set(FLOOR, ("floor", Box3D((0, 0, -0.01), (6, 6, 0.02))))
    building.set(WALL, ("wall", Box3D((0, 2, 1.25), (4, 0.1, 2.5), yaw)))
    building.set(CEILING, ("ceiling", Box3D((0, 0, 2.51), (6, 6, 0.02))))
    return building


def facts(building: Building, value: MapObject) -> dict[int, Facts]:
    (found,) = building.facts([value], [shape_of(value)])
    return found


def held(building: Building, value: MapObject) -> dict[int, str]:
    """Node -> predicate, without relations of mere nearness."""
    return {
        node: predicate
        for node, found in facts(building, value).items()
        for predicate in found
        if predicate not in ("near", "next to")
    }


@pytest.mark.parametrize(
    ("label", "bottom", "height", "holds"),
    [
        pytest.param("box", 0.0, 0.4, True, id="it stands"),
        pytest.param("box", 0.1, 0.4, True, id="its bottom was not seen"),
        pytest.param("box", 0.4, 0.4, False, id="it is on something unseen"),
        pytest.param("chair", 0.45, 0.5, True, id="its legs were not seen"),
        pytest.param("chair", 0.9, 0.5, False, id="it stands on something unseen"),
        pytest.param("dresser", 0.25, 0.8, True, id="furniture whose feet were not seen"),
        pytest.param("mat", 0.0, 0.01, True, id="flat"),
    ],
)
def test_objects_on_the_floor(label: str, bottom: float, height: float, holds: bool) -> None:
    value = thing(1, label, (0, 0, bottom + height / 2), (0.5, 0.5, height))
    assert (held(room(), value) == {FLOOR: "on"}) == holds


@pytest.mark.parametrize(
    ("label", "center", "size", "how"),
    [
        ("tv", (0, 1.9, 1.4), (1.2, 0.08, 0.7), "mounted on"),
        ("picture", (0, 1.93, 1.6), (0.6, 0.03, 0.4), "hanging on"),
        ("mirror", (0, 1.93, 1.6), (0.6, 0.03, 0.4), "affixed on"),
        ("bathroom mirror", (0, 1.93, 1.6), (0.6, 0.03, 0.4), "affixed on"),
        ("window", (0, 2.0, 1.6), (1.0, 0.2, 1.0), "embedded in"),
        ("gizmo", (0, 1.8, 1.6), (0.6, 0.3, 0.4), "mounted on"),
        ("gizmo", (0, 1.93, 1.6), (0.1, 0.03, 0.1), "affixed on"),
        ("gizmo", (0, 1.93, 1.6), (0.8, 0.03, 0.5), "hanging on"),
    ],
)
def test_how_a_wall_holds_things(
    label: str, center: tuple[float, ...], size: tuple[float, ...], how: str
) -> None:
    """By common sense where the name is known, by shape where it is not."""
    assert held(room(), thing(1, label, center, size)) == {WALL: how}


def test_thing_that_stands_before_a_wall_is_not_held_by_it() -> None:
    cabinet = thing(1, "crate", (0, 1.7, 0.5), (0.6, 0.4, 1.0))
    assert held(room(), cabinet) == {FLOOR: "on"}
    assert facts(room(), cabinet)[WALL]["next to"] > 0.5


def test_a_door_stands_in_the_hole_of_its_wall() -> None:
    """Beside the end of the wall, and behind its face."""
    door = thing(1, "door", (2.4, 2.25, 1.0), (0.8, 0.05, 2.0))
    assert held(room(), door)[WALL] == "embedded in"


def test_a_door_in_a_corner_belongs_to_the_wall_that_it_runs_along() -> None:
    building, side = room(), -4
    building.set(side, ("wall", Box3D((2.0, 0, 1.25), (4, 0.02, 2.5), math.pi / 2)))
    shut = facts(building, thing(1, "door", (1.3, 1.98, 1.0), (0.95, 0.04, 2.0)))
    assert shut[WALL]["embedded in"] > shut[side]["embedded in"]
    open_one = facts(room(), thing(1, "door", (0.5, 1.6, 1.0), (0.04, 0.8, 2.0)))
    assert open_one[WALL]["embedded in"] > 0.0, "it stands open into the room"


def test_a_lamp_hangs_from_the_ceiling() -> None:
    assert held(room(), thing(1, "gizmo", (0, 0, 2.2), (0.3, 0.3, 0.55))) == {CEILING: "hanging on"}
    assert held(room(), thing(1, "ceiling light", (0, 0, 2.45), (0.3, 0.3, 0.1))) == {
        CEILING: "mounted on"
    }


@pytest.mark.parametrize("yaw", [0.3, math.pi / 4, 1.2, -0.8])
def test_walls_may_run_any_way(yaw: float) -> None:
    """The points of a picture decide where it hangs askew in the world: its box is too thick."""
    along, across = (math.cos(yaw), math.sin(yaw)), (math.sin(yaw), -math.cos(yaw))
    rng = np.random.default_rng(0)
    flat = rng.uniform((-0.6, 0.06, 1.2), (0.6, 0.09, 1.8), (200, 3))
    points = flat[:, :1] * [*along, 0] + flat[:, 1:2] * [*across, 0] + flat[:, 2:] * [0, 0, 1]
    points = np.add(points, (0, 2, 0)).astype(np.float32)
    box = Box3D.from_bounds(points.min(axis=0), points.max(axis=0))
    picture = replace(thing(1, "gizmo", box.center, box.size), points=points)
    assert held(room(yaw), picture) == {WALL: "hanging on"}
    moved = replace(
        picture,
        points=points + np.array((*across, 0), np.float32),
        box=replace(box, center=(box.center[0] + across[0], box.center[1] + across[1], 1.5)),
    )
    assert WALL not in held(room(yaw), moved)


def test_moving_a_node_is_reported() -> None:
    building = room()
    node = ("wall", Box3D((0, 2, 1.25), (4, 0.1, 2.5)))
    assert not building.set(WALL, node)
    assert building.set(WALL, ("wall", Box3D((0, 3, 1.25), (4, 0.1, 2.5))))
    assert building.set(WALL, None)
    assert WALL not in building
    assert not building.set(WALL, None)
    assert facts(building, thing(1, "picture", (0, 1.93, 1.6), (0.6, 0.03, 0.4))) == {}
