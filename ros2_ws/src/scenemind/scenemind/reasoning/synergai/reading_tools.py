"""Tools that look something up (paper, table I, the first five; and ours)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field

from scenemind.memory import MapObject, SceneMemoryError
from scenemind.memory.finding.finder import LONGEST_TEXT, ObjectFinder
from scenemind.memory.graph.relate import DIRECTIONS, OCLOCK, query_relation_agent, relate
from scenemind.memory.history import SceneChange
from scenemind.models import ChatModel
from scenemind.reasoning.synergai.agent_scene import AgentScene
from scenemind.reasoning.synergai.looking import look_at
from scenemind.reasoning.synergai.observations import named
from scenemind.reasoning.synergai.toolbox import ToolError
from scenemind.words.quoting import quoted, tame


def _no_truth_value(value: object) -> object:
    """Which pydantic would take for 0 or 1."""
    if isinstance(value, bool):
        raise ValueError("should be a number, not true or false")
    return value


Number = Annotated[int, BeforeValidator(_no_truth_value)]
Id = Annotated[Number, Field(description="id of an object")]
Ids = Annotated[list[Number], Field(description="ids of objects, such as [3, 12]")]
Point = Annotated[
    list[float], Field(min_length=3, max_length=3, description="x, y, z in metres, z up")
]

_MOST_FOUND = 50
_MOST_CHANGES = 20


class ReadingTools:
    """Of one request. Each returns what the agent is told."""

    def __init__(self, scene: AgentScene, vision: ChatModel | None) -> None:
        self._scene = scene
        self._vision = vision
        self._finder = ObjectFinder()

    def query_for_objects(
        self,
        query: Annotated[str, Field(description="names or properties, such as: blue box")],
    ) -> str:
        """Find the objects that a few words mean, by name, synonym or attribute, with position,
        size and attributes of each. Use it first for anything that the person names. Names that
        perception gave may be wrong: where nothing fits, ask for a more general word."""
        words = tame(query, LONGEST_TEXT)
        if not words:
            raise ToolError("query is empty: say what to find")
        snapshot = self._scene.snapshot
        self._finder.refresh(snapshot.objects)
        try:
            found = self._finder.find(words, _MOST_FOUND)
        except SceneMemoryError as error:
            raise ToolError(str(error)) from error
        if not found:
            kinds = sorted({thing.label for thing in snapshot.objects.values()})
            return f"No object is like {quoted(words)}. There are: {', '.join(map(quoted, kinds))}."
        return self._scene.tell([snapshot.objects[f.object_id] for f in found])

    def query_for_relations(
        self,
        object_ids: Ids,
        relation: Annotated[
            str,
            Field(description="only those that are so to each object: left, behind, near, ..."),
        ] = "",
    ) -> str:
        """How objects stand to others: what supports them, what is on, in, above, near and next to
        them. With a relation: which objects are in that relation to each of them, such as left for
        what is left of it. Left, right, front and behind are as the robot sees it now."""
        things = self._scene.get_all(object_ids)
        if not relation.strip():
            return self._scene.tell(things, with_relations=True)
        lines = [self._in_relation(thing, relation) for thing in things]
        return self._scene.counted("\n".join(lines))

    def query_from_robot(self, object_ids: Ids) -> str:
        """Where objects are as seen from where the robot (or the person) stands now: left, right,
        front or back, with the hour of the clock and the distance."""
        viewpoint = self._scene.viewpoint
        if viewpoint is None:
            raise ToolError("it is not known where the robot stands: use positions instead")
        lines = []
        for thing in self._scene.get_all(object_ids):
            words = query_relation_agent(thing, (*DIRECTIONS, OCLOCK), self._scene.context)
            away = np.linalg.norm(np.asarray(thing.box.center[:2]) - viewpoint.position[:2])
            name = named(thing.object_id, self._scene.snapshot)
            lines.append(f"The {name} is {', '.join(words)}, {away:.1f} m away.")
        return self._scene.counted("\n".join(lines))

    def find_marked_object(self) -> str:
        """The objects that the person has marked, by a click or by what was just spoken of: "this",
        "that", "the marked object"."""
        marked = [
            i for i in self._scene.query.marked_object_ids if i in self._scene.snapshot.objects
        ]
        if not marked:
            raise ToolError("nothing is marked: ask the person to click the object, or to name it")
        return self._scene.tell(self._scene.get_all(marked), with_relations=True)

    def calculate_mid_point(self, points: Annotated[list[Point], Field(min_length=1)]) -> str:
        """The point in the middle of points, such as the positions of objects."""
        x, y, z = np.mean(points, axis=0).tolist()
        return f"The midpoint is [{x:.2f}, {y:.2f}, {z:.2f}]."

    def find_object_closest(
        self,
        point: Point,
        except_ids: Annotated[list[Number], Field(description="ids not to be returned")] = [],  # noqa: B006
    ) -> str:
        """The object whose centre is closest to a point."""
        objects = self._scene.snapshot.objects
        left = [thing for i, thing in objects.items() if i not in set(except_ids)]
        if not left:
            raise ToolError("all objects are excepted")
        centers = np.array([thing.box.center for thing in left])
        nearest = int(np.linalg.norm(centers - np.array(point), axis=1).argmin())
        return self._scene.tell([left[nearest]])

    def query_for_changes(self) -> str:
        """What is different since the visit before this one: added, removed, moved things."""
        try:
            changes = self._scene.memory.changes_since().changes
        except SceneMemoryError as error:
            raise ToolError(str(error)) from error
        if not changes:
            return "Nothing has changed that was noticed."
        return self._scene.counted("\n".join(map(_change, changes[:_MOST_CHANGES])))

    def look_at_object(
        self, object_id: Id, question: Annotated[str, Field(description="about the object alone")]
    ) -> str:
        """Ask a vision model about a picture of one object: its material, state, text on it, or
        what it really is. Use it where attributes do not say, or may be wrong."""
        if self._vision is None:
            raise ToolError("there is no vision model: only attributes are known")
        thing = self._scene.get(object_id)
        said = look_at(self._vision, self._scene, thing, question)
        return f"Seen in a picture of {named(object_id, self._scene.snapshot)}: {quoted(said)}."

    def _in_relation(self, thing: MapObject, relation: str) -> str:
        objects = list(self._scene.snapshot.objects.values())
        try:
            found = relate(objects, thing, tame(relation), self._scene.context)
        except SceneMemoryError as error:
            raise ToolError(str(error)) from error
        name = named(thing.object_id, self._scene.snapshot)
        if not found:
            return f"Nothing is {tame(relation)} with regard to the {name}."
        others = [named(f.thing.object_id, self._scene.snapshot) for f in found]
        return f"In the relation {tame(relation)} to the {name}, best first: {_bounded(others)}."


def _bounded(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_CHANGES} more" if len(names) > _MOST_CHANGES else ""
    return f"{', '.join(names[:_MOST_CHANGES])}{more}"


def _change(change: SceneChange) -> str:
    away = "" if change.distance_m is None else f" by {change.distance_m:.1f} m"
    return f"The {quoted(change.label)} (id: {change.object_id}) is {change.kind}{away}."
