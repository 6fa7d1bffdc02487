"""The tools of the agent (SynergAI, table I): reading the scene graph, correcting it, ending the
turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import cv2
import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from scenemind.frames import FrameError
from scenemind.frames.images import decode_color_file, encode_color_file
from scenemind.language.quoting import quoted, tame
from scenemind.language.speech_acts import words_in
from scenemind.memory import Edit, MapObject, SceneMemoryError
from scenemind.memory.finding.finder import LONGEST_TEXT, ObjectFinder
from scenemind.memory.graph.corrections.separation import find_split_places
from scenemind.memory.graph.relation_query import DIRECTIONS, OCLOCK, query_relation_agent, relate
from scenemind.memory.graph.relations.names import canonical_relation
from scenemind.memory.history import SceneChange
from scenemind.memory.types import NOTE
from scenemind.models import ChatMessage, ChatModel, ask_for
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.synergai.agent_scene import AgentScene, named
from scenemind.reasoning.synergai.toolbox import ToolError


def _no_truth_value(value: object) -> object:
    """Rejects bool, which pydantic would accept as 0 or 1."""
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
    """Tools that read the scene graph (table I, the first five, and further ones). Each returns an
    observation."""

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
            found = self._scene.memory.changes_since()
        except SceneMemoryError as error:
            raise ToolError(str(error)) from error
        if not found.changes:
            return found.note or "Nothing has changed that was noticed."
        return self._scene.counted("\n".join(map(_change, found.changes[:_MOST_CHANGES])))

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


_PROMPTS = "scenemind.reasoning.synergai"
_MARGIN = 0.4  # of the box's sides, around it
_RED, _LINE_PX = (255, 0, 0), 2
_LONGEST_QUESTION, _LONGEST_SEEN = 300, 200


class Seen(BaseModel):
    """The form of the vision model's reply."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(description="a few words")


def look_at(vision: ChatModel, scene: AgentScene, thing: MapObject, question: str) -> str:
    """The vision model's answer about one object, in the stored frame that shows it best.

    Raises:
        ToolError: no stored image shows the object.
        ModelError: the model failed, or the allowance is used up.
    """
    asked = f"The question about the thing in the red box: {quoted(question, _LONGEST_QUESTION)}"
    messages = [
        ChatMessage("system", read_prompt(_PROMPTS, "look")),
        ChatMessage("user", asked, (_crop(scene, thing),)),
    ]
    said = ask_for(vision, messages, Seen, scene.asking.allowance)
    return tame(said.answer, _LONGEST_SEEN)


def _crop(scene: AgentScene, thing: MapObject) -> bytes:
    """The object's surroundings in that frame, with its box in red.

    Raises:
        ToolError: there is none.
    """
    try:
        frames = scene.memory.key_frames_of([thing.object_id], 1)
        frame = next(f for f in frames if thing.object_id in f.boxes_px)
        color = decode_color_file(frame.jpeg).copy()
    except (StopIteration, SceneMemoryError, FrameError) as error:
        raise ToolError(f"no stored picture shows object {thing.object_id}") from error
    height, width = color.shape[:2]
    x0, y0, x1, y1 = frame.boxes_px[thing.object_id]
    cv2.rectangle(color, (round(x0), round(y0)), (round(x1), round(y1)), _RED, _LINE_PX)
    dx, dy = _MARGIN * (x1 - x0), _MARGIN * (y1 - y0)
    rows = slice(max(0, int(y0 - dy)), min(height, int(y1 + dy) + 1))
    columns = slice(max(0, int(x0 - dx)), min(width, int(x1 + dx) + 1))
    scene.asking.progress.report(
        "look", f"object {thing.object_id} in frame {frame.frame_number}", [frame]
    )
    return encode_color_file(color[rows, columns])


_SPEAKER = words_in("speaker")
_LONGEST_NAME, _LONGEST_VALUE = 60, 120
_NOTED = "Noted; it is written when you give the final answer."
Name = Annotated[str, Field(description="a short name, such as toolbox")]


