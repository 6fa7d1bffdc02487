"""A simulated room as stored frames of a memory, with its true boxes and with masks, exact or with
a network's errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.config import StoreConfig
from scenemind.evaluation.sources import ObjectsMemory
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.frames.images import decode_compressed_depth, encode_color_file
from scenemind.geometry import iou_matrix_2d
from scenemind.memory import DepthImage, FrameIndex, KeyFrame, MemorySnapshot
from scenemind.memory.disk.images import encode_depth
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import noisy_mask
from scenemind.perception.types import BoxMask, Detections
from scenemind.reasoning.vlm_grounder.targets import BoxPx
from scenemind.simulation import DepthNoise, Room, Sensors, simulate
from scenemind.simulation.renderer import Renderer

MaskKind = Literal["exact", "coarse", "erring"]
_BOX_SIGMA_PX = 2.0
_WRONG_EXTENT = 0.18  # IoU of SAM's masks (paper, Table 10)


class TrueMasks:
    """A `Segmenter` that returns the object whose extent fits the box best."""

    def __init__(self, masks: Mapping[int, Mapping[int, BoxMask]], kind: MaskKind) -> None:
        """Create a segmenter for a drive.

        Args:
            masks: frame number -> instance id -> exact mask of its visible part.
            kind: coarse: masks are shifted, rounded and frayed, and cut to an inexact box;
                erring: in addition, some cover the whole box, or half of the object.
        """
        self._masks = masks
        self._kind = kind
        self.name = f"{kind} masks of a simulated room"

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`."""
        size_px = frame.camera.width, frame.camera.height
        return tuple(self.mask_of(frame.number, box_px, size_px) for box_px in boxes_px)

    def mask_of(
        self, number: int, box_px: NDArray[np.floating], size_px: tuple[int, int]
    ) -> BoxMask | None:
        """Mask of one box in the frame of that number; None if nothing overlaps the box.

        Args:
            size_px: width and height of the frame.
        """
        masks = self._masks[number]
        instance = find_instance(masks, box_px)
        if instance is None:
            return None
        mask = masks[instance]
        if self._kind == "exact":
            return mask
        rng = np.random.default_rng((number, instance))
        box, most = np.array(extent_px(mask)), np.tile(mask.bits.shape[::-1], 2) / 4
        box += np.clip(rng.normal(0.0, _BOX_SIGMA_PX, 4), -most, most)
        coarse = noisy_mask(mask, np.clip(box, 0, size_px * 2), rng.normal(), 1.0, rng)
        return _misjudged(coarse, rng) if self._kind == "erring" else coarse


def instance_masks(instances: NDArray[np.int32], found: Detections) -> dict[int, BoxMask]:
    """Masks of an instance camera's detections in its image (H, W), by instance id."""
    masks = {}
    for mask in found.masks:
        assert mask is not None
        height, width = mask.bits.shape
        window = instances[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width]
        masks[int(window[mask.bits][0])] = mask
    return masks


def find_instance(
    masks: Mapping[int, BoxMask], box_px: NDArray[np.floating], least_iou: float = 0.0
) -> int | None:
    """Instance whose extent fits a box (4,) best; None if no overlap is above the limit."""
    if not masks:
        return None
    extents = np.array([extent_px(mask) for mask in masks.values()])
    iou = iou_matrix_2d(np.asarray(box_px)[None], extents)[0]
    best = int(np.argmax(iou))
    return list(masks)[best] if iou[best] > least_iou else None


def extent_px(mask: BoxMask) -> BoxPx:
    height, width = mask.bits.shape
    return (float(mask.x_px), float(mask.y_px), float(mask.x_px + width), float(mask.y_px + height))


def _misjudged(mask: BoxMask, rng: np.random.Generator) -> BoxMask:
    """Mask that is sometimes everything in the box, or one half of the object only."""
    if rng.random() >= _WRONG_EXTENT:
        return mask
    bits = np.ones_like(mask.bits)
    if rng.random() < 0.5:
        middle = bits.shape[1] // 2
        half = slice(None, middle) if rng.random() < 0.5 else slice(middle, None)
        bits[:, half] = False
        bits &= mask.bits
    return BoxMask(mask.x_px, mask.y_px, bits)


_SIZE_PX = 640, 480
_SCORE = 0.95
_STORE = StoreConfig()


@dataclass(frozen=True, slots=True, eq=False)
class FilmedFrame:
    """A rendered frame with ground truth.

    Attributes:
        masks: instance id -> exact mask of its visible part.
        exact_m: (H, W) float32, depth without noise.
    """

    frame: KeyFrame
    depth: DepthImage
    masks: Mapping[int, BoxMask]
    exact_m: NDArray[np.float32]


class FilmedRoom(ObjectsMemory):
    """A drive with every frame stored as a memory stores key frames: JPEG, and depth of every
    second pixel. Object ids are instance ids."""

    def __init__(self, room: Room, frames: Sequence[FilmedFrame]) -> None:
        super().__init__(MemorySnapshot(1, 0, {}, (), None))
        self.room = room
        self.frames = frames
        self._index = _index_of(frames, room)

    @property
    def masks(self) -> Mapping[int, Mapping[int, BoxMask]]:
        """Frame number -> instance id -> exact mask of its visible part."""
        return {number: filmed.masks for number, filmed in enumerate(self.frames)}

    def stored_frames(self) -> Sequence[int]:
        """Numbers of all frames."""
        return range(len(self.frames))

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        """A frame with all its boxes."""
        del object_ids
        return self.frames[frame_number].frame

    def depth_image(self, frame_number: int) -> DepthImage:
        return self.frames[frame_number].depth

    def frame_index(self) -> FrameIndex:
        return self._index


def film_room(seed: int, frame_count: int, noise: DepthNoise) -> FilmedRoom:
    """Drive through the room of that seed, looking around."""
    sequence = simulate(seed, frame_count, Sensors(*_SIZE_PX, noise))
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
