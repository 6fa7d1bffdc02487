"""The viewpoint of a person or camera: where left and right are seen from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, Pose

# An agent is a column this wide (LLM-TPC takes a cube of 0.3 m; height is no matter here).
AGENT_WIDTH_M = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Viewpoint:
    """A person's or camera's place and heading.

    Attributes:
        position: (3,) float64, world, metres.
        ahead: (2,) float64: unit heading in the ground plane.
        origin: its source in words.
    """

    position: NDArray[np.float64]
    ahead: NDArray[np.float64]
    origin: str

    @classmethod
    def of_body(cls, world_T_body: Pose, origin: str = "the given viewpoint") -> Viewpoint:
        """The viewpoint of a body or head with x forward and z up (REP-103)."""
        axes = world_T_body.rotation
        return cls(world_T_body.translation, _level(axes[:, 0], axes[:, 2]), origin)

    @classmethod
    def of_camera(
        cls, world_T_camera: Pose, origin: str = "the camera's latest position"
    ) -> Viewpoint:
        """The viewpoint of an optical frame: z forward, y down."""
        axes = world_T_camera.rotation
        return cls(world_T_camera.translation, _level(axes[:, 2], -axes[:, 1]), origin)

    @classmethod
    def looking(
        cls, position: NDArray[np.float64], target: NDArray[np.float64], origin: str
    ) -> Viewpoint:
        """The viewpoint at one place (2,) on the floor who looks at another; along x if they are
        one."""
        way = target - position
        length = float(np.linalg.norm(way))
        ahead = way / length if length > 1e-3 else np.array((1.0, 0.0))
        return cls(np.append(position, 0.0), ahead, origin)

    @property
    def box(self) -> Box3D:
        """The viewer as a thing without extent."""
        x, y, z = self.position.tolist()
        return Box3D((x, y, z), (0.0, 0.0, 0.0))

    @property
    def body(self) -> Box3D:
        """The viewer as a thing 0.3 m wide and turned where it looks."""
        x, y, z = self.position.tolist()
        yaw = float(np.arctan2(self.ahead[1], self.ahead[0]))
        return Box3D((x, y, z), (AGENT_WIDTH_M,) * 3, yaw)

    @property
    def right(self) -> NDArray[np.float64]:
        """(2,) unit, world."""
        return np.array((self.ahead[1], -self.ahead[0]))

    def describe(self) -> str:
        x, y, _ = self.position.tolist()
        return f"{self.origin} at x {x:.1f}, y {y:.1f}"


def _level(forward: NDArray[np.float64], up: NDArray[np.float64]) -> NDArray[np.float64]:
    """The heading (2,) in the ground plane; of a view straight down, that of its up axis."""
    flat = forward[:2] if float(np.linalg.norm(forward[:2])) > 1e-3 else up[:2]
    return np.asarray(flat / np.linalg.norm(flat))
