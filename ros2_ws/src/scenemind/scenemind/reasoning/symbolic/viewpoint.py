"""Where left and right are seen from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import MemorySnapshot
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.types import Query


@dataclass(frozen=True, slots=True, eq=False)
class Viewpoint:
    """A person's or camera's place and heading.

    Attributes:
        position: (3,) float64, world, metres.
        ahead: (2,) float64: unit heading in the ground plane.
        origin: what gave it, in words.
    """

    position: NDArray[np.float64]
    ahead: NDArray[np.float64]
    origin: str

    @property
    def box(self) -> Box3D:
        """The viewer as a thing without extent."""
        x, y, z = self.position.tolist()
        return Box3D((x, y, z), (0.0, 0.0, 0.0))

    @property
    def behind_xy(self) -> NDArray[np.float64]:
        """A point behind the back (2,): seen from there, the viewer looks straight ahead."""
        return np.asarray(self.position[:2] - self.ahead)

    def describe(self) -> str:
        x, y, _ = self.position.tolist()
        return f"{self.origin} at x {x:.1f}, y {y:.1f}"


def viewpoint_of(query: Query, snapshot: MemorySnapshot) -> Viewpoint:
    """The query's viewpoint, else the camera's latest pose.

    Raises:
        ReasoningError: `not_found`, where neither is known.
    """
    if query.viewpoint is not None:
        axes = query.viewpoint.rotation
        return Viewpoint(
            query.viewpoint.translation, _level(axes[:, 0], axes[:, 2]), "the given viewpoint"
        )
    if snapshot.world_T_camera is None:
        raise ReasoningError(
            "not_found",
            "That depends on where one stands, and neither a viewpoint was given nor a camera pose"
            " is known.",
        )
    axes = snapshot.world_T_camera.rotation
    return Viewpoint(
        snapshot.world_T_camera.translation,
        _level(axes[:, 2], -axes[:, 1]),
        "the camera's latest position",
    )


def _level(forward: NDArray[np.float64], up: NDArray[np.float64]) -> NDArray[np.float64]:
    """The heading in the ground plane; who looks straight down heads where the scalp points."""
    flat = forward[:2] if float(np.linalg.norm(forward[:2])) > 1e-3 else up[:2]
    return np.asarray(flat / np.linalg.norm(flat))
