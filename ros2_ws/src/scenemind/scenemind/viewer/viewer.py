"""The browser view of a memory, live while it grows."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType

import viser

from scenemind.memory import KeyFrame, MapObject, MemoryAccess, SceneMemoryError
from scenemind.memory.finding.pointing import find_object_on_ray
from scenemind.reasoning import Asking, Router
from scenemind.viewer.chat_panel import ChatPanel
from scenemind.viewer.colored_cloud import ColoredCloud, OnProgress
from scenemind.viewer.journal_panel import JournalPanel
from scenemind.viewer.object_panel import ObjectPanel
from scenemind.viewer.scene_layer import SceneLayer, quaternion_wxyz
from scenemind.viewer.talk import Said, say

_log = logging.getLogger(__name__)

_DIALOGUE = "browser"
_LOOK_EVERY_S = 0.5
_CLOUD_EVERY_S = 3.0
_FIRST_FRAMES, _MORE_FRAMES = 200, 5


class Viewer:
    """One memory, one talk, any number of browsers that see the same."""

    def __init__(
        self,
        memory: MemoryAccess,
        router: Router,
        asking: Callable[[], Asking],
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        by: str = "somebody at the browser",
        most_points: int = 500_000,
    ) -> None:
        """
        Args:
            router: of that memory.
            asking: what each question may use.
            port: 0 takes a free one.
            by: who corrections are said to be from.
        """
        self._memory = memory
        self._router = router
        self._asking = asking
        self._by = by
        self._marked: int | None = None
        self._drawn = -1  # revision
        self._lock = threading.Lock()  # of what is drawn
        self._talking = threading.Lock()  # one sentence at a time
        self._ended = threading.Event()
        self._cloud = ColoredCloud(most_points)
        self._server = viser.ViserServer(host, port, label="SceneMind", verbose=False)
        self._server.gui.configure_theme(control_layout="fixed", control_width="large")
        self._layer = SceneLayer(self._server.scene)
        self._chat = ChatPanel(self._server.gui, self.say)
        self._names = self._server.gui.add_checkbox("Names", initial_value=True)
        self._names.on_update(lambda _: self.redraw())
        self._object = ObjectPanel(self._server.gui, memory, self.mark, fly_to)
        self._journal = JournalPanel(self._server.gui, memory, self.redraw)
        self._server.scene.on_click()(self._on_click)
        self._thread = threading.Thread(target=self._watch, name="viewer", daemon=True)

    @property
    def port(self) -> int:
        return self._server.get_port()

    def start(self, on_progress: OnProgress | None = None) -> None:
        """Draw what is there, and go on as it changes."""
        self._cloud.update(self._memory, _FIRST_FRAMES, on_progress)
        self._layer.draw_cloud(self._cloud)
        self.redraw()
        self._look_inside()
        self._thread.start()

    def close(self) -> None:
        """Browsers lose the connection; the second call does nothing."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        self._server.stop()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def mark(self, object_id: int | None) -> None:
        """It is "this" from now on; None: nothing is."""
        with self._lock:
            self._marked = object_id
        self.redraw()

    def say(self, text: str) -> Said:
        """A question or a correction, as if typed."""
        with self._talking:
            self._chat.add_said(text)
            marked = () if self._marked is None else (self._marked,)
            asking = self._asking()
            object.__setattr__(asking, "report", self._report)
            said = say(self._router, self._memory, text, marked, self._by, asking, _DIALOGUE)
            self._chat.add_reply(said)
        self._layer.draw_key_frames(said.key_frames)
        if said.objects:
            self.mark(said.objects[0].object_id)
        else:
            self.redraw()
        return said

    def redraw(self) -> None:
        """Everything but the cloud, as it is now."""
        with self._lock:
            scene = self._memory.snapshot()
            marked = None if self._marked is None else scene.objects.get(self._marked)
            with self._server.atomic():
                objects: Sequence[MapObject] = list(scene.objects.values())
                self._layer.draw_objects(objects, self._names.value)
                self._layer.draw_marked(marked, scene)
                self._object.show(marked, scene)
                self._journal.show()
            self._drawn = scene.revision

    def _report(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        self._chat.show_stage(stage, text)
        if key_frames:
            self._layer.draw_key_frames(key_frames)

    def _on_click(self, event: viser.SceneClickEvent) -> None:
        things = list(self._memory.snapshot().objects.values())
        found = find_object_on_ray(things, event.ray_origin, event.ray_direction)
        self.mark(None if found is None else found[0].object_id)

    def _watch(self) -> None:
        """Follow a memory that grows; one that fails for a while is asked again."""
        cloud_at = time.monotonic()
        is_lost = False
        while not self._ended.wait(_LOOK_EVERY_S):
            try:
                if self._memory.snapshot().revision != self._drawn:
                    self.redraw()
                if time.monotonic() - cloud_at > _CLOUD_EVERY_S:
                    if self._cloud.update(self._memory, _MORE_FRAMES):
                        self._layer.draw_cloud(self._cloud)
                    cloud_at = time.monotonic()
                is_lost = False
            except SceneMemoryError as error:
                if not is_lost:
                    _log.warning("the view stands still: %s", error)
                is_lost = True

    def _look_inside(self) -> None:
        """The first view of a browser: from above a corner of what is there."""
        points = self._cloud.points
        if not len(points):
            return
        low, high = points.min(axis=0), points.max(axis=0)
        middle, reach = (low + high) / 2.0, float((high - low)[:2].max())
        camera = self._server.initial_camera
        x, y, z = middle.tolist()
        camera.position = (x - 0.55 * reach, y - 0.55 * reach, z + 0.8 * reach)
        camera.look_at = tuple(middle.tolist())
        camera.up = (0.0, 0.0, 1.0)


def fly_to(client: viser.ClientHandle | None, frame: KeyFrame) -> None:
    """Look as the camera did."""
    if client is None:
        return
    with client.atomic():
        client.camera.wxyz = quaternion_wxyz(frame.world_T_camera.rotation)
        client.camera.position = tuple(frame.world_T_camera.translation.tolist())
