"""The robot's way: one round as ever, and later rounds near it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from scenemind.simulation import SimulationError, make_room, simulate
from scenemind.simulation.trajectory import loop_trajectory

ROOM = make_room(1)


def test_the_first_of_several_rounds_is_the_only_one() -> None:
    once, thrice = loop_trajectory(ROOM, 101), loop_trajectory(ROOM, 301, loops=3)
    for a, b in zip(once, thrice[:101], strict=True):
        assert a.distance_m(b) < 1e-9
        assert a.angle_rad(b) < 1e-6


def test_later_rounds_come_near_the_first_but_differ_from_it_and_each_other() -> None:
    poses = loop_trajectory(ROOM, 301, loops=3)
    rounds = [poses[:100], poses[100:200], poses[200:300]]
    for a, b in itertools.combinations(rounds, 2):
        moved = [p.distance_m(q) for p, q in zip(a, b, strict=True)]
        turned = [np.rad2deg(p.angle_rad(q)) for p, q in zip(a, b, strict=True)]
        assert 0.05 < max(moved) < 0.3
        assert 3.0 < max(turned) < 30.0


def test_every_round_keeps_to_what_is_free() -> None:
    way = ROOM.loop.at(np.linspace(0, 2 * np.pi, 720))
    for pose in loop_trajectory(ROOM, 400, loops=4):
        assert np.linalg.norm(way - pose.translation[:2], axis=1).min() < 0.13


def test_no_round_is_an_error() -> None:
    with pytest.raises(SimulationError, match="at least 1"):
        simulate(1, loops=0)
