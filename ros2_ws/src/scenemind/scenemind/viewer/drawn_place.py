"""The place as it is drawn: its cloud, boxes, names and what is marked, and what is to be seen."""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Sequence

import viser

from scenemind.memory import KeyFrame, MemoryAccess, MemorySnapshot
from scenemind.viewer.camera import look_inside
from scenemind.viewer.cloud_layer import CloudLayer
from scenemind.viewer.colored_cloud import ColoredCloud, OnProgress
from scenemind.viewer.name_tags import NameTags
from scenemind.viewer.scene_layer import SceneLayer, related_ids

_FIRST_FRAMES, _MORE_FRAMES = 200, 12
_UNDER_CEILING_M = 0.15


class DrawnPlace:
    """Of one server. Thread-safe but for the cloud, which is for one thread at a time."""

    def __init__(
        self, server: viser.ViserServer, memory: MemoryAccess, cloud: ColoredCloud
    ) -> None:
        """
        Args:
            cloud: that is still empty.
        """
        self._server = server
        self._memory = memory
        self._cloud = cloud
        server.scene.set_up_direction("+z")
        self._points = CloudLayer(server.scene)
        self._layer = SceneLayer(server.scene)
        self._tags: dict[int, NameTags] = {}
        self._lock = threading.Lock()  # of the tags and the two below
        self._scene: MemorySnapshot | None = None
        self._marked: tuple[int, ...] = ()
        self._has_names = True

    def add_switches(self, gui: viser.GuiApi) -> None:
        """In the panel: what is to be seen."""
        cloud = gui.add_checkbox("Cloud", initial_value=True)
        boxes = gui.add_checkbox("Boxes", initial_value=True)
        names = gui.add_checkbox("Names", initial_value=True)
        path = gui.add_checkbox("Camera path", initial_value=True)

        def switch(_: object) -> None:
            self._points.set_visible(cloud.value)
            self._layer.set_visible(boxes=boxes.value, path=path.value)
            with self._lock:
                self._has_names = names.value
                for tags in self._tags.values():
                    self._name(tags)

        for box in (cloud, boxes, names, path):
            box.on_update(switch)

    def read_cloud(self, on_progress: OnProgress | None) -> None:
        """All of it.

        Raises:
            SceneMemoryError: the memory does not answer.
        """
        self._grow(_FIRST_FRAMES, on_progress)

    def grow_cloud(self) -> None:
        """What is new since.

        Raises:
            SceneMemoryError: the memory does not answer.
        """
        self._grow(_MORE_FRAMES, None)

    def draw(self, scene: MemorySnapshot, marked: Sequence[int]) -> None:
        """Objects as they are now.

        Args:
            marked: what is highlighted; of a single one its relations are shown too.
        """
        there = [scene.objects[i] for i in marked if i in scene.objects]
        with self._lock:
            with self._server.atomic():
                self._layer.draw_objects(tuple(scene.objects.values()))
                self._layer.draw_marked(there, scene)
            self._scene, self._marked = scene, tuple(thing.object_id for thing in there)
            self._forget_who_left()
            for tags in self._tags.values():
                self._name(tags)

    def draw_key_frames(self, frames: Sequence[KeyFrame]) -> None:
        """Where they were seen from."""
        with self._lock:
            self._layer.draw_key_frames(frames)

    def meet(self, client: viser.ClientHandle) -> None:
        """Somebody looks: names for where he looks from."""
        with self._lock:
            tags = self._tags[client.client_id] = NameTags(client)
            self._name(tags)

    def follow(self) -> None:
        """Names go where browsers look."""
        with self._lock:
            self._forget_who_left()
            for tags in self._tags.values():
                tags.follow()

    def _forget_who_left(self) -> None:
        here = self._server.get_clients()
        self._tags = {number: tags for number, tags in self._tags.items() if number in here}

    def _name(self, tags: NameTags) -> None:
        scene = self._scene
        if scene is None or not self._has_names:
            tags.show((), (), ())
            return
        related: Collection[int] = ()
        if len(self._marked) == 1:
            related = related_ids(self._marked[0], scene)
        tags.show(tuple(scene.objects.values()), self._marked, related)

    def _grow(self, most_frames: int, on_progress: OnProgress | None) -> None:
        scene = self._memory.snapshot()
        ceilings = [p.box.bottom_z for p in scene.structure.values() if p.kind == "ceiling"]
        below_m = min(ceilings, default=math.inf) - _UNDER_CEILING_M
        if self._cloud.update(self._memory, most_frames, on_progress, below_m):
            self._points.draw(self._cloud)
            self._layer.draw_path(self._memory.frame_index().world_T_camera[:, :3, 3])
            corners = [thing.box.corners() for thing in scene.objects.values()]
            has_cloud = len(self._cloud.points) > 0
            look_inside(self._server, self._cloud.points if has_cloud else corners)
