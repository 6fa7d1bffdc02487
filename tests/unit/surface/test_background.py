"""What is drawn behind a map: the place without what left it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import scenemind as sm
from scenemind.geometry import Box3D
from scenemind.geometry.open3d import MissingOpen3DError
from scenemind.memory import MemoryAccess
from scenemind.simulation import simulate
from scenemind.surface import Vacated, background, clear_surface, ground_of

SEED, FRAMES = 1, 40


@pytest.fixture(scope="module")
def scene() -> Iterator[sm.Scene]:
    with sm.create() as scene:
        scene.map(simulate(SEED, FRAMES))
        yield scene


def in_room(points: np.ndarray, slack_m: float = 0.15) -> np.ndarray:
    x, y, z = simulate(SEED, 1).room_at(0).size
    away = np.abs(points[:, :2]) <= np.array((x, y)) / 2.0 + slack_m
    return away.all(axis=1) & (points[:, 2] > -slack_m) & (points[:, 2] < z + slack_m)


def test_without_open3d_the_ground_is_points_with_what_to_type(
    scene: sm.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: Any) -> None:
        raise MissingOpen3DError("a surface needs Open3D: type this")

    monkeypatch.setattr(background, "clear_surface", missing)
    ground = ground_of(scene.memory)
    assert ground is not None
    assert ground.note == "a surface needs Open3D: type this"
    assert len(ground.points) == len(ground.rgb) > 10_000
    assert in_room(ground.points).mean() > 0.99


def test_a_place_without_depth_has_no_ground() -> None:
    with sm.create() as empty:
        assert ground_of(empty.memory) is None


@pytest.mark.extras
def test_the_ground_is_what_a_look_from_above_shows(
    open3d: ModuleType,  # noqa: ARG001
    scene: sm.Scene,
) -> None:
    ground = ground_of(scene.memory)
    assert ground is not None
    assert ground.note == ""
    assert in_room(ground.points).mean() > 0.99
    height_m = simulate(SEED, 1).room_at(0).size[2]
    assert ground.points[:, 2].max() < height_m + 0.1
    # The ceiling faces down: next to none of it is left in the middle of the room.
    middle = np.abs(ground.points[:, :2]).max(axis=1) < 1.0
    assert (ground.points[middle, 2] > height_m - 0.1).mean() < 0.01


@pytest.mark.extras
def test_what_stood_where_a_thing_has_left_is_no_part_of_the_surface(
    open3d: ModuleType,  # noqa: ARG001
    scene: sm.Scene,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    thing = max(scene.snapshot.objects.values(), key=lambda thing: len(thing.points))
    box = Box3D(thing.box.center, thing.box.size)
    before = clear_surface(scene.memory, 1_000_000)
    gone = without(scene.memory, thing.object_id)
    monkeypatch.setattr(background, "vacated_places", lambda _: [Vacated(box, 10**18)])
    after = clear_surface(gone, 1_000_000)
    place = Vacated(box, 10**18)
    inside = [int(place.has(mesh.vertices, 0).sum()) for mesh in (before, after)]
    assert inside[0] > 100
    assert inside[1] < 0.1 * inside[0]


def without(memory: Any, object_id: int) -> MemoryAccess:
    """The memory, whose map lacks an object."""

    class Emptier:
        def snapshot(self) -> Any:
            known = memory.snapshot()
            return replace(
                known, objects={i: o for i, o in known.objects.items() if i != object_id}
            )

        def __getattr__(self, name: str) -> Any:
            return getattr(memory, name)

    return Emptier()  # type: ignore[return-value]
