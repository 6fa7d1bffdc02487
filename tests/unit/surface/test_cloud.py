"""The coloured cloud of a memory."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.geometry.points import voxel_keys
from scenemind.memory import Memory
from scenemind.surface import ColoredCloud, Vacated
from tests.unit.viewer.room import map_room


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory.create(None, SceneMindConfig()) as memory:
        map_room(memory)
        yield memory


def test_points_lie_on_surfaces_of_the_room(memory: Memory) -> None:
    cloud = ColoredCloud()
    assert cloud.update(memory)
    (floor,) = (p for p in memory.snapshot().structure.values() if p.kind == "floor")
    top = floor.box.center[2] + floor.box.size[2] / 2.0
    on_floor = np.abs(cloud.points[:, 2] - top) < 0.05
    assert np.mean(on_floor) > 0.2
    assert np.all(cloud.points[:, 2] > top - 0.1)  # and nothing below it
    assert cloud.colors.shape == cloud.points.shape


def test_a_voxel_has_one_point(memory: Memory) -> None:
    cloud = ColoredCloud(voxel_m=0.05)
    cloud.update(memory)
    keys = voxel_keys(cloud.points, 0.05)
    assert len(np.unique(keys)) == len(keys)


def test_new_points_come_behind_the_old_ones(memory: Memory) -> None:
    cloud = ColoredCloud()
    half = ReadingOnly(memory, memory.stored_frames()[::2])
    cloud.update(half)
    first, generation = cloud.points.copy(), cloud.generation
    assert cloud.update(memory)
    assert len(cloud.points) > len(first)
    assert np.array_equal(cloud.points[: len(first)], first)
    assert cloud.generation == generation
    assert not cloud.update(memory)


def test_too_many_points_become_fewer_and_coarser(memory: Memory) -> None:
    cloud = ColoredCloud(most_points=2000)
    cloud.update(memory)
    assert 500 < len(cloud.points) <= 2000
    assert cloud.voxel_m > 0.02
    assert cloud.generation > 0
    assert len(np.unique(voxel_keys(cloud.points, cloud.voxel_m))) == len(cloud.points)


def test_points_above_the_limit_are_left_out(memory: Memory) -> None:
    cloud = ColoredCloud()
    cloud.update(memory, below_m=1.0)
    assert len(cloud.points)
    assert cloud.points[:, 2].max() < 1.0


def test_frames_are_taken_evenly(memory: Memory) -> None:
    heard: list[tuple[int, int]] = []
    ColoredCloud().update(memory, 3, lambda done, total: heard.append((done, total)), math.inf)
    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_a_frame_without_depth_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    config = SceneMindConfig.from_nested({"store": {"depth_every_px": 0}}, source="the test")
    with Memory.create(None, config) as memory:
        map_room(memory, 4)
        cloud = ColoredCloud()
        assert cloud.update(memory)
    assert not len(cloud.points)
    assert [r.name for r in caplog.records].count("scenemind.surface.cloud") == 1


def test_what_left_its_place_is_not_drawn_there(memory: Memory) -> None:
    table = next(t for t in memory.snapshot().objects.values() if t.label == "dining table")
    newest = int(memory.frame_index().stamps_ns[-1])
    everything, before, after = ColoredCloud(), ColoredCloud(), ColoredCloud()
    everything.update(memory)
    left = Vacated(table.box, newest + 1)
    before.leave_out([left])
    before.update(memory)
    after.update(memory)
    after.leave_out([left])
    inside = left.has(everything.points, 0)
    assert inside.any()
    assert not left.has(before.points, 0).any()
    assert len(after.points) == len(everything.points) - inside.sum()
    assert after.generation > 0
    assert not Vacated(table.box, 0).has(everything.points, 1).any()


class ReadingOnly:
    """Some frames of a memory."""

    def __init__(self, memory: Memory, numbers: object) -> None:
        self._memory, self._numbers = memory, numbers

    def stored_frames(self) -> object:
        return self._numbers

    def __getattr__(self, name: str) -> object:
        return getattr(self._memory, name)
