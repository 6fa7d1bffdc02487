"""The index of stored frames, frame by frame, for comparison with the frames themselves."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from scenemind.memory import FrameIndex, MemoryAccess

BoxPx = tuple[float, float, float, float]


def shown_in(index: FrameIndex, row: int) -> dict[int, BoxPx]:
    """Object -> its surest box in one frame."""
    best: dict[int, tuple[float, BoxPx]] = {}
    for i in np.flatnonzero(index.detection_frames == row):
        object_id, score = int(index.detection_objects[i]), float(index.detection_scores[i])
        if object_id and score > best.get(object_id, (-1.0, ()))[0]:
            best[object_id] = score, tuple(index.detection_boxes_px[i].tolist())
    return {object_id: box for object_id, (_, box) in best.items()}


def assert_is_of_the_key_frames(index: FrameIndex, memory: MemoryAccess) -> None:
    """Assert that the index agrees with every stored frame."""
    assert index.frame_numbers.tolist() == list(memory.stored_frames())
    assert (np.diff(index.detection_frames) >= 0).all()
    for row, number in enumerate(index.frame_numbers.tolist()):
        frame = memory.key_frame(number)
        assert (index.stamps_ns[row], index.location_ids[row]) == (
            frame.stamp_ns,
            frame.location_id,
        )
        assert index.cameras[index.camera_indices[row]] == frame.camera
        np.testing.assert_allclose(
            index.world_T_camera[row], frame.world_T_camera.matrix(), atol=1e-12
        )
        assert shown_in(index, row) == dict(frame.boxes_px)


def assert_same_index(a: FrameIndex, b: FrameIndex) -> None:
    """Assert that poses are equal up to rounding, and all else exactly."""
    for column in fields(FrameIndex):
        ours, theirs = getattr(a, column.name), getattr(b, column.name)
        if column.name == "world_T_camera":
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
        elif isinstance(ours, tuple):
            assert ours == theirs, column.name
        else:
            assert ours.dtype == theirs.dtype, column.name
            np.testing.assert_array_equal(ours, theirs, column.name)
