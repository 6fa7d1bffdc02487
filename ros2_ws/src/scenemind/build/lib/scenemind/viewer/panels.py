"""Panels of the browser view: the marked object, search by words, corrections and changes."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from scenemind.language.english import with_article
from scenemind.memory import (
    Correction,
    KeyFrame,
    MapObject,
    MemoryAccess,
    MemorySnapshot,
    Relation,
    SceneMemoryError,
)
from scenemind.memory.finding import ObjectFinder
from scenemind.memory.graph.relations import RELATION_NAMES
from scenemind.memory.history import SceneChange
from scenemind.memory.history.timeline import show_stamp
from scenemind.viewer.scene_view import color_of
from scenemind.viewer.widgets import (
    Choice,
    ChoiceRows,
    OnChoose,
    escaped,
    lines,
    object_button,
    panel,
    plain,
    small,
    strip,
    swatch,
    table,
    thumbnail,
)

if TYPE_CHECKING:
    import viser


_VIEWS = 2
_MOST_ROWS, _MOST_NEIGHBORS = 8, 6
_NARROWING = ("besides", "next to", "near")  # each implies those behind it
_HINT = "Click an object in the picture to mark it: then it is “this”."
_EMPTY = "Nothing has been mapped yet. Objects appear here as the robot sees them."
_MANY = "{} objects are marked. Click one of them for details."
LOOK_AT = -1  # the object itself, in place of a frame number
_MOST_FOUND = 24
_MOST_KINDS = 40
_KIND = "display:inline-block;max-width:100%;margin-right:0.9em"  # no line break within a label
_MOST_ENTRIES = 20
_MOST_GONE = 8
OnFound = Callable[[Sequence[int]], object]
OnChanged = Callable[[], object]


class ObjectPanel:
    """Attributes, relations and best views of the marked object, the same in all browsers."""

    def __init__(
        self, gui: viser.GuiApi, memory: MemoryAccess, on_mark: OnChoose, on_fly: OnChoose
    ) -> None:
        """
        Args:
            on_mark: called with an object id. on_fly: called with a frame number or `LOOK_AT`.
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
            thing: the marked object; None: none or several are marked.
            marked_count: number of marked objects.
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
        except SceneMemoryError:  # shown without pictures
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
        self._fly.show([Choice("Fly to", {"the object": LOOK_AT, **numbers})])


def about(thing: MapObject, scene: MemorySnapshot) -> str:
    """HTML: its name, attributes, what of the building it is related to, and where it was."""
    title = f"<b>{escaped(thing.label)}</b> (object {thing.object_id})"
    if thing.corrected:
        title += ", corrected"
    rows = [
        (escaped(key.replace("_", " ")), escaped(value)) for key, value in thing.attributes.items()
    ]
    if thing.label != thing.perceived_label:
        rows.append(("perceived as", escaped(thing.perceived_label)))
    x, y, z = thing.box.center
    rows.append(("centre", f"x {x:.2f}, y {y:.2f}, z {z:.2f} m"))
    rows.append(("confidence", f"{100.0 * thing.confidence:.0f} %"))
    for label, probability in thing.alternatives.items():
        rows.append(("may be", f"{escaped(with_article(label))} ({100.0 * probability:.0f} %)"))
    if thing.is_completed:
        rows.append(("measured", f"{thing.measured_share:.0%} of the box"))
    rows.append(("last seen", escaped(show_stamp(thing.last_seen_ns))))
    building = _building_of(thing.object_id, scene)
    if building:
        rows.append(("building", escaped("; ".join(building))))
    parts = [title, table(rows)]
    if thing.stays:
        parts.append(small(lines(stays_of(thing))))
    return panel(lines(parts))


def stays_of(thing: MapObject) -> list[str]:
    """Earlier places of an object, as HTML."""
    stays = []
    for stay in thing.stays:
        x, y, z = stay.box.center
        first, last = (escaped(show_stamp(ns)) for ns in (stay.first_seen_ns, stay.last_seen_ns))
        stays.append(f"was at x {x:.1f}, y {y:.1f}, z {z:.1f} m from {first} until {last}")
    return stays


