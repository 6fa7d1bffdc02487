"""Constellations of objects: the transform between two maps of one place."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.memory.places.constellation import (
    Landmarks,
    find_transforms,
    turn_about_z,
    yaw_of,
)

KINDS = ("chair", "table", "shelf", "lamp", "plant", "box", "sofa")


def landmarks(
    centers: NDArray[np.float64], kinds: list[str], floor_z: float | None = 0.0
) -> Landmarks:
    count = len(centers)
    return Landmarks(
        np.arange(1, count + 1),
        centers,
        np.full((count, 3), 0.5),
        tuple({kind: 0.9} for kind in kinds),
        tuple(frozenset() for _ in kinds),
        floor_z,
    )


def scattered(seed: int, count: int = 14) -> tuple[NDArray[np.float64], list[str]]:
    rng = np.random.default_rng(seed)
    centers = rng.uniform((-4.0, -3.0, 0.2), (4.0, 3.0, 1.5), (count, 3))
    return centers, [KINDS[k] for k in rng.integers(len(KINDS), size=count)]


def moved(centers: NDArray[np.float64], pose: Pose) -> NDArray[np.float64]:
    return np.asarray(pose.transform(centers))


@given(
    seed=st.integers(0, 1000),
    yaw=st.floats(-math.pi, math.pi),
    x=st.floats(-20.0, 20.0),
    z=st.floats(-1.0, 1.0),
)
def test_it_finds_the_transform_whatever_it_is(seed: int, yaw: float, x: float, z: float) -> None:
    centers, kinds = scattered(seed)
    b_T_a = turn_about_z(yaw, x, -x / 2.0, z)
    a, b = landmarks(centers, kinds), landmarks(moved(centers, b_T_a), kinds, z)
    found = find_transforms(a, b)[0]
    assert found.b_T_a.distance_m(b_T_a) < 0.05
    assert found.b_T_a.angle_rad(b_T_a) < 0.01
    assert len(found.pairs) == len(centers)
    assert (found.pairs[:, 0] == found.pairs[:, 1]).all()


def test_noise_missing_and_new_objects_leave_it_found() -> None:
    centers, kinds = scattered(3, 24)
    rng = np.random.default_rng(0)
    b_T_a = turn_about_z(2.0, 5.0, 1.0, 0.0)
    there = moved(centers, b_T_a) + rng.normal(0.0, 0.04, centers.shape)
    other, other_kinds = scattered(99, 8)
    a = landmarks(centers[:15], kinds[:15])
    b = landmarks(np.concatenate((there[5:], other)), kinds[5:] + other_kinds)
    found = find_transforms(a, b)[0]
    assert found.b_T_a.distance_m(b_T_a) < 0.1
    assert found.bits > found.chance_bits + 20.0


def test_an_unknown_floor_leaves_the_height_to_the_objects() -> None:
    centers, kinds = scattered(5)
    b_T_a = turn_about_z(-1.0, 0.0, 2.0, 0.7)
    a = landmarks(centers, kinds, None)
    found = find_transforms(a, landmarks(moved(centers, b_T_a), kinds, None))[0]
    assert abs(found.b_T_a.translation[2] - 0.7) < 0.02


def test_a_symmetric_place_has_a_second_transform_that_is_as_good() -> None:
    corners = np.array([(x, y, 0.5) for x in (-2.0, 2.0) for y in (-3.0, 3.0)] + [(0, 0, 0.5)])
    place = landmarks(corners, ["chair"] * 4 + ["table"])
    first, second = find_transforms(place, place)[:2]
    assert second.bits > 0.95 * first.bits
    turned = abs(math.remainder(yaw_of(first.b_T_a) - yaw_of(second.b_T_a), 2.0 * math.pi))
    assert abs(turned - math.pi) < 0.05


def test_another_place_explains_far_less() -> None:
    a, b = (landmarks(*scattered(seed, 30)) for seed in (11, 12))
    itself = find_transforms(a, a)[0]
    others = find_transforms(a, b)
    assert not others or others[0].bits < 0.45 * itself.bits


def test_nothing_to_compare_gives_no_transform() -> None:
    nothing = landmarks(np.zeros((0, 3)), [])
    one = landmarks(np.zeros((1, 3)), ["chair"])
    place = landmarks(*scattered(1))
    for a in (nothing, one):
        assert find_transforms(a, place) == find_transforms(place, a) == []
    assert find_transforms(landmarks(np.eye(3), ["cup"] * 3), place) == []


def test_two_hundred_objects_a_side() -> None:
    centers, kinds = scattered(7, 200)
    centers[:, :2] *= 3.0
    b_T_a = turn_about_z(0.5, 30.0, 2.0, 0.0)
    found = find_transforms(landmarks(centers, kinds), landmarks(moved(centers, b_T_a), kinds))
    assert found[0].b_T_a.distance_m(b_T_a) < 0.1
