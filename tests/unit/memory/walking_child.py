"""A process that maps until it is killed. Prints frame number and monotonic time of each frame.

Run as `python walking_child.py MEMORY_FOLDER CORRECT_AT SETTINGS`; at frame CORRECT_AT it renames
chair 1's object and says so. SETTINGS is JSON of dotted names.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory
from tests.unit.memory import walk


def main(path: Path, correct_at: int, settings: dict[str, Any]) -> None:
    memory = Memory.create(path, SceneMindConfig.from_flat(settings))
    for number in count():
        step = walk.step(number)
        memory.integrate(step.frame, step.detections, step.track_ids, step.observations)
        print(number, time.monotonic(), flush=True)
        if number == correct_at:
            memory.apply([Edit("rename", (1,), value="stool")], "anna", "that is a stool")
            print("corrected", time.monotonic(), flush=True)
        time.sleep(0.01)  # the pace of a camera


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]))
