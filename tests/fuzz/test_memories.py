"""Changed memories: no error that is no sentence, no other answer without a word, nothing written.

`python -m tests.fuzz.test_memories COUNT [FIRST]` runs as many.
"""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory
from tests.fuzz import memories
from tests.unit.memory import walk

VICTIM = "a file of its owner"
LONGEST_S = 5.0
MOST_GROWTH_MB = 500.0
FOUND = (598, 756, 694300908, 947662248)  # that failed once


def make(path: Path) -> None:
    """A memory with objects, corrections and images."""
    with Memory.create(path, SceneMindConfig()) as memory:
        for number in range(60):
            step = walk.step(number)
            memory.integrate(step.frame, step.detections, step.track_ids, step.observations)
            if number % 20 == 10:
                memory.flush()
        memory.apply([Edit("rename", (1,), value="stool")], "anna", "that is a stool")
        memory.apply([Edit("set_attribute", (2,), "color", "red")], "anna", "it is red")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memories") / "row"
    make(path)
    return path


@pytest.fixture(scope="module")
def answers(whole: Path) -> str:
    """What the whole memory answers, without a warning."""
    outcome = memories.run(whole)
    assert outcome.said == ()
    return outcome.answers


def state(path: Path) -> dict[str, bytes]:
    """Name -> content of all files in a memory."""
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }


def try_one(whole: Path, folder: Path, seed: int, answers: str) -> str:
    """Change, open and ask; what was changed."""
    (folder / "victim").write_text(VICTIM)
    # Every fifth is changed so that each checksum fits: any answer will do, but no traceback.
    on_purpose = seed % 5 == 4
    mutators = memories.PURPOSE if on_purpose else memories.DAMAGE
    changed = memories.mutate(whole, folder / "row", seed, mutators)
    before = state(folder / "row")
    started = time.process_time()
    outcome = memories.run(folder / "row")
    assert time.process_time() - started < LONGEST_S, changed
    assert on_purpose or outcome.said or outcome.answers == answers, changed
    assert (folder / "victim").read_text() == VICTIM, changed
    assert state(folder / "row") == before, changed
    return changed


@pytest.mark.parametrize("seed", [*range(10), *FOUND])
def test_a_changed_memory_is_read_as_far_as_it_is_whole_and_never_silently(
    whole: Path, answers: str, tmp_path: Path, seed: int
) -> None:
    try_one(whole, tmp_path, seed, answers)


def main() -> None:
    count = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    failed = 0
    with tempfile.TemporaryDirectory() as root:
        whole = Path(root) / "whole" / "row"
        make(whole)
        answers = memories.run(whole).answers
        before_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        for seed in range(first, first + count):
            folder = Path(root) / str(seed)
            folder.mkdir()
            try:
                try_one(whole, folder, seed, answers)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what was looked for
                failed += 1
                print(f"seed {seed}: {type(error).__name__}: {str(error)[:300]}")
            shutil.rmtree(folder)
        grown_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3 - before_mb
    print(f"{count} memories, {failed} failed, grown by {grown_mb:.0f} MB")
    sys.exit(bool(failed) or grown_mb > MOST_GROWTH_MB)


if __name__ == "__main__":
    main()