def neighbors_of(object_id: int, scene: MemorySnapshot) -> list[Choice]:
    """The local scene graph, one row a predicate: relations of people first, then the most
    confident. Of "besides", "next to" and "near" an object appears under the narrowest only."""
    found: dict[str, dict[str, int]] = {}
    beside: set[int] = set()
    for relation in sorted(scene.relations, key=_rank):
        title, other_id = _relation_from(relation, object_id)
        other = scene.objects.get(other_id)
        if not title or other is None or (title in _NARROWING and other_id in beside):
            continue
        if title in _NARROWING:
            beside.add(other_id)
        options = found.setdefault(title, {})
        if len(options) < _MOST_NEIGHBORS:
            options[object_button(other.label, other_id)] = other_id
    return [Choice(title, options) for title, options in found.items()]


def _rank(relation: Relation) -> tuple[bool, int, float]:
    narrowness = _NARROWING.index(relation.predicate) if relation.predicate in _NARROWING else -1
    return relation.source != "user", narrowness, -relation.confidence


def _relation_from(relation: Relation, object_id: int) -> tuple[str, int]:
    """The predicate as seen from an object, and the other object's id; ("", 0): not shown."""
    if relation.subject_id == object_id:
        return relation.predicate, relation.object_id
    if relation.object_id != object_id:
        return "", 0
    name = RELATION_NAMES.get(relation.predicate)
    # The graph stores this relation in the other direction too.
    is_twice = name is not None and name.stored and not name.one_way
    if is_twice and relation.source == "geometry":
        return "", 0
    inverse = name.inverse if name is not None else None
    return inverse or f"{relation.predicate} it", relation.subject_id


def _building_of(object_id: int, scene: MemorySnapshot) -> list[str]:
    """Relations to the building; of "next to" and "near" the wall only the first."""
    said: dict[str, None] = {}
    for relation in sorted(scene.relations, key=_rank):
        if relation.subject_id != object_id or relation.object_id not in scene.structure:
            continue
        kind = scene.structure[relation.object_id].kind
        is_told = any(f"{word} the {kind}" in said for word in _NARROWING)
        if not (relation.predicate in _NARROWING and is_told):
            said[f"{relation.predicate} the {kind}"] = None
    return list(said)


class FindPanel:
    """Tab with a search by words, for each browser its own, and a legend of labels for all."""

    def __init__(
        self, gui: viser.GuiApi, tab: viser.GuiTabHandle, on_mark: OnChoose, on_found: OnFound
    ) -> None:
        """
        Args:
            on_mark: called with an object id. on_found: called with the ids of all found objects.
        """
        self._tab = tab
        self._on_mark = on_mark
        self._on_found = on_found
        self._scene: MemorySnapshot | None = None
        self._lock = threading.Lock()  # for the finder and the tab
        self._finder = ObjectFinder()
        with tab:
            self._legend = gui.add_html("", order=1.0)

    def add_line(self, client: viser.ClientHandle) -> None:
        """Add an input line for a new browser."""
        with self._lock, self._tab:
            # Above the legend.
            form = client.gui.add_form(None, order=0.0)
            with form:
                line = client.gui.add_text("Find", "", hint='such as "red chair"')
                client.gui.add_button("Find").on_click(lambda _: form.submit())
            results = client.gui.add_folder(None, order=0.5)
            with results:
                told = client.gui.add_html("", visible=False)
                rows = ChoiceRows(client.gui, 1, self._on_mark)

        def find(_: object) -> None:
            words = line.value.strip()
            found = self.find(words) if words else []
            rows.show(
                [Choice("Found", {object_button(t.label, t.object_id): t.object_id for t in found})]
            )
            told.visible = bool(words) and not found
            told.content = small(f"No object matches {escaped(words)}.")
            self._on_found([thing.object_id for thing in found])

        form.on_submit(find)

    def find(self, words: str) -> list[MapObject]:
        """Objects that match words, best first."""
        scene = self._scene
        if scene is None:
            return []
        try:
            with self._lock:
                self._finder.refresh(scene.objects)
                found = self._finder.find(words, _MOST_FOUND)
        except SceneMemoryError:  # no word with a meaning
            return []
        return [scene.objects[one.object_id] for one in found]

    def show(self, scene: MemorySnapshot) -> None:
        """Show the labels of a scene in their colours."""
        self._scene = scene
        kinds = Counter(thing.label for thing in scene.objects.values())
        named_kinds = sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))
        more = len(named_kinds) - _MOST_KINDS
        words = [
            f'<span style="{_KIND}">{swatch(color_of(label))}'
            f"{escaped(label)}{f' ({count})' if count > 1 else ''}</span> "
            for label, count in named_kinds[:_MOST_KINDS]
        ]
        words += [f"and {more} more kinds"] if more > 0 else []
        total = f"<div><b>{len(scene.objects)} objects</b></div>"
        self._legend.content = small(f'{total}<div style="line-height:1.7">{"".join(words)}</div>')


