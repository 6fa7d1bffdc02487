"""A process that maps, corrects, saves copies, repairs them and opens its memory again, until it
is killed. It says what the memory has said to be done, as soon as that is so, in lines:

    mapped FRAME | corrected NUMBER VALUE | undone NUMBER | redone NUMBER
    saved NAME CORRECTIONS | repaired NAME

Run as `python busy_child.py MEMORY_FOLDER`; the memory holds the row of chairs of `walk`.
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from itertools import count
from pathlib import Path

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory
from scenemind.memory.disk.examination import repair
from scenemind.memory.disk.folder import DATABASE
from tests.unit.memory import walk

FRAMES_A_TURN = 6


def say(*words: object) -> None:
    print(*words, flush=True)


def correct(memory: Memory, number: int) -> None:
    rename = Edit("rename", (1,), value=f"chair {number}")
    color = Edit("set_attribute", (2,), "number", str(number))
    for entry in memory.apply([rename, color], "Ada", f"frame {number}"):
        say("corrected", entry.correction_id, entry.edit.value)
    newest = memory.corrections()[-1].correction_id
    for entry in memory.undo(newest):
        say("undone", entry.correction_id)
    if number % 2:
        for entry in memory.redo():
            say("redone", entry.correction_id)


def damage(path: Path) -> None:
    with closing(sqlite3.connect(path / DATABASE)) as connection, connection:
        newest = "SELECT MAX(frame) FROM detections"
        connection.execute(f"UPDATE detections SET packed = zeroblob(4) WHERE frame = ({newest})")


def main(path: Path) -> None:
    for turn in count():
        with Memory.open(path, SceneMindConfig()) as memory:
            for step in range(FRAMES_A_TURN):
                number = turn * FRAMES_A_TURN + step
                walk.go(memory, range(number, number + 1))
                correct(memory, number)
            memory.flush()
            say("mapped", memory.last_frame_number)
            copy = memory.save_as(f"copy{turn}")
            say("saved", copy.name, len(memory.corrections()))
        damage(copy)
        repair(copy)
        say("repaired", copy.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
