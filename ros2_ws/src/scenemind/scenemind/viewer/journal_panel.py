"""Corrections, each with undo, and what has changed since the visit before."""

from __future__ import annotations

from collections.abc import Callable

import viser

from scenemind.memory import (
    Correction,
    MapObject,
    MemoryAccess,
    MemorySnapshot,
    SceneMemoryError,
)
from scenemind.memory.history import SceneChange
from scenemind.memory.history.stamps import show_stamp
from scenemind.viewer.choices import Choice, ChoiceRows, OnChoose, named
from scenemind.viewer.html import lines, plain, shown, small

_SHOWN = 20
_GONE = 8

OnChanged = Callable[[], object]


class JournalPanel:
    """The same for all who look."""

    def __init__(
        self, gui: viser.GuiApi, memory: MemoryAccess, on_mark: OnChoose, on_changed: OnChanged
    ) -> None:
        """
        Args:
            on_mark: gets the id of an object. on_changed: the memory is another one now.
        """
        self._memory = memory
        self._on_changed = on_changed
        gui.add_html(small("<b>Corrections</b>"))
        self._entries = gui.add_html("")
        self._undo = ChoiceRows(gui, 1, self._take_back)
        self._redo = ChoiceRows(gui, 1, self._let_stand)
        gui.add_html(small("<b>Changes since the visit before</b>"))
        self._changes = gui.add_html("")
        self._mark = ChoiceRows(gui, 1, on_mark)
        gui.add_html(small("<b>Gone</b>"))
        self._gone = gui.add_html("")

    def show(self, scene: MemorySnapshot) -> None:
        """
        Raises:
            SceneMemoryError: the memory does not answer.
        """
        entries = self._memory.corrections()[-_SHOWN:][::-1]
        words = [_entry(entry) for entry in entries] or ["Nothing was corrected yet."]
        self._entries.content = small(lines(words))
        self._undo.show([Choice("Undo", {f"{e.correction_id}": e.correction_id for e in entries
                                         if not e.undone})])  # fmt: skip
        self._redo.show([Choice("Redo", {f"{e.correction_id}": e.correction_id for e in entries
                                         if e.undone})])  # fmt: skip
        self._show_changes(scene)
        gone = sorted(scene.gone.values(), key=lambda thing: -thing.last_seen_ns)[:_GONE]
        self._gone.content = small(lines([_gone(thing) for thing in gone] or ["Nothing."]))

    def _show_changes(self, scene: MemorySnapshot) -> None:
        try:
            changes = self._memory.changes_since().changes
            told = [_change(change) for change in changes[:_SHOWN]] or ["Nothing."]
        except SceneMemoryError as error:  # such as: there was no earlier visit
            changes, told = (), [shown(str(error))]
        self._changes.content = small(lines(told))
        here = [c for c in changes[:_SHOWN] if c.object_id in scene.objects]
        self._mark.show([Choice("Mark", {named(c.label, c.object_id): c.object_id for c in here})])

    def _take_back(self, client: viser.ClientHandle | None, number: int) -> None:
        _told(client, lambda: f"Took back: {self._memory.undo(number).reason}")
        self._on_changed()

    def _let_stand(self, client: viser.ClientHandle | None, number: int) -> None:
        _told(client, lambda: f"Stands again: {self._memory.redo(number).reason}")
        self._on_changed()


def _told(client: viser.ClientHandle | None, act: Callable[[], str]) -> None:
    """Do it, and say so, or why not, to who clicked."""
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
    words = f"{entry.correction_id}. <b>{shown(done)}</b> ({things}): “{shown(entry.reason)}”"
    if entry.undone:
        words = f"<s>{words}</s>"
    return f"{words}, {shown(entry.by)}, {shown(show_stamp(entry.stamp_ns))}"


def _change(change: SceneChange) -> str:
    away = "" if change.distance_m is None else f" by {change.distance_m:.1f} m"
    old = f" (was {shown(change.old_label)})" if change.old_label else ""
    return f"{shown(change.label)} {change.object_id}: {shown(change.kind)}{away}{old}"


def _gone(thing: MapObject) -> str:
    when = shown(show_stamp(thing.last_seen_ns))
    return f"{shown(thing.label)} {thing.object_id}, last seen {when}"
