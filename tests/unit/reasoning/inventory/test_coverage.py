"""Which frames an inventory looks at, and when two namings are of one thing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from scenemind.geometry import Box3D, PinholeCamera
from scenemind.memory import DepthImage
from scenemind.models import Allowance
from scenemind.reasoning import Asking
from scenemind.reasoning.inventory.coverage import Coverage
from scenemind.reasoning.inventory.things import NamedThing
from scenemind.reasoning.vlm_grounder.targets import StoredScene

CAMERA = PinholeCamera(width=80, height=60, fx=60.0, fy=60.0, cx=40.0, cy=30.0)


def scene_of(*depths_m: Any) -> StoredScene:
    """Frames whose cameras stand far apart, with these depths."""
    poses = np.tile(np.eye(4), (len(depths_m), 1, 1))
    poses[:, 0, 3] = 100.0 * np.arange(len(depths_m))
    images = [DepthImage(np.asarray(d, np.float32), 1, CAMERA) for d in depths_m]
    memory = SimpleNamespace(depth_image=lambda number: images[number])
    index = SimpleNamespace(frame_numbers=np.arange(len(depths_m)), world_T_camera=poses)
    return cast(StoredScene, SimpleNamespace(memory=memory, index=index))


def test_a_black_wall_is_to_be_seen_though_it_has_no_depth() -> None:
    lit = np.full((60, 80), 9.0)  # too far, but for a third of it
    lit[:20] = 2.0
    black = np.zeros((60, 80))
    black[:, :4] = 2.0  # what is beside it has depth
    assert Coverage().take(scene_of(lit, black), 1, Asking(Allowance(9.0))) == [1]


def test_a_picture_without_any_depth_is_left_out() -> None:
    scene = scene_of(np.zeros((60, 80)), np.full((60, 80), 2.0))
    assert Coverage().take(scene, 2, Asking(Allowance(9.0))) == [1]


def named(name: str, center: tuple[float, float, float], width_px: float = 50.0) -> NamedThing:
    box = Box3D(center, (1.0, 1.0, 1.0))
    return NamedThing(name, box, np.zeros((1, 3), np.float32), (), frozenset((7,)), width_px)


@pytest.mark.parametrize(
    ("name", "shift_m", "is_same"),
    [
        ("dining table", 0.6, True),  # the same noun, and they overlap
        ("table of wood", 0.6, True),
        ("desk", 0.6, False),
        ("leg of a table", 0.6, False),
        ("couch", 0.6, False),
        ("wooden table", 1.2, False),  # apart
        ("lamp", 0.1, True),  # nearly the same box
    ],
)
def test_one_noun_and_a_shared_place_are_one_thing(
    name: str, shift_m: float, is_same: bool
) -> None:
    table = named("wooden table", (0.0, 0.0, 0.0))
    assert table.is_same_as(name, Box3D((shift_m, 0.0, 0.0), (1.0, 1.0, 1.0))) == is_same


def test_a_second_naming_gives_its_box_where_it_is_clearer() -> None:
    far, near = named("cup", (0.0, 0.0, 0.0), 12.0), named("mug", (0.1, 0.0, 0.0), 90.0)
    assert far.seen_also(near).box == near.box
    assert near.seen_also(far).box == near.box
    assert far.seen_also(near).name == "cup"
