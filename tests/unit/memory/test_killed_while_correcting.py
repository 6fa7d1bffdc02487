"""kill -9 while corrections are written: none that was acknowledged is lost.

SCENEMIND_KILLS=100 kills a hundred times instead of two.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from tests.unit.memory import walk

CONFIG = SceneMindConfig()
REPOSITORY = Path(__file__).resolve().parents[3]
KILLS = int(os.environ.get("SCENEMIND_KILLS", "2"))
LONGEST_S = 0.4  # after the first correction


@pytest.fixture(scope="module")
def walked(tmp_path_factory) -> Path:
    """A memory of three chairs."""
    path = tmp_path_factory.mktemp("memories") / "row"
    with Memory.create(path, CONFIG) as memory:
        for number in range(40):
            step = walk.step(number)
            memory.integrate(step.frame, step.detections, step.track_ids, step.observations)
    return path


@pytest.mark.parametrize("kill", range(KILLS))
def test_no_acknowledged_correction_is_lost(walked: Path, tmp_path: Path, kill: int) -> None:
    path = tmp_path / "row"
    shutil.copytree(walked, path)
    acknowledged = correct_until_killed(path, random.Random(kill).uniform(0.0, LONGEST_S))
    values: dict[int, str] = {}
    undone: dict[int, bool] = {}
    for word, text in acknowledged:
        if word in ("undo", "redo"):
            undone[int(text)] = word == "undo"
        else:
            values[int(word)] = text
    with Memory.open(path, CONFIG) as memory:
        entries = {entry.correction_id: entry for entry in memory.corrections()}
        assert {number: entries[number].edit.value for number in values} == values
        last = max(values)
        for number in values:
            if number < last:  # what was done with the last one may not have been said any more
                assert entries[number].undone == undone.get(number, False), number
        # At most one request was under way, of two edits that come together or not at all.
        assert len(entries) - len(values) in (0, 1, 2)
        assert list(entries) == list(range(1, len(entries) + 1))
        assert len(entries) % 2 == 0
        newest = [e for e in entries.values() if e.edit.kind == "rename" and not e.undone][-1]
        assert memory.snapshot().objects[1].label == newest.edit.value


def correct_until_killed(path: Path, after_s: float) -> list[tuple[str, str]]:
    """The corrections that the process reported as done, in lines of two words."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])}
    child = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("correcting_child.py"), path],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    lines = [child.stdout.readline()]
    threading.Timer(after_s, child.kill).start()
    lines += child.stdout.readlines()
    assert child.wait() == -9
    # The kill may have cut the last line.
    return [tuple(line.strip().split(maxsplit=1)) for line in lines if line.endswith("\n")]
