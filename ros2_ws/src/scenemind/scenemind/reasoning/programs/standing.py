"""Where who asks stands."""

from __future__ import annotations

from scenemind.memory import MemorySnapshot
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.situated.standing import find_viewpoint as find_described
from scenemind.reasoning.types import Query
from scenemind.words.vocabulary import Vocabulary


def find_viewpoint(query: Query, snapshot: MemorySnapshot) -> Viewpoint | None:
    """The viewpoint that was given; else where the person's words put them, by rules; else the
    camera's. None where none of them is known, or where the words describe a place that the rules
    do not find."""
    if query.viewpoint is not None:
        return Viewpoint.of_body(query.viewpoint)
    if query.situation.strip() and snapshot.objects:
        return find_described(query.situation, Scene(snapshot), Vocabulary.load())
    if query.situation.strip() or snapshot.world_T_camera is None:
        return None
    return Viewpoint.of_camera(snapshot.world_T_camera)
