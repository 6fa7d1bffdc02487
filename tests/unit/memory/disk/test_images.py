"""Images of key frames on disk."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scenemind.config import SceneMindConfig, StoreConfig
from scenemind.frames import FrameError
from scenemind.frames.images import (
    decode_file,
    depth_from_units,
    encode_color_file,
    read_color,
    read_depth,
)
from scenemind.geometry import PinholeCamera
from scenemind.memory import Memory, ReadOnlyMemory, SceneMemoryError
from scenemind.memory.disk import images
from scenemind.memory.disk.images import FrameStore, find_depth_image
from tests.unit.memory import walk

MM_PER_M = 1000.0


@pytest.fixture
def store(tmp_path):
    (tmp_path / "frames").mkdir()
    store = FrameStore(tmp_path / "frames", StoreConfig())
    yield store
    store.close()


def is_there(store, number):
    return images.color_path(store.folder, number).exists()


def test_image_comes_back_by_its_number(store):
    frames = [walk.frame(number) for number in (0, 7, 12_345)]
    for frame in frames:
        assert store.put(frame.number, frame.color, frame.depth_m)
    store.flush()
    for frame in frames:
        color = read_color(images.color_path(store.folder, frame.number))
        assert np.abs(color.astype(int) - frame.color).max() <= 3  # JPEG is not exact
        depth_m = read_depth(images.depth_path(store.folder, frame.number), MM_PER_M)
        seen_m = frame.depth_m[::2, ::2]
        assert np.abs(depth_m - seen_m).max() <= 0.002 * seen_m.max() ** 2
    assert [is_there(store, number) for number in (0, 1, 7)] == [True, False, True]
    assert store.counts.written == 3


depth_images = hnp.arrays(np.float32, (4, 5), elements=st.floats(width=32, allow_nan=True))


@settings(deadline=None)
@given(depth_images, st.integers(1, 3), st.sampled_from([0.0, 0.002, 0.01]))
def test_depth_is_kept_within_its_noise_or_not_at_all(depth_m, every_px, error_1m_m):
    png = images.encode_depth(depth_m, every_px, error_1m_m)
    again_m = depth_from_units(decode_file(png, cv2.IMREAD_UNCHANGED), MM_PER_M)
    depth_m = depth_m[::every_px, ::every_px]
    assert again_m.shape == depth_m.shape
    measured = np.isfinite(depth_m) & (depth_m >= 0.001) & (depth_m <= 65.534)
    bound_m = np.maximum(0.0005, error_1m_m * depth_m[measured] ** 2)
    # Half a millimetre is lost before the rounding that the noise allows.
    assert (np.abs(again_m[measured] - depth_m[measured]) <= bound_m + 0.00052).all()
    assert (again_m[~measured] <= 0.001).all()


def test_noise_of_depth_takes_little_room():
    rng = np.random.default_rng(1)
    flat_m = np.full((240, 320), 3.0)
    noisy_m = (flat_m + 0.002 * 3.0**2 * rng.standard_normal(flat_m.shape)).astype(np.float32)
    exact = images.encode_depth(noisy_m, every_px=1, error_1m_m=0.0)
    rounded = images.encode_depth(noisy_m, every_px=1, error_1m_m=0.002)
    assert len(rounded) < len(exact) / 2


def test_depth_can_be_left_out(tmp_path):
    frame = walk.frame(1)
    config = StoreConfig(depth_every_px=0)
    size = images.write_frame(tmp_path, 1, frame.color, frame.depth_m, config)
    assert [path.stat().st_size for path in tmp_path.iterdir()] == [size]
    assert images.image_paths(tmp_path, 1) == [images.color_path(tmp_path, 1)]


def test_no_half_file_is_left_or_taken_for_an_image(store):
    frame = walk.frame(3)
    store.put(3, frame.color, frame.depth_m)
    store.flush()
    assert sorted(path.name for path in store.folder.iterdir()) == ["000003.jpg", "000003.png"]
    (store.folder / "000002.jpg.tmp").write_bytes(b"what a killed process was writing")
    (store.folder / "000009.jpg").write_bytes(b"an image whose row was never committed")
    (store.folder / "000006.png").write_bytes(b"depth whose colour image was never written")
    (store.folder / "notes.txt").write_text("somebody's own")
    assert images.remove_unnamed(store.folder, {3: 700, 5: 500, 6: 600}) == {3: 700}
    left = sorted(path.name for path in store.folder.iterdir())
    assert left == ["000003.jpg", "000003.png", "000006.png", "notes.txt"]


def test_missing_or_truncated_image_is_none(store):
    images.color_path(store.folder, 7).touch()
    assert images.find_jpeg(store.folder, 6, walk.CAMERA) is None
    assert images.find_jpeg(store.folder, 7, walk.CAMERA) is None


def test_images_are_removed_after_they_were_written(store):
    for number in range(3):
        store.put(number, walk.frame(number).color, walk.frame(number).depth_m)
    store.remove([0, 2, 99])
    store.flush()
    assert [is_there(store, number) for number in range(3)] == [False, True, False]
    assert len(list(store.folder.iterdir())) == 2
    results = store.take_results()
    assert sorted(results.written) == [0, 1, 2]
    assert store.take_results().written == {}


def test_full_queue_drops_and_counts(tmp_path):
    (tmp_path / "frames").mkdir()
    store = FrameStore(tmp_path / "frames", StoreConfig(queue_size=2))
    rng = np.random.default_rng(1)
    color = rng.integers(0, 256, (1080, 1920, 3), dtype=np.uint8)  # takes the writer a while
    depth_m = rng.uniform(0.5, 8.0, (1080, 1920)).astype(np.float32)
    taken = [store.put(number, color, depth_m) for number in range(20)]
    store.flush()
    assert taken[0]
    assert store.counts.dropped == taken.count(False) > 0
    assert store.counts.written == taken.count(True)
    assert [is_there(store, number) for number in range(20)] == taken
    store.close()


def test_full_disk_is_counted_and_logged_once(store, caplog):
    frames = [walk.frame(number, noisy_images=number % 2 == 1) for number in range(6)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))  # the noisy images are larger
    try:
        for frame in frames:
            store.put(frame.number, frame.color, frame.depth_m)
        store.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [is_there(store, number) for number in range(6)] == [True, False] * 3
    assert (store.counts.written, store.counts.failed) == (3, 3)
    results = store.take_results()
    assert (sorted(results.written), sorted(results.failed)) == ([0, 2, 4], [1, 3, 5])
    assert {path.stem for path in store.folder.iterdir()} == {"000000", "000002", "000004"}
    assert not list(store.folder.glob("*.tmp"))
    assert len(caplog.records) == 1
    assert "key frame 1 was not stored" in caplog.text


def test_other_programs_can_read_the_images(store):
    frame = walk.frame(4)
    store.put(4, frame.color, frame.depth_m)
    store.flush()
    depth_mm = cv2.imread(str(images.depth_path(store.folder, 4)), cv2.IMREAD_UNCHANGED)
    assert depth_mm.dtype == np.uint16
    assert depth_mm.shape == (frame.color.shape[0] // 2, frame.color.shape[1] // 2)
    assert np.unique(depth_mm).tolist() == [1004]


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
    images.write_frame(tmp_path, 5, color, depth_m, config)
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
        png = images.encode_depth(np.ones((height, width), np.float32), every_px, 0.0)
        images.depth_path(Path(folder), 3).write_bytes(png)
        if others:
            with pytest.raises(FrameError, match="for one n"):
                find_depth_image(Path(folder), 3, camera)
        else:
            found = find_depth_image(Path(folder), 3, camera)
            assert found is not None
            assert found.every_px == every_px


def test_memory_gives_depth_at_once_and_when_it_is_opened_again(memory: Memory) -> None:
    depth_m = see(memory, 0)
    fresh = memory.depth_image(0)
    assert fresh.every_px == 2
    assert np.abs(fresh.depth_m - depth_m[::2, ::2]).max() <= 0.002 * 8.0**2
    memory.close()
    with ReadOnlyMemory.open(memory.path, SceneMindConfig()) as stored:
        again = stored.depth_image(0)
    np.testing.assert_array_equal(again.depth_m, fresh.depth_m)
    assert again.camera == fresh.camera == walk.CAMERA.subsampled(2)


def test_depth_is_read_in_the_resolution_in_which_it_was_stored(tmp_path: Path) -> None:
    coarse = SceneMindConfig.from_flat({"store.depth_every_px": 4})
    with Memory.create(tmp_path / "row", coarse) as memory:
        see(memory, 0)
    fine = SceneMindConfig.from_flat({"store.depth_every_px": 1})
    with Memory.open(tmp_path / "row", fine) as memory:
        see(memory, 30)
        steps = [memory.depth_image(number).every_px for number in memory.stored_frames()]
    assert steps == [4, 1]


def test_frame_that_is_not_stored_has_no_depth(memory: Memory) -> None:
    see(memory, 0)
    with pytest.raises(SceneMemoryError, match="frame 999 has no stored image"):
        memory.depth_image(999)
    memory.flush()
    (memory.path / "frames/000000.jpg").unlink()  # which vouches for the depth
    with pytest.raises(SceneMemoryError, match="frame 0 has no stored image"):
        memory.depth_image(0)


def test_error_says_that_depth_is_not_stored(tmp_path: Path) -> None:
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
def test_damaged_depth_is_logged_once(
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
