"""Images on disk: what goes in comes out, and a failing disk stops nothing."""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scenemind.config import StoreConfig
from scenemind.frames.image_files import read_color, read_depth
from scenemind.memory import SceneMemoryError
from scenemind.memory.disk import frame_files
from scenemind.memory.disk.frame_store import FrameStore
from tests.unit.memory import walk

MM_PER_M = 1000.0


@pytest.fixture
def store(tmp_path):
    store = FrameStore(tmp_path / "frames", StoreConfig())
    yield store
    store.close()


def test_image_comes_back_by_its_number(store):
    frames = [walk.frame(number) for number in (0, 7, 12_345)]
    for frame in frames:
        assert store.put(frame.number, frame.color, frame.depth_m)
    store.flush()
    for frame in frames:
        color = read_color(frame_files.color_path(store.folder, frame.number))
        assert np.abs(color.astype(int) - frame.color).max() <= 3  # JPEG is not exact
        depth_m = read_depth(frame_files.depth_path(store.folder, frame.number), MM_PER_M)
        assert np.abs(depth_m - frame.depth_m).max() <= 0.000505
    assert [store.has(number) for number in (0, 1, 7)] == [True, False, True]
    assert store.counts.written == 3
    assert store.counts.bytes_written == sum(p.stat().st_size for p in store.folder.iterdir())


depth_images = hnp.arrays(np.float32, (4, 5), elements=st.floats(width=32, allow_nan=True))


@settings(deadline=None)
@given(depth_images)
def test_depth_is_kept_to_half_a_millimetre_or_not_at_all(depth_m):
    with tempfile.TemporaryDirectory() as folder:
        color = np.zeros((4, 5, 3), np.uint8)
        frame_files.write_frame(Path(folder), 0, color, depth_m, jpeg_quality=90)
        again_m = read_depth(frame_files.depth_path(Path(folder), 0), MM_PER_M)
    measured = np.isfinite(depth_m) & (depth_m >= 0.001) & (depth_m <= 65.534)
    assert np.abs(again_m[measured] - depth_m[measured]).max(initial=0.0) <= 0.000505
    assert (again_m[~measured] <= 0.001).all()


def test_no_half_file_is_left_or_taken_for_an_image(store):
    frame = walk.frame(3)
    store.put(3, frame.color, frame.depth_m)
    store.flush()
    assert sorted(path.name for path in store.folder.iterdir()) == ["000003.jpg", "000003.png"]
    (store.folder / "000002.jpg.tmp").write_bytes(b"what a killed process was writing")
    (store.folder / "000009.jpg").write_bytes(b"an image whose row was never committed")
    (store.folder / "notes.txt").write_text("somebody's own")
    frame_files.clean_up(store.folder, keep_below=9)
    left = sorted(path.name for path in store.folder.iterdir())
    assert left == ["000003.jpg", "000003.png", "notes.txt"]


def test_image_that_is_not_there_is_named(store):
    with pytest.raises(SceneMemoryError, match="frame 6 has no stored image"):
        frame_files.read_jpeg(store.folder, 6)


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
    assert [store.has(number) for number in range(20)] == taken
    store.close()


def test_full_disk_is_counted_and_logged_once(store, caplog):
    frames = [walk.frame(number, noisy_images=number % 2 == 1) for number in range(6)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))  # the noisy images are larger
    try:
        for frame in frames:
            store.put(frame.number, frame.color, frame.depth_m)
        store.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [store.has(number) for number in range(6)] == [True, False] * 3
    assert (store.counts.written, store.counts.failed) == (3, 3)
    assert not list(store.folder.glob("*.tmp"))
    assert len(caplog.records) == 1
    assert "key frame 1 was not stored" in caplog.text


def test_other_programs_can_read_the_images(store):
    frame = walk.frame(4)
    store.put(4, frame.color, frame.depth_m)
    store.flush()
    depth_mm = cv2.imread(str(frame_files.depth_path(store.folder, 4)), cv2.IMREAD_UNCHANGED)
    assert depth_mm.dtype == np.uint16
    assert np.unique(depth_mm).tolist() == [1004]
