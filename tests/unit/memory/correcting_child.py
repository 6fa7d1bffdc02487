"""A process that corrects a memory until it is killed. Prints the number of each correction, and
`undo N` or `redo N`, as soon as the memory has said that it is done.

Run as `python correcting_child.py MEMORY_FOLDER`; the memory holds the row of chairs of `walk`.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory
from tests.unit.memory import walk


def main(path: Path) -> None:
    memory = Memory.open(path, SceneMindConfig())
    print("ready", flush=True)
    for number in count(memory.last_frame_number + 1):
        step = walk.step(number)
        memory.integrate(step.frame, step.detections, step.track_ids, step.observations)
        rename = Edit("rename", (1,), value=f"chair {number}")
        color = Edit("set_attribute", (2,), "number", str(number))
        for entry in memory.apply([rename, color], "Ada", f"frame {number}"):
            print(entry.correction_id, entry.edit.value, flush=True)
        print("undo", memory.undo().correction_id, flush=True)
        if number % 2:
            print("redo", memory.redo().correction_id, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
