"""What is known of the marked object: attributes, what it is related to, its best views."""

from __future__ import annotations

from collections.abc import Callable

import viser

from scenemind.frames import FrameError
from scenemind.frames.encodings import decode_color_file
from scenemind.memory import KeyFrame, MapObject, MemoryAccess, MemorySnapshot, SceneMemoryError
from scenemind.viewer.html import lines, panel, shown, small
from scenemind.viewer.marked_picture import with_box
from scenemind.viewer.scene_layer import related_ids

_VIEWS = 2
_MOST_BUTTONS = 12
_MOST_RELATIONS = 8

OnMark = Callable[[int], object]
OnFly = Callable[[viser.ClientHandle | None, KeyFrame], object]


class ObjectPanel:
    """In a folder of the browser's panel; drawn anew for each object."""

    def __init__(
        self, gui: viser.GuiApi, memory: MemoryAccess, on_mark: OnMark, on_fly: OnFly
    ) -> None:
        self._gui = gui
        self._memory = memory
        self._on_mark = on_mark
        self._on_fly = on_fly
        self._folder = gui.add_folder("Marked object")
        self._parts: list[viser.GuiInputHandle | viser.GuiHtmlHandle | viser.GuiImageHandle] = []
        self.show(None, memory.snapshot())

    def show(self, thing: MapObject | None, scene: MemorySnapshot) -> None:
        """None: say how to mark one."""
        for part in self._parts:
            part.remove()
        self._parts.clear()
        with self._folder:
            if thing is None:
                hint = "Click an object in the picture to mark it: then it is “this”."
                self._parts.append(self._gui.add_html(small(hint)))
                return
            self._parts.append(self._gui.add_html(about(thing, scene)))
            for other in related_ids(thing.object_id, scene)[:_MOST_BUTTONS]:
                self._add_neighbor(other, scene)
            for frame in self._views_of(thing.object_id):
                self._add_view(frame, thing.object_id)

    def _add_neighbor(self, object_id: int, scene: MemorySnapshot) -> None:
        # Buttons show their text as it is, and no HTML.
        button = self._gui.add_button(f"→ {scene.objects[object_id].label} {object_id}")
        button.on_click(lambda _: self._on_mark(object_id))
        self._parts.append(button)

    def _add_view(self, frame: KeyFrame, object_id: int) -> None:
        try:
            picture = with_box(decode_color_file(frame.jpeg), frame.boxes_px.get(object_id))
        except FrameError:
            return
        self._parts.append(self._gui.add_image(picture, format="jpeg"))
        button = self._gui.add_button(f"Fly to frame {frame.frame_number}")
        button.on_click(lambda event: self._on_fly(event.client, frame))
        self._parts.append(button)

    def _views_of(self, object_id: int) -> list[KeyFrame]:
        try:
            return self._memory.key_frames_of([object_id], _VIEWS)
        except SceneMemoryError:
            return []


def about(thing: MapObject, scene: MemorySnapshot) -> str:
    """HTML: its name, attributes and relations."""
    title = f"<b>{shown(thing.label)}</b> (object {thing.object_id})"
    if thing.corrected:
        title += f", corrected; perception says {shown(thing.perceived_label)}"
    size = " x ".join(f"{v:.2f}" for v in thing.box.size)
    known = [f"{shown(key)}: {shown(value)}" for key, value in thing.attributes.items()]
    known.append(f"{size} m, confidence {100.0 * thing.confidence:.0f} %")
    return panel(lines((title, *known))) + small(lines(_relations(thing, scene)))


def _relations(thing: MapObject, scene: MemorySnapshot) -> list[str]:
    said = []
    for relation in sorted(scene.relations, key=lambda r: (r.source != "user", -r.confidence)):
        if relation.subject_id != thing.object_id:
            continue
        other = scene.objects.get(relation.object_id)
        plane = scene.structure.get(relation.object_id)
        name = f"{other.label} {other.object_id}" if other else f"the {plane.kind}" if plane else ""
        if name:
            by = " (said)" if relation.source == "user" else ""
            said.append(f"{shown(relation.predicate)} {shown(name)}{by}")
    return said[:_MOST_RELATIONS]
