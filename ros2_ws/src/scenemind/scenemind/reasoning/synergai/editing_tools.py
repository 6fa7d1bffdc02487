"""Tools that correct the scene graph (paper, table I), through the corrections journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from scenemind.memory import Edit, SceneMemoryError
from scenemind.memory.graph.relations.names import canonical_relation
from scenemind.reasoning.symbolic.parting import find_parts
from scenemind.reasoning.synergai.agent_scene import AgentScene
from scenemind.reasoning.synergai.observations import named
from scenemind.reasoning.synergai.reading_tools import Id, Ids, Number
from scenemind.reasoning.synergai.staged_edits import StagedEdits
from scenemind.reasoning.synergai.toolbox import ToolError
from scenemind.words.quoting import quoted, tame

_LONGEST_NAME, _LONGEST_VALUE = 60, 120
_NOTED = "Noted; it is written when you give the final answer."

Name = Annotated[str, Field(description="a short name, such as toolbox")]


class EditingTools:
    """Of one request."""

    def __init__(self, scene: AgentScene, staged: StagedEdits) -> None:
        self._scene = scene
        self._staged = staged

    def update_name(self, names: list[Name], object_ids: Ids) -> str:
        """Correct the names of objects: a name for each, or one for all. Hints: 1. If several
        objects could be meant, do not call this: ask the person with ask_back. 2. Only for what the
        person has told, never for what you suppose."""
        things = self._scene.get_all(object_ids)
        if len(names) == 1:
            names = names * len(things)
        if len(names) != len(things):
            raise ToolError(f"{len(names)} names for {len(things)} objects: give one each, or one")
        edits = [
            Edit("rename", (thing.object_id,), value=_said(name, _LONGEST_NAME))
            for thing, name in zip(things, names, strict=True)
        ]
        return self._stage(edits)

    def update_attributes(
        self,
        object_id: Id,
        attributes: Annotated[
            dict[str, str],
            Field(description='those that change, such as {"color": "grey", "material": "wood"}'),
        ],
    ) -> str:
        """Correct attributes of one object: color, material, shape, state, and others. Hints: 1. If
        several objects could be meant, do not call this: ask the person with ask_back. 2. Give only
        what the person has told; other attributes stay as they are. 3. Owners and purposes are
        attributes too: {"owner": "Anna"}."""
        thing = self._scene.get(object_id)
        if not attributes:
            raise ToolError("attributes is empty: give at least one")
        return self._stage(
            [
                Edit(
                    "set_attribute",
                    (thing.object_id,),
                    key=_said(key, _LONGEST_NAME).lower(),
                    value=_said(value, _LONGEST_VALUE),
                )
                for key, value in attributes.items()
            ]
        )

    def add_relation(self, subject_id: Id, object_id: Id, relation: str) -> str:
        """Say that the subject is in a relation to the object (a wall or the floor has a negative
        id): on, inside, hanging on, next to, left, ..."""
        return self._relation("add_relation", subject_id, object_id, relation)

    def delete_relation(self, subject_id: Id, object_id: Id, relation: str) -> str:
        """Say that the subject is not in that relation to the object."""
        return self._relation("delete_relation", subject_id, object_id, relation)

    def merge_objects(self, object_ids: Annotated[list[Number], Field(min_length=2)]) -> str:
        """Say that objects are one and the same thing, seen twice; the first keeps its name."""
        things = self._scene.get_all(object_ids)
        if len(things) < 2:
            raise ToolError("merging needs two different objects")
        return self._stage([Edit("merge", tuple(thing.object_id for thing in things))])

    def split_object(
        self,
        object_id: Id,
        count: Annotated[int, Field(ge=2, le=4, description="how many things it is")],
    ) -> str:
        """Say that one object is several things that were seen as one: it is parted where there are
        gaps in its surface."""
        thing = self._scene.get(object_id)
        places = find_parts(thing.points, count)
        if places is None:
            raise ToolError(f"there is no gap that parts {object_id} in {count}: leave it whole")
        return self._stage([Edit("split", (object_id,), places=tuple(places))])

    def delete_object(self, object_id: Id) -> str:
        """Say that there is no such thing: perception has made it up."""
        return self._stage([Edit("delete_object", (self._scene.get(object_id).object_id,))])

    def _relation(
        self,
        kind: Literal["add_relation", "delete_relation"],
        subject_id: int,
        object_id: int,
        relation: str,
    ) -> str:
        ends = []
        for end in (subject_id, object_id):
            is_building = end in self._scene.snapshot.structure
            ends.append(end if is_building else self._scene.get(end).object_id)
        try:
            predicate = canonical_relation(relation).name
        except SceneMemoryError as error:
            raise ToolError(str(error)) from error
        return self._stage([Edit(kind, (ends[0], ends[1]), key=predicate)])

    def _stage(self, edits: list[Edit]) -> str:
        self._staged.add(edits)
        return f"{_NOTED} {' '.join(changes_in_words(self._scene, edits))}"


def changes_in_words(scene: AgentScene, edits: Sequence[Edit]) -> list[str]:
    """A sentence each: what becomes of what."""
    return [_in_words(scene, edit) for edit in edits]


def _in_words(scene: AgentScene, edit: Edit) -> str:
    first, *others = (named(object_id, scene.snapshot) for object_id in edit.object_ids)
    if edit.kind == "rename":
        return f"The {first} is called {quoted(edit.value)}."
    if edit.kind == "set_attribute":
        return f"The {edit.key} of the {first} is {quoted(edit.value, _LONGEST_VALUE)}."
    if edit.kind == "merge":
        return f"The {first} and {', '.join(others)} are one thing."
    if edit.kind == "split":
        return f"The {first} is {len(edit.places)} things."
    if edit.kind == "delete_object":
        return f"There is no {first}."
    verb = "is" if edit.kind == "add_relation" else "is not"
    return f"The {first} {verb} {edit.key} the {others[0]}."


def _said(text: str, longest: int) -> str:
    """
    Raises:
        ToolError: nothing is left of it as a name or value.
    """
    plain = tame(text, longest).strip(" \"'.")
    if not plain:
        raise ToolError(f"{quoted(text)} is no name or value: use plain words")
    return plain
