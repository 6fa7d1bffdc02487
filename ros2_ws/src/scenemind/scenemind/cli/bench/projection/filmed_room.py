"""A simulated room as frames in a memory, with the truth beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.cli.bench.projection.true_masks import extent_px, instance_masks
from scenemind.config import StoreConfig
from scenemind.evaluation.objects_memory import ObjectsMemory
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.frames.compressed_depth import decode_compressed_depth
from scenemind.frames.encodings import encode_color_file
from scenemind.memory import DepthImage, FrameIndex, KeyFrame, MemorySnapshot
from scenemind.memory.disk.frame_files import encode_depth
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.types import BoxMask
from scenemind.simulation import DepthNoise, Room, simulate
from scenemind.simulation.renderer import Renderer

_SIZE_PX = 640, 480
_SCORE = 0.95
_STORE = StoreConfig()


@dataclass(frozen=True, slots=True, eq=False)
class FilmedFrame:
    """
    Attributes:
        masks: instance id -> its visible part, exactly.
        exact_m: (H, W) float32, depth without noise.
    """

    frame: KeyFrame
    depth: DepthImage
    masks: Mapping[int, BoxMask]
    exact_m: NDArray[np.float32]


class FilmedRoom(ObjectsMemory):
    """Every frame of a drive is stored, as a memory stores key frames: JPEG, and depth of every
    second pixel. Object ids are instance ids."""

    def __init__(self, room: Room, frames: Sequence[FilmedFrame]) -> None:
        super().__init__(MemorySnapshot(1, 0, {}, (), None))
        self.room = room
        self.frames = frames
        self._index = _index_of(frames, room)

    @property
    def masks(self) -> Mapping[int, Mapping[int, BoxMask]]:
        """Frame number -> instance id -> its visible part, exactly."""
        return {number: filmed.masks for number, filmed in enumerate(self.frames)}

    def stored_frames(self) -> Sequence[int]:
        """All."""
        return range(len(self.frames))

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        """With all boxes."""
        del object_ids
        return self.frames[frame_number].frame

    def depth_image(self, frame_number: int) -> DepthImage:
        return self.frames[frame_number].depth

    def frame_index(self) -> FrameIndex:
        return self._index


def film_room(seed: int, frame_count: int, noise: DepthNoise) -> FilmedRoom:
    """Drive through the room of that seed, looking about."""
    sequence = simulate(seed, frame_count, *_SIZE_PX, noise)
    camera = InstanceCamera(sequence.class_names)
    renderer = Renderer(sequence.room, sequence.camera)
    frames = [
        _filmed(frame, camera, renderer.render(frame.world_T_camera).depth_m)
        for frame in read_sequence(sequence)
    ]
    return FilmedRoom(sequence.room, frames)


def _filmed(
    frame: RGBDFrame, detector: InstanceCamera, exact_m: NDArray[np.float32]
) -> FilmedFrame:
    assert frame.instances is not None
    masks = instance_masks(frame.instances, detector.detect(frame))
    boxes = {instance: extent_px(mask) for instance, mask in masks.items()}
    every_px = _STORE.depth_every_px
    png = encode_depth(frame.depth_m, every_px, _STORE.depth_error_1m_m)
    depth_m = decode_compressed_depth(png, "16UC1; png compressed")
    key_frame = KeyFrame(
        frame.number,
        frame.stamp_ns,
        0,
        frame.camera,
        frame.world_T_camera,
        encode_color_file(frame.color),
        boxes_px=boxes,
    )
    depth = DepthImage(depth_m, every_px, frame.camera.subsampled(every_px))
    return FilmedFrame(key_frame, depth, masks, exact_m)


def _index_of(frames: Sequence[FilmedFrame], room: Room) -> FrameIndex:
    names = sorted(set(room.class_names.values()))
    rows = [
        (row, names.index(room.class_names[instance]), instance, box_px)
        for row, filmed in enumerate(frames)
        for instance, box_px in filmed.frame.boxes_px.items()
    ]
    count = len(frames)
    return FrameIndex(
        frame_numbers=np.arange(count, dtype=np.int32),
        stamps_ns=np.array([f.frame.stamp_ns for f in frames], np.int64),
        location_ids=np.zeros(count, np.int32),
        world_T_camera=np.stack([f.frame.world_T_camera.matrix() for f in frames]),
        camera_indices=np.zeros(count, np.int32),
        cameras=(frames[0].frame.camera,),
        detection_frames=np.array([row[0] for row in rows], np.int32),
        detection_labels=np.array([row[1] for row in rows], np.int32),
        detection_objects=np.array([row[2] for row in rows], np.int32),
        detection_scores=np.full(len(rows), _SCORE, np.float32),
        detection_boxes_px=np.array([row[3] for row in rows], np.float32).reshape(-1, 4),
        labels=tuple(names),
    )
