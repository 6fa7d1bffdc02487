"""Corrections with undo, and what has changed since the visit before."""

from __future__ import annotations

from collections.abc import Callable

import viser

from scenemind.memory import Correction, MemoryAccess, SceneMemoryError
from scenemind.memory.history import SceneChange
from scenemind.viewer.html import lines, shown, small

_SHOWN = 12


class JournalPanel:
    """In a folder of the browser's panel."""

    def __init__(
        self, gui: viser.GuiApi, memory: MemoryAccess, on_change: Callable[[], object]
    ) -> None:
        self._memory = memory
        with gui.add_folder("Corrections", expand_by_default=False):
            self._entries = gui.add_html("")
            undo = gui.add_button("Undo the last")
            redo = gui.add_button("Redo")
        with gui.add_folder("Changes since the last visit", expand_by_default=False):
            self._changes = gui.add_html("")

        @undo.on_click
        def _(event: viser.GuiEvent[viser.GuiButtonHandle]) -> None:
            _told(event.client, lambda: f"Took back: {memory.undo().reason}")
            on_change()

        @redo.on_click
        def _(event: viser.GuiEvent[viser.GuiButtonHandle]) -> None:
            _told(event.client, lambda: f"Stands again: {memory.redo().reason}")
            on_change()

    def show(self) -> None:
        entries = self._memory.corrections()[-_SHOWN:]
        words = [_entry(entry) for entry in reversed(entries)]
        self._entries.content = small(lines(words or ["Nothing was corrected yet."]))
        try:
            changes = self._memory.changes_since().changes
            told = [_change(change) for change in changes[:_SHOWN]] or ["Nothing has changed."]
        except SceneMemoryError as error:
            told = [shown(str(error))]
        self._changes.content = small(lines(told))


def _told(client: viser.ClientHandle | None, act: Callable[[], str]) -> None:
    """Do it, and say so, or why not, to who clicked."""
    try:
        title, text = "Done", act()
    except SceneMemoryError as error:
        title, text = "Not done", str(error)
    if client is not None:
        client.add_notification(title, shown(text), auto_close_seconds=5.0)


def _entry(entry: Correction) -> str:
    words = f"{entry.correction_id}. {shown(entry.by)}: “{shown(entry.reason)}”"
    return f"<s>{words}</s>" if entry.undone else words


def _change(change: SceneChange) -> str:
    away = "" if change.distance_m is None else f" by {change.distance_m:.1f} m"
    return f"{shown(change.label)} {change.object_id}: {shown(change.kind)}{away}"
