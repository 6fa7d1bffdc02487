"""What is known of the marked object: attributes, what it is related to, its best views."""

from __future__ import annotations

from collections.abc import Sequence

import viser

from scenemind.memory import (
    KeyFrame,
    MapObject,
    MemoryAccess,
    MemorySnapshot,
    Relation,
    SceneMemoryError,
)
from scenemind.memory.graph.relations.names import RELATION_NAMES
from scenemind.memory.history.stamps import show_stamp
from scenemind.viewer.choices import Choice, ChoiceRows, OnChoose, named
from scenemind.viewer.html import lines, panel, shown, small, strip, table
from scenemind.viewer.marked_picture import thumbnail

_VIEWS = 2
_MOST_ROWS, _MOST_NEIGHBORS = 8, 6
_NARROWING = ("besides", "next to", "near")
_HINT = "Click a thing in the picture to mark it: then it is “this”."
_EMPTY = "Nothing has been mapped yet. What the robot sees appears here by itself."
_MANY = "{} things are marked. Click one of them for more."
LOOK_AT = -1  # in place of a frame's number: at the object itself


class ObjectPanel:
    """The same for all who look. Only what is different is drawn anew."""

    def __init__(
        self, gui: viser.GuiApi, memory: MemoryAccess, on_mark: OnChoose, on_fly: OnChoose
    ) -> None:
        """
        Args:
            on_mark: gets the id of an object. on_fly: gets the number of a frame, or `LOOK_AT`.
        """
        self._memory = memory
        self._views: tuple[int, ...] = ()
        self._about = gui.add_html("")
        self._graph_title = gui.add_html(small("Related to"), visible=False)
        self._graph = ChoiceRows(gui, _MOST_ROWS, on_mark)
        self._pictures = gui.add_html("", visible=False)
        self._fly = ChoiceRows(gui, 1, on_fly)

    def show(self, thing: MapObject | None, scene: MemorySnapshot, marked_count: int) -> None:
        """
        Args:
            thing: the one that is marked; None: there is none or more than one.
            marked_count: how many are.
        """
        if thing is None:
            hint = _HINT if scene.objects else _EMPTY
            self._about.content = small(_MANY.format(marked_count) if marked_count else hint)
            self._graph_title.visible = self._pictures.visible = False
            self._graph.show([])
            self._fly.show([])
            self._views = ()
            return
        self._about.content = about(thing, scene)
        neighbors = neighbors_of(thing.object_id, scene)
        self._graph_title.visible = bool(neighbors)
        self._graph.show(neighbors)
        self._show_views(thing.object_id)

    def _show_views(self, object_id: int) -> None:
        try:
            frames = self._memory.key_frames_of([object_id], _VIEWS)
        except SceneMemoryError:  # an object without its pictures is still worth showing
            frames = []
        views = (object_id, *(frame.frame_number for frame in frames))
        if views != self._views:
            self._views = views
            self._draw_views(object_id, frames)

    def _draw_views(self, object_id: int, frames: Sequence[KeyFrame]) -> None:
        pictures = [
            (file, f"frame {frame.frame_number}, {show_stamp(frame.stamp_ns)}")
            for frame in frames
            if (file := thumbnail(frame, [object_id]))
        ]
        self._pictures.visible = bool(pictures)
        self._pictures.content = strip(pictures)
        numbers = {f"frame {frame.frame_number}": frame.frame_number for frame in frames}
        self._fly.show([Choice("Fly to", {"the thing": LOOK_AT, **numbers})])


def about(thing: MapObject, scene: MemorySnapshot) -> str:
    """HTML: its name, attributes, what of the building it is related to, and where it was."""
    title = f"<b>{shown(thing.label)}</b> (object {thing.object_id})"
    if thing.corrected:
        title += ", corrected"
    rows = [(shown(key.replace("_", " ")), shown(value)) for key, value in thing.attributes.items()]
    if thing.label != thing.perceived_label:
        rows.append(("perceived as", shown(thing.perceived_label)))
    x, y, z = thing.box.center
    rows.append(("centre", f"x {x:.2f}, y {y:.2f}, z {z:.2f} m"))
    rows.append(("confidence", f"{100.0 * thing.confidence:.0f} %"))
    rows.append(("last seen", shown(show_stamp(thing.last_seen_ns))))
    building = _building_of(thing.object_id, scene)
    if building:
        rows.append(("building", shown("; ".join(building))))
    parts = [title, table(rows)]
    if thing.stays:
        parts.append(small(lines(stays_of(thing))))
    return panel(lines(parts))


def stays_of(thing: MapObject) -> list[str]:
    """HTML: where it was before."""
    said = []
    for stay in thing.stays:
        x, y, z = stay.box.center
        said.append(
            f"was at x {x:.1f}, y {y:.1f}, z {z:.1f} m from {shown(show_stamp(stay.first_seen_ns))}"
            f" until {shown(show_stamp(stay.last_seen_ns))}"
        )
    return said


def neighbors_of(object_id: int, scene: MemorySnapshot) -> list[Choice]:
    """The local scene graph: predicate -> objects; what people said first, then the surest. Of what
    is beside, next to and near it only the narrowest is told."""
    found: dict[str, dict[str, int]] = {}
    beside: set[int] = set()
    for relation in sorted(scene.relations, key=_rank):
        title, other_id = _told(relation, object_id)
        other = scene.objects.get(other_id)
        if not title or other is None or (title in _NARROWING and other_id in beside):
            continue
        if title in _NARROWING:
            beside.add(other_id)
        options = found.setdefault(title, {})
        if len(options) < _MOST_NEIGHBORS:
            options[named(other.label, other_id)] = other_id
    return [Choice(title, options) for title, options in found.items()]


def _rank(relation: Relation) -> tuple[bool, int, float]:
    narrowness = _NARROWING.index(relation.predicate) if relation.predicate in _NARROWING else -1
    return relation.source != "user", narrowness, -relation.confidence


def _told(relation: Relation, object_id: int) -> tuple[str, int]:
    """How it is said of an object, and of which other; nothing where it is not to be said."""
    if relation.subject_id == object_id:
        return relation.predicate, relation.object_id
    if relation.object_id != object_id:
        return "", 0
    name = RELATION_NAMES.get(relation.predicate)
    # What the graph states in both directions is told from the other one.
    is_twice = name is not None and name.stored and not name.one_way
    if is_twice and relation.source == "geometry":
        return "", 0
    inverse = name.inverse if name is not None else None
    return inverse or f"{relation.predicate} it", relation.subject_id


def _building_of(object_id: int, scene: MemorySnapshot) -> list[str]:
    """Of next to and near the wall only the first."""
    said: dict[str, None] = {}
    for relation in sorted(scene.relations, key=_rank):
        if relation.subject_id != object_id or relation.object_id not in scene.structure:
            continue
        kind = scene.structure[relation.object_id].kind
        is_told = any(f"{word} the {kind}" in said for word in _NARROWING)
        if not (relation.predicate in _NARROWING and is_told):
            said[f"{relation.predicate} the {kind}"] = None
    return list(said)
