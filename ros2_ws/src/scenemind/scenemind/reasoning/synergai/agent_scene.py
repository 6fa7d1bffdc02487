"""What the tools of one request work on."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.config import RelationConfig
from scenemind.memory import MapObject, MemoryAccess
from scenemind.memory.graph.relation_query import RelationContext
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.memory.tree.token_estimate import estimate_tokens
from scenemind.reasoning.method import Asking
from scenemind.reasoning.programs import find_viewpoint
from scenemind.reasoning.snapshots import snapshot_with_objects
from scenemind.reasoning.synergai.observations import about, related, whole_graph_tokens
from scenemind.reasoning.synergai.toolbox import ToolError
from scenemind.reasoning.types import Query

_NAMED_IDS = 12


class AgentScene:
    """One snapshot, seen from where the robot is now.

    Attributes:
        told_tokens: of the scene graph, so far.
    """

    def __init__(
        self,
        memory: MemoryAccess,
        query: Query,
        asking: Asking,
        relations: RelationConfig,
        most_objects: int,
    ) -> None:
        self.memory = memory
        self.snapshot = snapshot_with_objects(memory)
        self.query = query
        self.asking = asking
        self.viewpoint: Viewpoint | None = find_viewpoint(query, self.snapshot)
        self.context = RelationContext.of_snapshot(self.snapshot, self.viewpoint, relations)
        self.told_tokens = 0
        self._most_objects = most_objects

    def get(self, object_id: int) -> MapObject:
        """
        Raises:
            ToolError: there is no such object.
        """
        thing = self.snapshot.objects.get(object_id)
        if thing is not None:
            return thing
        if object_id in self.snapshot.structure:
            raise ToolError(f"{object_id} is a part of the building, and no object")
        known = list(self.snapshot.objects)
        shown = ", ".join(map(str, known[:_NAMED_IDS]))
        more = f" and {len(known) - _NAMED_IDS} more" if len(known) > _NAMED_IDS else ""
        raise ToolError(f"there is no object {object_id}; there are {shown}{more}")

    def get_all(self, object_ids: Sequence[int]) -> list[MapObject]:
        """Each once, in their order.

        Raises:
            ToolError: none is given, or one of them is not there.
        """
        if not object_ids:
            raise ToolError("name at least one object by its id")
        return [self.get(object_id) for object_id in dict.fromkeys(object_ids)]

    def tell(self, things: Sequence[MapObject], with_relations: bool = False) -> str:
        """An observation about objects."""
        shown = things[: self._most_objects]
        lines: list[str] = []
        for thing in shown:
            lines += about(thing, self.snapshot)
            if with_relations:
                lines += related(thing, self.snapshot)
        if len(things) > len(shown):
            lines.append(f"There are {len(things) - len(shown)} more: ask for something narrower.")
        return self.counted("\n".join(lines))

    def counted(self, text: str) -> str:
        """The same text, as told of the scene graph."""
        self.told_tokens += estimate_tokens(text)
        return text

    def query_ratio(self) -> float:
        """Tokens that were told over those of the whole graph (paper, section IV)."""
        whole = whole_graph_tokens(self.snapshot)
        return self.told_tokens / whole if whole else 0.0
