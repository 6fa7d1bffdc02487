"""One name for every sequence."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.frames import FrameError
from scenemind.simulation import (
    SimulatedSequence,
    SimulationError,
    StereoDepthNoise,
    open_source,
    simulate,
)


def simulated(name: str) -> SimulatedSequence:
    sequence = open_source(name)
    assert isinstance(sequence, SimulatedSequence)
    return sequence


@pytest.mark.parametrize(("name", "seed"), [("sim", 1), ("sim:", 1), ("sim:7", 7), ("sim:7:", 7)])
def test_simulated_rooms_have_a_seed(name: str, seed: int) -> None:
    sequence = simulated(name)
    assert sequence.room.seed == seed
    assert len(sequence) == 300
    assert sequence.name == f"simulated room (seed {seed})"
    assert sequence.path == Path(f"sim:{seed}")


def test_settings_come_after_the_seed() -> None:
    name = "sim:3:objects=40,loops=2,changes=3,odometry=0.5,depth=stereo"
    sequence = simulated(name)
    assert len(sequence.room.objects) == 40
    assert len(sequence) == 600
    assert len(sequence.changes) == 3
    assert sequence.poses[-1].distance_m(sequence.true_poses[-1]) > 1e-3
    assert sequence.depth_noise == StereoDepthNoise()
    assert sequence.path == Path(name)
    assert sequence.name.startswith("simulated room (seed 3, objects=40, loops=2, changes=3")


def test_the_name_of_a_simulated_drive_opens_it_again() -> None:
    drive = simulate(2, 600, objects=30, loops=2, odometry_noise=1.0, changes=2)
    again = simulated(str(drive.path))
    assert again.room == drive.room
    assert again.changes == drive.changes
    assert again.poses[-1].distance_m(drive.poses[-1]) == 0.0


def test_frames_can_be_fewer() -> None:
    assert len(simulated("sim:1:frames=20,depth=exact")) == 20


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sim:one", "sim:1"),
        ("sim:1:objects", "whole number.*objects=50"),
        ("sim:1:loops=two", "loops=two.*whole number"),
        ("sim:1:odometry=bad", "odometry=bad.*amount"),
        ("sim:1:depth=best", "exact, simple, stereo"),
        ("sim:1:chairs=3", "chairs=3.*objects, loops, changes, frames, odometry, depth"),
        ("sim:1:objects=500", "20 to 60 objects, not 500"),
        ("sim:1:changes=2", "between loops"),
        ("sim:1:frames=0", "0 frames"),
    ],
)
def test_what_cannot_be_simulated_is_told(name: str, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        open_source(name)


def test_other_names_are_paths(tmp_path: Path) -> None:
    # Not everything that begins with sim is simulated.
    with pytest.raises(FrameError, match="simple"):
        open_source(str(tmp_path / "simple"))
