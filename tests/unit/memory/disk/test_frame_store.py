"""Images on disk: what goes in comes out, and a failing disk stops nothing."""

from __future__ import annotations

import resource

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scenemind.config import StoreConfig
from scenemind.frames.encodings import decode_file
from scenemind.frames.image_files import depth_from_units, read_color, read_depth
from scenemind.memory.disk import frame_files
from scenemind.memory.disk.frame_store import FrameStore
from tests.unit.memory import walk

MM_PER_M = 1000.0


@pytest.fixture
def store(tmp_path):
    store = FrameStore(tmp_path / "frames", StoreConfig())
    yield store
    store.close()


def is_there(store, number):
    return frame_files.color_path(store.folder, number).exists()


def test_image_comes_back_by_its_number(store):
    frames = [walk.frame(number) for number in (0, 7, 12_345)]
    for frame in frames:
        assert store.put(frame.number, frame.color, frame.depth_m)
    store.flush()
    for frame in frames:
        color = read_color(frame_files.color_path(store.folder, frame.number))
        assert np.abs(color.astype(int) - frame.color).max() <= 3  # JPEG is not exact
        depth_m = read_depth(frame_files.depth_path(store.folder, frame.number), MM_PER_M)
        seen_m = frame.depth_m[::2, ::2]
        assert np.abs(depth_m - seen_m).max() <= 0.002 * seen_m.max() ** 2
    assert [is_there(store, number) for number in (0, 1, 7)] == [True, False, True]
    assert store.counts.written == 3
    assert store.counts.bytes_written == sum(p.stat().st_size for p in store.folder.iterdir())


depth_images = hnp.arrays(np.float32, (4, 5), elements=st.floats(width=32, allow_nan=True))


@settings(deadline=None)
@given(depth_images, st.integers(1, 3), st.sampled_from([0.0, 0.002, 0.01]))
def test_depth_is_kept_within_its_noise_or_not_at_all(depth_m, every_px, error_1m_m):
    png = frame_files.encode_depth(depth_m, every_px, error_1m_m)
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
    exact = frame_files.encode_depth(noisy_m, every_px=1, error_1m_m=0.0)
    rounded = frame_files.encode_depth(noisy_m, every_px=1, error_1m_m=0.002)
    assert len(rounded) < len(exact) / 2


def test_depth_can_be_left_out(tmp_path):
    frame = walk.frame(1)
    config = StoreConfig(depth_every_px=0)
    size = frame_files.write_frame(tmp_path, 1, frame.color, frame.depth_m, config)
    assert [path.stat().st_size for path in tmp_path.iterdir()] == [size]
    assert frame_files.paths(tmp_path, 1) == [frame_files.color_path(tmp_path, 1)]


def test_no_half_file_is_left_or_taken_for_an_image(store):
    frame = walk.frame(3)
    store.put(3, frame.color, frame.depth_m)
    store.flush()
    assert sorted(path.name for path in store.folder.iterdir()) == ["000003.jpg", "000003.png"]
    (store.folder / "000002.jpg.tmp").write_bytes(b"what a killed process was writing")
    (store.folder / "000009.jpg").write_bytes(b"an image whose row was never committed")
    (store.folder / "notes.txt").write_text("somebody's own")
    assert frame_files.remove_others(store.folder, {3: 700, 5: 500}) == {3: 700}
    left = sorted(path.name for path in store.folder.iterdir())
    assert left == ["000003.jpg", "000003.png", "notes.txt"]


def test_image_that_is_not_there_or_cut_short_is_none(store):
    frame_files.color_path(store.folder, 7).touch()
    assert frame_files.find_jpeg(store.folder, 6) is None
    assert frame_files.find_jpeg(store.folder, 7) is None


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
    depth_mm = cv2.imread(str(frame_files.depth_path(store.folder, 4)), cv2.IMREAD_UNCHANGED)
    assert depth_mm.dtype == np.uint16
    assert depth_mm.shape == (frame.color.shape[0] // 2, frame.color.shape[1] // 2)
    assert np.unique(depth_mm).tolist() == [1004]
