"""The browser view of a memory, live while it grows."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType

import viser

from scenemind.errors import SceneMindError
from scenemind.memory import KeyFrame, MemoryAccess, MemorySnapshot, SceneMemoryError
from scenemind.reasoning import Asking
from scenemind.viewer.camera import fly_to_frame, fly_to_object
from scenemind.viewer.chat_panel import ChatPanel
from scenemind.viewer.colored_cloud import ColoredCloud, OnProgress
from scenemind.viewer.drawn_place import DrawnPlace
from scenemind.viewer.find_panel import FindPanel
from scenemind.viewer.gate import Gate
from scenemind.viewer.html import plain
from scenemind.viewer.journal_panel import JournalPanel
from scenemind.viewer.object_panel import LOOK_AT, ObjectPanel
from scenemind.viewer.picking import find_object_at
from scenemind.viewer.sentences import Sentences
from scenemind.viewer.server import QuietServer
from scenemind.viewer.talk import Answering, Said, say

_log = logging.getLogger(__name__)

_TICK_S = 0.15  # names follow a camera that moves
_CLOUD_EVERY_S = 3.0
_PANEL_PX = 430


class Viewer:
    """One memory, one talk, any number of browsers that see the same."""

    def __init__(
        self,
        memory: MemoryAccess,
        answering: Answering,
        asking: Callable[[], Asking],
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        token: str = "",
        title: str = "SceneMind",
        by: str = "somebody at the browser",
        cloud: ColoredCloud | None = None,
        look_every_s: float = 0.5,
    ) -> None:
        """
        Args:
            answering: on that memory.
            asking: what each question may use.
            port: 0 takes a free one.
            token: what the address must name; empty: nothing, and only this machine may look.
            by: who corrections are said to be from.
            cloud: that is still empty; none: one of as many points as usual.
            look_every_s: how often the memory is asked whether it has changed.

        Raises:
            ViewerError: nobody can listen there.
        """
        self._memory = memory
        self._answering = answering
        self._asking = asking
        self._by = by
        # Others may look at the same nodes elsewhere, and a yes there is none here.
        self._dialogue_id = f"browser-{secrets.token_hex(8)}"
        self._look_every_s = look_every_s
        self._marked: tuple[int, ...] = ()  # one is "this"
        self._now: Asking | None = None  # of the sentence that is being answered
        self._lock = threading.Lock()  # of what is drawn
        self._scene: MemorySnapshot | None = None  # as it is drawn
        self._is_lost = False
        self._ended = threading.Event()
        self._server = QuietServer(title)
        try:
            self._gate = Gate(host, port, (self._server.address, self._server.get_port()), token)
        except BaseException:
            self._server.stop()
            raise
        self._sentences = Sentences(self._answer, self._fail)
        self._place = DrawnPlace(self._server, memory, cloud or ColoredCloud())
        self._build_page(self._server)
        self._thread = threading.Thread(target=self._watch, name="viewer", daemon=True)

    def _build_page(self, server: viser.ViserServer) -> None:
        gui = server.gui
        gui.configure_theme(show_logo=False, show_share_button=False)
        gui.main_panel.dock_right()
        gui.main_panel.set_width(_PANEL_PX)
        self._chat = ChatPanel(gui, self.put, self.stop, self._mark_for, self._fly)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Object"):
            self._object = ObjectPanel(gui, self._memory, self._mark_for, self._fly)
        self._find = FindPanel(gui, tabs.add_tab("Find"), self._mark_for, self.mark)
        with tabs.add_tab("History"):
            self._journal = JournalPanel(gui, self._memory, self._mark_for, self.redraw)
        with tabs.add_tab("Show"):
            self._place.add_switches(gui)
        server.scene.on_click()(self._click)
        server.on_client_connect(self._meet)

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._gate.port

    def start(self, on_progress: OnProgress | None = None) -> None:
        """Draw what is there, and go on as it changes.

        Raises:
            SceneMemoryError: the memory does not answer.
        """
        self._place.read_cloud(on_progress)
        self.redraw()
        self._thread.start()

    def close(self) -> None:
        """Browsers lose the connection, what is being answered is given up; the second call does
        nothing."""
        self._ended.set()
        self.stop()
        self._sentences.close()
        if self._thread.is_alive():
            self._thread.join()
        self._gate.close()
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

    def mark(self, object_ids: Sequence[int]) -> None:
        """Highlight these from now on; a single one is "this"."""
        self._marked = tuple(object_ids)
        self.redraw()

    def put(self, text: str) -> int | None:
        """A question or a correction, as if typed; see `Sentences.put`."""
        return self._sentences.put(text)

    def stop(self) -> None:
        """Nobody waits for what is being answered any more."""
        asking = self._now
        if asking is not None:
            asking.allowance.cancel()

    def redraw(self) -> None:
        """Everything but the cloud, as it is now; where the memory does not answer, it stays."""
        try:
            with self._lock:
                self._draw(self._memory.snapshot())
            self._is_lost = False
        except SceneMindError as error:  # of a node also what cannot be read of its messages
            self._miss(error)

    def _draw(self, scene: MemorySnapshot) -> None:
        marked = _there(self._marked, scene)
        self._place.draw(scene, marked)
        single = scene.objects[marked[0]] if len(marked) == 1 else None
        self._object.show(single, scene, len(marked))
        if self._scene is None or scene.revision != self._scene.revision:
            self._find.show(scene)
            self._journal.show(scene)
        self._scene = scene

    def _answer(self, text: str) -> None:
        self._chat.add_said(text)
        self._now = asking = replace(self._asking(), report=self._report)
        if self._ended.is_set():  # just now: it may have begun too late to be stopped
            asking.allowance.cancel()
        marked = _there(self._marked, self._scene)
        this = marked if len(marked) == 1 else ()
        try:
            said = say(
                self._answering, self._memory, text, this, self._by, asking, self._dialogue_id
            )
        except SceneMemoryError as error:
            said = Said(str(error))
        finally:
            self._now = None
        self._chat.add_reply(said)
        self._place.draw_key_frames(said.key_frames)
        self.mark([thing.object_id for thing in said.objects] or self._marked)

    def _fail(self, text: str) -> None:
        self._chat.add_reply(Said(text))

    def _report(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        self._chat.show_stage(stage, text)
        if key_frames:
            self._chat.show_pictures(key_frames, ())
            self._place.draw_key_frames(key_frames)

    def _meet(self, client: viser.ClientHandle) -> None:
        self._chat.add_line(client)
        self._find.add_line(client)
        self._place.meet(client)

    def _click(self, event: viser.SceneClickEvent) -> None:
        things = () if self._scene is None else tuple(self._scene.objects.values())
        found = find_object_at(things, event.ray_origin, event.ray_direction)
        self.mark([] if found is None else [found.object_id])

    def _mark_for(self, _client: viser.ClientHandle | None, object_id: int) -> None:
        self.mark([object_id])

    def _fly(self, client: viser.ClientHandle | None, number: int) -> None:
        if client is None:
            return
        try:
            if number == LOOK_AT:
                self._fly_to_marked(client)
            else:
                fly_to_frame(client, self._memory.key_frame(number))
        except SceneMemoryError as error:
            client.add_notification("Not there", plain(str(error), 300), auto_close_seconds=5.0)

    def _fly_to_marked(self, client: viser.ClientHandle) -> None:
        scene, marked = self._scene, self._marked[:1]
        for thing in () if scene is None else map(scene.objects.get, marked):
            if thing is not None:
                fly_to_object(client, thing)

    def _watch(self) -> None:
        """Follow a memory that grows; one that fails for a while is asked again."""
        looked = grew = time.monotonic()
        while not self._ended.wait(_TICK_S):
            self._place.follow()
            now = time.monotonic()
            try:
                if now - looked > self._look_every_s:
                    looked = now
                    self._look()
                if now - grew > _CLOUD_EVERY_S:
                    grew = now
                    self._place.grow_cloud()
            except SceneMindError as error:
                self._miss(error)

    def _look(self) -> None:
        scene = self._memory.snapshot()
        if self._scene is None or scene.revision != self._scene.revision:
            self.redraw()

    def _miss(self, error: SceneMindError) -> None:
        if not self._is_lost:
            _log.warning("the view stands still: %s", error)
        self._is_lost = True


def _there(object_ids: Sequence[int], scene: MemorySnapshot | None) -> tuple[int, ...]:
    """Without those that were deleted or merged since."""
    return () if scene is None else tuple(i for i in object_ids if i in scene.objects)