class JournalPanel:
    """Corrections with undo and redo, changes and removed objects, the same in all browsers."""

    def __init__(
        self, gui: viser.GuiApi, memory: MemoryAccess, on_mark: OnChoose, on_changed: OnChanged
    ) -> None:
        """
        Args:
            on_mark: called with an object id. on_changed: called when the memory has changed.
        """
        self._memory = memory
        self._on_changed = on_changed
        gui.add_html(small("<b>Corrections</b>"))
        self._entries = gui.add_html("")
        self._undo = ChoiceRows(gui, 1, self._undo_entry)
        self._redo = ChoiceRows(gui, 1, self._redo_entry)
        gui.add_html(small("<b>Changes since the visit before</b>"))
        self._changes = gui.add_html("")
        self._mark = ChoiceRows(gui, 1, on_mark)
        gui.add_html(small("<b>Gone</b>"))
        self._gone = gui.add_html("")

    def show(self, scene: MemorySnapshot) -> None:
        """Show the journal of the memory and the changes up to a snapshot.

        Raises:
            SceneMemoryError: the memory does not answer.
        """
        entries = self._memory.corrections()[-_MOST_ENTRIES:][::-1]
        words = [_entry(entry) for entry in entries] or ["No corrections yet."]
        self._entries.content = small(lines(words))
        self._undo.show([Choice("Undo", {f"{e.correction_id}": e.correction_id for e in entries
                                         if not e.undone})])  # fmt: skip
        self._redo.show([Choice("Redo", {f"{e.correction_id}": e.correction_id for e in entries
                                         if e.undone})])  # fmt: skip
        self._show_changes(scene)
        gone = sorted(scene.gone.values(), key=lambda thing: -thing.last_seen_ns)[:_MOST_GONE]
        self._gone.content = small(lines([_gone(thing) for thing in gone] or ["None."]))

    def _show_changes(self, scene: MemorySnapshot) -> None:
        try:
            changes = self._memory.changes_since().changes
            words = [_change(change) for change in changes[:_MOST_ENTRIES]] or ["None."]
        except SceneMemoryError as error:  # such as: there was no earlier visit
            changes, words = (), [escaped(str(error))]
        self._changes.content = small(lines(words))
        here = [c for c in changes[:_MOST_ENTRIES] if c.object_id in scene.objects]
        self._mark.show(
            [Choice("Mark", {object_button(c.label, c.object_id): c.object_id for c in here})]
        )

    def _undo_entry(self, client: viser.ClientHandle | None, number: int) -> None:
        _notify(client, lambda: f"Undone: {self._memory.undo(number).reason}")
        self._on_changed()

    def _redo_entry(self, client: viser.ClientHandle | None, number: int) -> None:
        _notify(client, lambda: f"Redone: {self._memory.redo(number).reason}")
        self._on_changed()


def _notify(client: viser.ClientHandle | None, act: Callable[[], str]) -> None:
    """Run an action and show its result, or its error, to the client that clicked."""
    try:
        title, text = "Done", act()
    except SceneMemoryError as error:
        title, text = "Not done", str(error)
    if client is not None:
        client.add_notification(title, plain(text, 300), auto_close_seconds=5.0)


def _entry(entry: Correction) -> str:
    edit = entry.edit
    things = ", ".join(str(object_id) for object_id in edit.object_ids)
    done = " ".join(part for part in (edit.kind.replace("_", " "), edit.key, edit.value) if part)
    words = f"{entry.correction_id}. <b>{escaped(done)}</b> ({things}): “{escaped(entry.reason)}”"
    if entry.undone:
        words = f"<s>{words}</s>"
    return f"{words}, {escaped(entry.by)}, {escaped(show_stamp(entry.stamp_ns))}"


def _change(change: SceneChange) -> str:
    away = "" if change.distance_m is None else f" by {change.distance_m:.1f} m"
    old = f" (was {escaped(change.old_label)})" if change.old_label else ""
    return f"{escaped(change.label)} {change.object_id}: {escaped(change.kind)}{away}{old}"


def _gone(thing: MapObject) -> str:
    when = escaped(show_stamp(thing.last_seen_ns))
    doubt = ", thought a ghost" if thing.is_ghost else ""
    return f"{escaped(thing.label)} {thing.object_id}, last seen {when}{doubt}"
