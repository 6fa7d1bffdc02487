"""kill -9 while a process maps, corrects, saves, repairs and reopens: nothing that it was told to
be done is lost, and every memory opens.

SCENEMIND_KILLS=100 kills a hundred times instead of three.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Memory, ReadOnlyMemory, list_memories
from scenemind.memory.disk.examination import check, repair
from tests.unit.memory import walk
from tests.unit.memory.merging_child import HERE_T_OTHER
from tests.unit.memory.migrating_child import SHIFT_M

CONFIG = SceneMindConfig()
REPOSITORY = Path(__file__).resolve().parents[3]
KILLS = int(os.environ.get("SCENEMIND_KILLS", "3"))
LONGEST_S = 0.8  # after the first thing that it said


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of three chairs."""
    return walk.stored(tmp_path_factory.mktemp("memories") / "row", 40)


@pytest.mark.parametrize("kill", range(KILLS))
def test_nothing_that_was_acknowledged_is_lost(walked: Path, tmp_path: Path, kill: int) -> None:
    root = tmp_path / "memories"
    path = root / "row"
    shutil.copytree(walked, path)
    said = kill_after(path, random.Random(kill).uniform(0.0, LONGEST_S))
    saved = {name: int(count) for name, count in of(said, "saved")}
    assert {"row", *saved} <= set(list_memories(root))
    for name in list_memories(root):
        with ReadOnlyMemory.open(root / name, CONFIG) as memory:
            assert memory.snapshot().objects
            assert len(memory.corrections()) == saved.get(name, len(memory.corrections()))
    for (name,) in of(said, "repaired"):
        assert check(root / name) == ()
    for name in {*list_memories(root)} - {"row"}:  # some are damaged, or half repaired
        repair(root / name)
        with Memory.open(root / name, CONFIG) as memory:
            assert memory.snapshot().objects
    with Memory.open(path, CONFIG) as memory:
        assert memory.last_frame_number >= max((int(n) for (n,) in of(said, "mapped")), default=39)
        assert_corrections_are_there(memory, said)
    assert check(path) == ()


@pytest.mark.parametrize("kill", range(KILLS))
def test_migrating_poses_is_done_or_not_begun(walked: Path, tmp_path: Path, kill: int) -> None:
    """Objects, surfaces, stretches, frames, path, locations and corrections are where one number
    of turns puts them; each turn that was acknowledged is among these."""
    path = tmp_path / "row"
    shutil.copytree(walked, path)
    said = kill_after(path, random.Random(kill).uniform(0.0, LONGEST_S), "migrating_child.py")
    acknowledged = max(int(turn) for (turn,) in of(said, "moved"))
    with Memory.open(path, CONFIG) as memory:
        turns = len(memory.pose_corrections())
        assert turns in (acknowledged, acknowledged + 1)
        moved_m = turns * SHIFT_M
        for thing in memory.snapshot().objects.values():
            assert thing.box.center[1] == pytest.approx(2.0 + moved_m, abs=0.1)
            assert thing.points[:, 1].mean() == pytest.approx(2.0 + moved_m, abs=0.1)
        assert memory.trajectory()[:, 1] == pytest.approx(moved_m, abs=1e-3)
        assert memory.frame_index().world_T_camera[:, 1, 3] == pytest.approx(moved_m, abs=1e-6)
        for location in memory.tree():
            assert location.anchor.translation[1] == pytest.approx(moved_m, abs=1e-6)
            for tracklet in location.tracklets:
                assert tracklet.trajectory[:, 1] == pytest.approx(2.0 + moved_m, abs=0.3)
    assert check(path) == ()


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_merge_is_done_or_not_begun(walked: Path, tmp_path: Path, kill: int) -> None:
    """Frames, path, objects and images are those of one number of merges; each one that was
    acknowledged is among these. The chairs stay three."""
    path, other = tmp_path / "row", tmp_path / "other"
    shutil.copytree(walked, path)
    shutil.copytree(walked, other)
    with Memory.open(other, CONFIG) as memory:
        away = HERE_T_OTHER.inverse() @ walk.step(0).frame.world_T_camera
        memory.correct_poses(np.array([walk.step(0).frame.stamp_ns]), [away])
        frames, stored = memory.last_frame_number + 1, len(memory.stored_frames())
    said = kill_after(path, random.Random(kill).uniform(0.0, LONGEST_S), "merging_child.py")
    acknowledged = max(int(turn) for (turn,) in of(said, "merged"))
    with Memory.open(path, CONFIG) as memory:
        turns, rest = divmod(memory.last_frame_number + 1, frames)
        assert rest == 0
        assert turns - 1 in (acknowledged, acknowledged + 1)
        assert sorted(memory.snapshot().objects) == [1, 2, 3]
        for thing in memory.snapshot().objects.values():
            assert thing.box.center[1] == pytest.approx(2.0, abs=0.1)
        assert memory.trajectory()[:, 1] == pytest.approx(0.0, abs=1e-3)
        assert len(memory.stored_frames()) == turns * stored
        for number in memory.stored_frames():
            assert memory.key_frame(number).jpeg
    assert check(path) == ()


def assert_corrections_are_there(memory: Memory, said: list[list[str]]) -> None:
    values = {int(number): " ".join(value) for number, *value in of(said, "corrected")}
    undone = {int(number): word == "undone" for word, number, *_ in said if word in UNDOING}
    entries = {entry.correction_id: entry for entry in memory.corrections()}
    assert {number: entries[number].edit.value for number in values} == values
    for number in values:
        if number < max(values):  # what was done with the last one may not have been said any more
            assert entries[number].undone == undone.get(number, False), number
    # At most one request was under way, of two edits that come together or not at all.
    assert len(entries) - len(values) in (0, 1, 2)
    assert list(entries) == list(range(1, len(entries) + 1))
    assert len(entries) % 2 == 0
    names = [e.edit.value for e in entries.values() if e.edit.kind == "rename" and not e.undone]
    assert memory.snapshot().objects[1].label == (names or ["chair"])[-1]


UNDOING = ("undone", "redone")


def of(said: list[list[str]], word: str) -> list[list[str]]:
    """What follows a word in the lines that begin with it."""
    return [rest for first, *rest in said if first == word]


def kill_after(path: Path, seconds: float, program: str = "busy_child.py") -> list[list[str]]:
    """What the process has said until then, in words."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])}
    child = subprocess.Popen(
        [sys.executable, Path(__file__).with_name(program), path],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert child.stdout is not None
    lines = [child.stdout.readline()]  # the first thing is done
    threading.Timer(seconds, child.kill).start()
    lines += child.stdout.readlines()
    assert child.wait() == -9
    # The kill may have cut the last line.
    return [line.split() for line in lines if line.endswith("\n")]
