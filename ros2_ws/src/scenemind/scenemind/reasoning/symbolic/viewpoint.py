"""Where left and right are seen from."""

from __future__ import annotations

from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.situated.standing import find_viewpoint
from scenemind.reasoning.types import Query
from scenemind.words.vocabulary import Vocabulary


def viewpoint_of(query: Query, scene: Scene, vocabulary: Vocabulary) -> Viewpoint:
    """The query's viewpoint, else where its situation puts it, else the camera's latest pose.

    Raises:
        ReasoningError: `not_found`, where none of them is known.
    """
    if query.viewpoint is not None:
        return Viewpoint.of_body(query.viewpoint)
    told = find_viewpoint(query.situation, scene, vocabulary) if query.situation else None
    if told is not None:
        return told
    if scene.snapshot.world_T_camera is None:
        raise ReasoningError(
            "not_found",
            "That depends on where one stands, and neither a viewpoint was given nor a camera pose"
            " is known.",
        )
    return Viewpoint.of_camera(scene.snapshot.world_T_camera)
