"""A process that corrects the poses of its memory until it is killed: each turn moves all of it by
`SHIFT_M` along y. It says `moved TURN` as soon as the memory has said so.

Run as `python migrating_child.py MEMORY_FOLDER`; the memory holds the row of chairs of `walk`.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

import numpy as np

from scenemind.config import SceneMindConfig
from scenemind.geometry import Pose
from scenemind.memory import Memory
from tests.unit.memory import walk

SHIFT_M = 10.0


def main(path: Path) -> None:
    with Memory.open(path, SceneMindConfig()) as memory:
        for turn in count(1):
            start = Pose(np.eye(3), np.array([0.0, turn * SHIFT_M, 0.0]))
            first = walk.step(0).frame
            memory.correct_poses(np.array([first.stamp_ns]), [start @ first.world_T_camera])
            print("moved", turn, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
