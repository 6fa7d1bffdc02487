"""A simulated room, mapped under a condition, with the truth beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from scenemind.cli.bench.projection.calibration.conditions import Condition
from scenemind.cli.bench.projection.true_masks import TrueMasks, instance_masks
from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.geometry import Box3D
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.perception.backends.depth_segmenter import DepthSegmenter
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.perception.protocols import Detector, Segmenter
from scenemind.perception.types import BoxMask
from scenemind.simulation import SimObject, SimulatedSequence, simulate

_SIZE_PX = 640, 480


@dataclass(frozen=True, slots=True, eq=False)
class MappedDrive:
    """
    Attributes:
        masks: frame number -> instance id -> its visible part, exactly; of stored frames.
    """

    sequence: SimulatedSequence
    memory: Memory
    masks: Mapping[int, Mapping[int, BoxMask]]
    condition: Condition

    def segmenter(self) -> Segmenter:
        kind = self.condition.masks
        return DepthSegmenter() if kind == "depth" else TrueMasks(self.masks, kind)

    def true_box(self, thing: SimObject, frame_number: int) -> Box3D:
        """In the map's frame, as odometry had drifted by then."""
        drift = self.sequence.world_T_odometry(frame_number).inverse()
        x, y, z = drift.transform(np.array(thing.box.center)).tolist()
        turn = float(np.arctan2(drift.rotation[1, 0], drift.rotation[0, 0]))
        return Box3D((x, y, z), thing.box.size, thing.box.yaw + turn)


@contextmanager
def mapped_drive(seed: int, condition: Condition, frames: int) -> Iterator[MappedDrive]:
    """Drive through the room of that seed and map it; images stay as a robot would keep them."""
    sequence = simulate(
        seed, frames, *_SIZE_PX, condition.depth_noise, odometry_noise=condition.odometry_noise
    )
    camera = InstanceCamera(sequence.class_names)
    detector: Detector = camera
    if condition.detector_errs:
        detector = NoisyDetector(camera, DetectorNoise(), seed)
    config, masks = SceneMindConfig(), {}
    with Memory.create(None, config) as memory:
        mapper = Mapper(detector, memory, config)
        for frame in read_sequence(sequence):
            assert frame.instances is not None
            mapper.process(frame)
            masks[frame.number] = instance_masks(frame.instances, camera.detect(frame))
            memory.flush()  # frames come faster here than from a camera: none is dropped
        stored = {number: masks[number] for number in memory.stored_frames()}
        yield MappedDrive(sequence, memory, stored, condition)
