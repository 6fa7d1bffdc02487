"""Depth of stored frames: what was measured, pixel by pixel, or a clear word why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import SceneMindConfig, StoreConfig
from scenemind.frames import FrameError
from scenemind.frames.encodings import encode_color_file
from scenemind.geometry import PinholeCamera
from scenemind.memory import Memory, ReadOnlyMemory, SceneMemoryError
from scenemind.memory.disk import frame_files
from scenemind.memory.disk.stored_depth import find_depth_image
from tests.unit.memory import walk

CAMERA = PinholeCamera(62, 49, 50.0, 52.0, 30.2, 24.7)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.create(tmp_path / "row", SceneMindConfig()) as memory:
        yield memory


def see(memory: Memory, number: int) -> np.ndarray:
    """One more frame, with noisy depth, which is returned."""
    step = walk.step(number, noisy_images=True)
    memory.integrate(step.frame, step.detections, step.track_ids, step.observations)
    return step.frame.depth_m


@pytest.mark.parametrize("every_px", [1, 2, 3, 7])
def test_each_pixel_is_that_of_the_colour_image(tmp_path: Path, every_px: int) -> None:
    rng = np.random.default_rng(1)
    depth_m = rng.uniform(0.5, 6.0, (49, 62)).astype(np.float32)
    depth_m[3:9, 5:20] = 0.0
    color = np.zeros((49, 62, 3), np.uint8)
    config = StoreConfig(depth_every_px=every_px)
    frame_files.write_frame(tmp_path, 5, color, depth_m, config)
    found = find_depth_image(tmp_path, 5, CAMERA)
    assert found is not None
    assert found.every_px == every_px
    assert found.depth_m.shape == (found.camera.height, found.camera.width)
    for v, u in np.ndindex(found.depth_m.shape):
        there_m = depth_m[every_px * v, every_px * u]
        assert abs(found.depth_m[v, u] - there_m) <= 0.0006 + 0.002 * there_m**2
        np.testing.assert_allclose(found.camera.ray(u, v), CAMERA.ray(every_px * u, every_px * v))


@given(st.integers(8, 200), st.integers(8, 200), st.integers(1, 16))
def test_the_resolution_follows_from_the_sizes_or_is_refused(
    width: int, height: int, every_px: int
) -> None:
    camera = PinholeCamera(width, height, 100.0, 100.0, 1.0, 1.0)
    size = -(-height // every_px), -(-width // every_px)
    others = {n for n in range(1, 201) if (-(-height // n), -(-width // n)) == size} - {every_px}
    with TemporaryDirectory() as folder:
        png = frame_files.encode_depth(np.ones((height, width), np.float32), every_px, 0.0)
        frame_files.depth_path(Path(folder), 3).write_bytes(png)
        if others:
            with pytest.raises(FrameError, match="for one n"):
                find_depth_image(Path(folder), 3, camera)
        else:
            found = find_depth_image(Path(folder), 3, camera)
            assert found is not None
            assert found.every_px == every_px


def test_a_memory_gives_it_at_once_and_when_it_is_opened_again(memory: Memory) -> None:
    depth_m = see(memory, 0)
    fresh = memory.depth_image(0)
    assert fresh.every_px == 2
    assert np.abs(fresh.depth_m - depth_m[::2, ::2]).max() <= 0.002 * 8.0**2
    memory.close()
    with ReadOnlyMemory.open(memory.path, SceneMindConfig()) as stored:
        again = stored.depth_image(0)
    np.testing.assert_array_equal(again.depth_m, fresh.depth_m)
    assert again.camera == fresh.camera == walk.CAMERA.subsampled(2)


def test_it_is_read_in_the_resolution_in_which_it_was_stored(tmp_path: Path) -> None:
    coarse = SceneMindConfig.from_flat({"store.depth_every_px": 4})
    with Memory.create(tmp_path / "row", coarse) as memory:
        see(memory, 0)
    fine = SceneMindConfig.from_flat({"store.depth_every_px": 1})
    with Memory.open(tmp_path / "row", fine) as memory:
        see(memory, 30)
        steps = [memory.depth_image(number).every_px for number in memory.stored_frames()]
    assert steps == [4, 1]


def test_a_frame_that_is_not_stored_has_none(memory: Memory) -> None:
    see(memory, 0)
    with pytest.raises(SceneMemoryError, match="frame 999 has no stored image"):
        memory.depth_image(999)
    memory.flush()
    (memory.path / "frames/000000.jpg").unlink()  # which vouches for the depth
    with pytest.raises(SceneMemoryError, match="frame 0 has no stored image"):
        memory.depth_image(0)


def test_depth_that_was_not_to_be_stored_is_named_so(tmp_path: Path) -> None:
    config = SceneMindConfig.from_flat({"store.depth_every_px": 0})
    with Memory.create(tmp_path / "row", config) as memory:
        see(memory, 0)
        with pytest.raises(SceneMemoryError, match=r"frame 0 .* store\.depth_every_px was 0"):
            memory.depth_image(0)
        assert memory.key_frame(0).jpeg


@pytest.mark.parametrize(
    "damaged",
    [
        lambda _: b"",
        lambda png: png[: len(png) // 2],
        lambda png: png[:100] + bytes([png[100] ^ 0x55]) + png[101:],
        lambda _: encode_color_file(np.zeros((60, 80, 3), np.uint8)),
        lambda _: cv2.imencode(".png", np.zeros((61, 80), np.uint16))[1].tobytes(),
    ],
    ids=["empty", "cut short", "one byte", "a photograph", "another size"],
)
def test_damaged_depth_is_said_once_in_the_log(
    memory: Memory, caplog: pytest.LogCaptureFixture, damaged: Callable[[bytes], bytes]
) -> None:
    see(memory, 0)
    memory.flush()
    file = memory.path / "frames/000000.png"
    file.write_bytes(damaged(file.read_bytes()))
    for _ in range(3):
        with pytest.raises(SceneMemoryError, match="the depth of frame 0 is damaged"):
            memory.depth_image(0)
    assert len(caplog.records) == 1
    assert "frame 0" in caplog.text
    assert memory.key_frame(0).jpeg, "its colour is whole"
