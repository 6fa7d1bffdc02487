"""A process that merges another memory of the place into its memory until it is killed. It says
`merged TURN` as soon as the memory has said so.

Run as `python merging_child.py MEMORY_FOLDER`; both hold the row of chairs of `walk`, and the other
one is the folder `other` beside it, whose world lies `SHIFT_M` away along y.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

import numpy as np

from scenemind.config import SceneMindConfig
from scenemind.geometry import Pose
from scenemind.memory import Memory, ReadOnlyMemory

SHIFT_M = 5.0
HERE_T_OTHER = Pose(np.eye(3), np.array([0.0, -SHIFT_M, 0.0]))


def main(path: Path) -> None:
    config = SceneMindConfig()
    other_path = path.with_name("other")
    with Memory.open(path, config) as memory, ReadOnlyMemory.open(other_path, config) as other:
        for turn in count(1):
            memory.merge(other, HERE_T_OTHER)
            print("merged", turn, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
