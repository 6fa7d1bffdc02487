"""The scene graph of one request, and the observations that the agent gets of it (SynergAI,
appendix, part C).

Names and attributes are perceived or said: they are quoted, so that none of them is an order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scenemind.config import RelationConfig
from scenemind.language.quoting import quoted, tame
from scenemind.memory import MapObject, MemoryAccess, MemorySnapshot
from scenemind.memory.graph.relation_query import RelationContext
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.memory.tree.tree_json import estimate_tokens
from scenemind.reasoning.method import Asking, snapshot_with_objects
from scenemind.reasoning.programs import find_viewpoint
from scenemind.reasoning.query import Query
from scenemind.reasoning.synergai.toolbox import ToolError

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
        """The object of an id.

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
        """The objects of ids, each once, in their order.

        Raises:
            ToolError: none is given, or one of them is not there.
        """
        if not object_ids:
            raise ToolError("name at least one object by its id")
        return [self.get(object_id) for object_id in dict.fromkeys(object_ids)]

    def tell(self, things: Sequence[MapObject], with_relations: bool = False) -> str:
        """The observation of objects: position, size, attributes, and relations if wanted (paper,
        appendix C)."""
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
        """A text, counted as retrieved from the scene graph."""
        self.told_tokens += estimate_tokens(text)
        return text

    def query_ratio(self) -> float:
        """Query ratio: tokens of the retrieved parts over those of the whole graph (paper, section
        IV)."""
        whole = whole_graph_tokens(self.snapshot)
        return self.told_tokens / whole if whole else 0.0


_MOST_ATTRIBUTES, _MOST_RELATED = 12, 12  # of an object; of a relation


def named(object_id: int, scene: MemorySnapshot) -> str:
    """`"chair" (id: 3)`; floors, walls and ceilings have negative ids."""
    thing = scene.objects.get(object_id)
    if thing is not None:
        return f"{quoted(thing.label)} (id: {object_id})"
    plane = scene.structure.get(object_id)
    return f"{plane.kind if plane else 'thing'} (id: {object_id})"


def about(thing: MapObject, scene: MemorySnapshot) -> Iterator[str]:
    """Position, size and attributes of an object, a sentence each."""
    name = named(thing.object_id, scene)
    position, size = _numbers(thing.box.center), _numbers(thing.box.size)
    yield f"The position of the {name} is {position}, its size {size}."
    known = [f"{tame(k)}: {tame(v)}" for k, v in list(thing.attributes.items())[:_MOST_ATTRIBUTES]]
    if known:
        yield f"The {name} has attributes: {', '.join(map(quoted, known))}."


def related(thing: MapObject, scene: MemorySnapshot) -> Iterator[str]:
    """The stored relations of an object, a sentence for each predicate; those of people are
    marked."""
    by_predicate: dict[str, list[str]] = {}
    own = thing.object_id
    about_it = [r for r in scene.relations if own in (r.subject_id, r.object_id)]
    for relation in sorted(about_it, key=lambda r: -r.confidence):
        if relation.subject_id == thing.object_id:
            said = " as a person said" if relation.source == "user" else ""
            other = f"{named(relation.object_id, scene)}{said}"
            by_predicate.setdefault(relation.predicate, []).append(other)
        elif relation.object_id == thing.object_id and relation.predicate in _CARRIED:
            other = named(relation.subject_id, scene)
            by_predicate.setdefault(_CARRIED[relation.predicate], []).append(other)
    for predicate, others in by_predicate.items():
        yield sentence(thing, predicate, others, scene)


def sentence(thing: MapObject, predicate: str, others: Sequence[str], scene: MemorySnapshot) -> str:
    """ "The "box" (id: 21) is supporting "book" (id: 49)." """
    shown = ", ".join(others[:_MOST_RELATED])
    more = f" and {len(others) - _MOST_RELATED} more" if len(others) > _MOST_RELATED else ""
    return f"The {named(thing.object_id, scene)} is {tame(predicate)} {shown}{more}."


def whole_graph_tokens(scene: MemorySnapshot) -> int:
    """Estimated tokens of the whole scene graph as observations."""
    things = scene.objects.values()
    told = (line for t in things for line in (*about(t, scene), *related(t, scene)))
    return estimate_tokens("\n".join(told))


def _numbers(values: Sequence[float]) -> str:
    return f"[{', '.join(f'{value:.2f}' for value in values)}]"


# Relations that are stored in one direction -> their statement on the carrier.
_CARRIED = {
    "on": "supporting",
    "inside": "containing",
    "embedded in": "embedding",
    "hanging on": "hung with",
    "mounted on": "mounted with",
    "affixed on": "affixed with",
}
