"""A .sens file byte for byte, by the format that ScanNet publishes (SensReader/README.md)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

COLOR_K = np.array([(40.0, 0, 15.5, 0), (0, 41.0, 11.5, 0), (0, 0, 1, 0), (0, 0, 0, 1)])
DEPTH_K = np.array([(20.0, 0, 7.5, 0), (0, 21.0, 5.5, 0), (0, 0, 1, 0), (0, 0, 0, 1)])
LOST = np.full((4, 4), -np.inf)


def jpeg(color: NDArray[np.uint8]) -> bytes:
    return bytes(cv2.imencode(".jpg", cv2.cvtColor(color, cv2.COLOR_RGB2BGR))[1])


@dataclass(frozen=True)
class SensFrame:
    """
    Attributes:
        color: the stored bytes.
        depth: the stored bytes.
        pose: camera to world.
    """

    color: bytes
    depth: bytes
    pose: NDArray[np.float64]
    color_us: int = 0
    depth_us: int = 0


@dataclass(frozen=True)
class Sens:
    """The contents of a file; the defaults are ScanNet's with small images."""

    frames: Sequence[SensFrame]
    version: int = 4
    name: bytes = b"StructureSensor"
    color_k: NDArray[np.float64] = field(default_factory=COLOR_K.copy)
    depth_k: NDArray[np.float64] = field(default_factory=DEPTH_K.copy)
    base_T_color: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
    base_T_depth: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
    color_kind: int = 2
    depth_kind: int = 1
    color_size: tuple[int, int] = (32, 24)
    depth_size: tuple[int, int] = (16, 12)
    units_per_m: float = 1000.0
    imu_readings: int = 2

    def data(self) -> bytes:
        parts = [struct.pack("<IQ", self.version, len(self.name)), self.name]
        matrices = (self.color_k, self.base_T_color, self.depth_k, self.base_T_depth)
        parts += [struct.pack("<16f", *matrix.ravel()) for matrix in matrices]
        parts.append(struct.pack("<ii", self.color_kind, self.depth_kind))
        parts.append(struct.pack("<IIII", *self.color_size, *self.depth_size))
        parts.append(struct.pack("<fQ", self.units_per_m, len(self.frames)))
        for frame in self.frames:
            parts.append(struct.pack("<16f", *frame.pose.ravel()))
            parts.append(struct.pack("<QQ", frame.color_us, frame.depth_us))
            parts.append(struct.pack("<QQ", len(frame.color), len(frame.depth)))
            parts += [frame.color, frame.depth]
        parts.append(struct.pack("<Q", self.imu_readings))
        parts += [struct.pack("<15dQ", *range(15), 7)] * self.imu_readings
        return b"".join(parts)


def made_depths(count: int) -> NDArray[np.uint16]:
    """(count, 12, 16) in millimetres, with holes."""
    return np.random.default_rng(3).integers(0, 5000, (count, 12, 16)).astype("<u2")


def made_color(number: int) -> NDArray[np.uint8]:
    """(24, 32, 3) that JPEG keeps nearly as it is."""
    return np.full((24, 32, 3), (10 * number, 128, 255 - 10 * number), np.uint8)


def made_frames(poses: Sequence[NDArray[np.float64]]) -> list[SensFrame]:
    """Stamped 30 times a second, from 1 s on; depth a little later."""
    depths = made_depths(len(poses))
    return [
        SensFrame(
            color=jpeg(made_color(n)),
            depth=zlib.compress(depth.tobytes()),
            pose=pose,
            color_us=1_000_000 + 33_333 * n,
            depth_us=1_004_000 + 33_333 * n,
        )
        for n, (pose, depth) in enumerate(zip(poses, depths, strict=True))
    ]
