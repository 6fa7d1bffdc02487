"""Where left and right are seen from."""

from __future__ import annotations

from scenemind.memory import MemorySnapshot
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.types import Query


def viewpoint_of(query: Query, snapshot: MemorySnapshot) -> Viewpoint:
    """The query's viewpoint, else the camera's latest pose.

    Raises:
        ReasoningError: `not_found`, where neither is known.
    """
    if query.viewpoint is not None:
        return Viewpoint.of_body(query.viewpoint)
    if snapshot.world_T_camera is None:
        raise ReasoningError(
            "not_found",
            "That depends on where one stands, and neither a viewpoint was given nor a camera pose"
            " is known.",
        )
    return Viewpoint.of_camera(snapshot.world_T_camera)
