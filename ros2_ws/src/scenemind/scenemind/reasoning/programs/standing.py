"""Where who asks stands."""

from __future__ import annotations

from scenemind.memory import MemorySnapshot
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.types import Query


def find_viewpoint(query: Query, snapshot: MemorySnapshot) -> Viewpoint | None:
    """The viewpoint that was given, else the camera's; None where neither is known, or where the
    person describes another place in words."""
    if query.viewpoint is not None:
        return Viewpoint.of_body(query.viewpoint)
    if query.situation.strip() or snapshot.world_T_camera is None:
        return None
    return Viewpoint.of_camera(snapshot.world_T_camera)
