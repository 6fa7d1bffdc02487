"""Objects by words, and which kinds there are."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence

import viser

from scenemind.memory import MapObject, MemorySnapshot, SceneMemoryError
from scenemind.memory.finding import ObjectFinder
from scenemind.viewer.choices import Choice, ChoiceRows, OnChoose, named
from scenemind.viewer.html import shown, small, swatch
from scenemind.viewer.scene_layer import color_of

_MOST_FOUND = 24
_MOST_KINDS = 40
# A kind stays in one line where it fits into one.
_KIND = "display:inline-block;max-width:100%;margin-right:0.9em"

OnFound = Callable[[Sequence[int]], object]


class FindPanel:
    """In a tab; who looks has a line of his own, and results of his own."""

    def __init__(
        self, gui: viser.GuiApi, tab: viser.GuiTabHandle, on_mark: OnChoose, on_found: OnFound
    ) -> None:
        """
        Args:
            on_mark: gets the id of an object. on_found: gets those of all that were found.
        """
        self._tab = tab
        self._on_mark = on_mark
        self._on_found = on_found
        self._scene: MemorySnapshot | None = None
        self._lock = threading.Lock()  # of the finder and the tab
        self._finder = ObjectFinder()
        with tab:
            self._legend = gui.add_html("", order=1.0)

    def add_line(self, client: viser.ClientHandle) -> None:
        """Somebody else looks: a line to type in."""
        with self._lock, self._tab:
            # Above the legend, in the order in which they are made.
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
            rows.show([Choice("Found", {named(t.label, t.object_id): t.object_id for t in found})])
            told.visible = bool(words) and not found
            told.content = small(f"Nothing is like {shown(words)}.")
            self._on_found([thing.object_id for thing in found])

        form.on_submit(find)

    def find(self, words: str) -> list[MapObject]:
        """Best first; none where the words cannot be searched for."""
        scene = self._scene
        if scene is None:
            return []
        try:
            with self._lock:
                self._finder.refresh(scene.objects)
                found = self._finder.find(words, _MOST_FOUND)
        except SceneMemoryError:  # no words that mean anything: nothing is like them
            return []
        return [scene.objects[one.object_id] for one in found]

    def show(self, scene: MemorySnapshot) -> None:
        """The kinds of what is there, in their colours."""
        self._scene = scene
        kinds = Counter(thing.label for thing in scene.objects.values())
        named_kinds = sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))
        more = len(named_kinds) - _MOST_KINDS
        words = [
            f'<span style="{_KIND}">{swatch(color_of(label))}'
            f"{shown(label)}{f' ({count})' if count > 1 else ''}</span> "
            for label, count in named_kinds[:_MOST_KINDS]
        ]
        words += [f"and {more} kinds more"] if more > 0 else []
        total = f"<div><b>{len(scene.objects)} objects</b></div>"
        self._legend.content = small(f'{total}<div style="line-height:1.7">{"".join(words)}</div>')