class EditingTools:
    """Tools that correct the scene graph (table I, alignment). Edits are staged, not written."""

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
        """Correct attributes of one object: color, material, shape, state, owner, purpose, and
        others. Hints: 1. If several objects could be meant, ask with ask_back instead. 2. Give only
        what the person has told. 3. A fact that is no attribute is a note, in the person's words:
        {"note": "came with the flat"}."""
        thing = self._scene.get(object_id)
        if not attributes:
            raise ToolError("attributes is empty: give at least one")
        return self._stage(
            [
                Edit(
                    "set_attribute",
                    (thing.object_id,),
                    key=_said(key, _LONGEST_NAME).lower(),
                    value=self._value(key, value),
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
        places = find_split_places(thing.points, count)
        if places is None:
            raise ToolError(f"there is no gap that parts {object_id} in {count}: leave it whole")
        return self._stage([Edit("split", (object_id,), places=tuple(places))])

    def delete_object(self, object_id: Id) -> str:
        """Say that there is no such thing: perception has made it up."""
        return self._stage([Edit("delete_object", (self._scene.get(object_id).object_id,))])

    def _value(self, key: str, value: str) -> str:
        """The value of an attribute; an owner called "me" by the name.

        Raises:
            ToolError: it is empty, or is who speaks, whose name is not known.
        """
        is_speaker = tame(value).lower().removeprefix("the ") in _SPEAKER
        if key.lower() != "owner" or not is_speaker:
            return _said(value, _LONGEST_VALUE)
        if not self._scene.query.by:
            raise ToolError("it is not known who speaks: use ask_back for the name")
        return self._scene.query.by

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
    """The effect of each edit, in a sentence."""
    return [_in_words(scene, edit) for edit in edits]


def _in_words(scene: AgentScene, edit: Edit) -> str:
    first, *others = (named(object_id, scene.snapshot) for object_id in edit.object_ids)
    if edit.kind == "rename":
        return f"The {first} is called {quoted(edit.value)}."
    if edit.key == NOTE:
        return f"A note on the {first}: {quoted(edit.value, _LONGEST_VALUE)}."
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
    """A name or value from the person, in plain words.

    Raises:
        ToolError: nothing is left of it as a name or value.
    """
    plain = tame(text, longest).strip(" \"'.")
    if not plain:
        raise ToolError(f"{quoted(text)} is no name or value: use plain words")
    return plain


_LONGEST_ANSWER = 1200


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of the agent's run.

    Attributes:
        asks_back: the text is a question to the person, with `object_ids` as candidates.
    """

    text: str
    object_ids: tuple[int, ...]
    asks_back: bool = False


class EndingTools:
    """Tools that end the run (table I, the last two, and a question back).

    Attributes:
        ending: None until the agent chooses one.
    """

    def __init__(self, scene: AgentScene) -> None:
        self._scene = scene
        self._shown: tuple[int, ...] = ()
        self.ending: Ending | None = None

    def post_process(self, object_ids: Ids) -> str:
        """Show the objects that your answer is about to the person, the most relevant first. Use it
        right before final_answer, when there are such objects."""
        self._shown = tuple(t.object_id for t in self._scene.get_all(object_ids))
        return "They are shown to the person."

    def final_answer(
        self, answer: Annotated[str, Field(description="one or two sentences for the person")]
    ) -> str:
        """End with the answer, or with what you did. Name objects with their ids."""
        self.ending = Ending(_plain(answer), self._shown)
        return ""

    def ask_back(
        self,
        question: Annotated[str, Field(description="one sentence for the person")],
        candidate_ids: Ids,
    ) -> str:
        """End with a question to the person, where several objects could be meant: all of them are
        shown as candidates, and nothing is changed."""
        ids = tuple(t.object_id for t in self._scene.get_all(candidate_ids))
        self.ending = Ending(_plain(question), ids, asks_back=True)
        return ""


def _plain(text: str) -> str:
    """
    Raises:
        ToolError: nothing is left of it.
    """
    plain = tame(text, _LONGEST_ANSWER)
    if not plain:
        raise ToolError("that is empty: write a sentence")
    return plain


class StagedEdits:
    """Edits that the agent collects during a request. They are written together at its end, or not
    at all: a failure leaves nothing half done, and one "undo" takes back all of them."""

    def __init__(self) -> None:
        self._edits: list[Edit] = []

    def __len__(self) -> int:
        return len(self._edits)

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(self._edits)

    def add(self, edits: Sequence[Edit]) -> None:
        """Stage edits; a later edit replaces an earlier one on the same subject."""
        for edit in edits:
            self._edits = [known for known in self._edits if _about(known) != _about(edit)]
            self._edits.append(edit)

    def clear(self) -> None:
        """Drop all edits."""
        self._edits.clear()


def _about(edit: Edit) -> tuple[object, ...]:
    """The subject of an edit, on which only the last edit counts."""
    if edit.kind in ("add_relation", "delete_relation"):
        return ("relation", edit.object_ids, edit.key)
    return (edit.kind, edit.object_ids, edit.key, edit.value if edit.key == NOTE else "")
