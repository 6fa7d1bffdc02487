"""A film of a memory: its stored frames beside a map that grows."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

import scenemind as sm
from scenemind.errors import UsageError
from tests import simulated_memory


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simulated_memory.stored_room(tmp_path_factory.mktemp("film") / "room")


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_objects_appear_one_after_the_other(room: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"room{suffix}"
    with sm.open(room, read_only=True) as scene:
        pictures = scene.film(path, frames=4)
        stored = len(scene.memory.frame_index())
    assert pictures == min(4, stored)
    is_read, film = cv2.imreadanimation(str(path))
    assert is_read
    assert len(film.frames) == pictures
    first, last = (np.asarray(film.frames[i])[..., :3] for i in (0, -1))
    assert first.shape == last.shape
    map_of = first.shape[1] // 2
    inked = [int((picture[:, map_of:].min(axis=2) < 200).sum()) for picture in (first, last)]
    assert inked[0] < inked[1]


def test_another_suffix_is_refused(room: Path, tmp_path: Path) -> None:
    with (
        sm.open(room, read_only=True) as scene,
        pytest.raises(UsageError, match=r"\.gif or \.webp"),
    ):
        scene.film(tmp_path / "room.mp4")
