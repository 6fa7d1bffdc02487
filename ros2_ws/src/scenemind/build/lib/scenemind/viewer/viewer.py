"""The browser view of a memory, live while it grows."""

from __future__ import annotations

import contextlib
import io
import logging
import secrets
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any
from unittest import mock

import viser
import websockets.asyncio.server as servers

from scenemind.errors import SceneMindError
from scenemind.memory import KeyFrame, MemoryAccess, MemorySnapshot, SceneMemoryError
from scenemind.reasoning import Asking, Progress, Query
from scenemind.viewer.chat import Answerer, ChatPanel, Reply, SentenceQueue, reply_to
from scenemind.viewer.cloud import ColoredCloud, OnProgress
from scenemind.viewer.gate import Gate
from scenemind.viewer.panels import LOOK_AT, FindPanel, JournalPanel, ObjectPanel
from scenemind.viewer.scene_view import DrawnPlace, find_object_at, fly_to_frame, fly_to_object
from scenemind.viewer.widgets import plain

_log = logging.getLogger(__name__)

_TICK_S = 0.15  # names follow a camera that moves
_CLOUD_EVERY_S = 3.0
_PANEL_PX = 430


@dataclass(frozen=True, slots=True)
class ViewerSettings:
    """
    Attributes:
        host, port: address to listen on; port 0 takes a free one.
        needs_link: the first address that a browser opens must be one of `Viewer.make_address`;
            else all users of this machine are let in, and nobody else.
        title: above the panel.
        by: author of corrections.
        poll_s: time between two looks whether the memory has changed, seconds.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    needs_link: bool = False
    title: str = "SceneMind"
    by: str = "browser"
    poll_s: float = 0.5


class Viewer:
    """A server of the browser view: one memory, one dialogue, any number of browsers."""

    def __init__(
        self,
        memory: MemoryAccess,
        answerer: Answerer,
        asking: Callable[[], Asking],
        settings: ViewerSettings = ViewerSettings(),
        cloud: ColoredCloud | None = None,
    ) -> None:
        """
        Args:
            answerer: answers from that memory.
            asking: makes the allowance of each sentence.
            cloud: an empty one; None: one of the usual size.

        Raises:
            ViewerError: the address cannot be used.
        """
        self._memory = memory
        self._answerer = answerer
        self._asking = asking
        self._settings = settings
        # Nodes may serve several viewers: a "yes" in one of them is no answer in another.
        self._dialogue_id = f"browser-{secrets.token_hex(8)}"
        self._marked: tuple[int, ...] = ()  # a single one is "this"
        self._current: Asking | None = None  # of the sentence that is being answered
        self._lock = threading.Lock()  # for drawing
        self._drawn: MemorySnapshot | None = None
        self._is_lost = False
        self._ended = threading.Event()
        self._server = _QuietServer(settings.title)
        try:
            self._gate = Gate(
                settings.host,
                settings.port,
                self._server.socket_path,
                needs_link=settings.needs_link,
            )
        except BaseException:
            self._server.stop()
            raise
        self._sentences = SentenceQueue(self._answer, self._fail)
        self._place = DrawnPlace(self._server, memory, cloud or ColoredCloud())
        self._build_page(self._server)
        self._thread = threading.Thread(target=self._follow, name="viewer", daemon=True)

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
        server.on_client_connect(self._connect)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._gate.port

    def make_address(self) -> str:
        """A URL for one browser, once; without links for all browsers of this machine."""
        return view_address(self._settings.host, self.port, self._gate.make_link())

    def on_new_browser(self, call: Callable[[], object]) -> None:
        """Call this, on a thread of the viewer, whenever a browser has used its address."""
        self._gate.on_link_used(call)

    def start(self, on_progress: OnProgress | None = None) -> None:
        """Draw the memory, and follow its changes from now on.

        Raises:
            SceneMemoryError: the memory does not answer.
        """
        self._place.read_cloud(on_progress)
        self.redraw()
        self._thread.start()

    def wait(self) -> None:
        """Return when the viewer is closed, by another thread."""
        self._ended.wait()

    def close(self) -> None:
        """Cancel the current answer and disconnect all browsers; a second call does nothing."""
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
        """Highlight these objects from now on; a single one is "this"."""
        self._marked = tuple(object_ids)
        self.redraw()

    def put(self, text: str) -> int | None:
        """Take a question or a correction as if it were typed; see `SentenceQueue.put`."""
        return self._sentences.put(text)

    def stop(self) -> None:
        """Cancel the current answer."""
        asking = self._current
        if asking is not None:
            asking.allowance.cancel()

    def redraw(self) -> None:
        """Draw everything but the cloud again; unchanged where the memory does not answer."""
        try:
            with self._lock:
                self._draw(self._memory.snapshot())
            self._is_lost = False
        except SceneMindError as error:  # a node's messages may be malformed
            self._warn(error)

    def _draw(self, scene: MemorySnapshot) -> None:
        marked = _existing(self._marked, scene)
        self._place.draw(scene, marked)
        single = scene.objects[marked[0]] if len(marked) == 1 else None
        self._object.show(single, scene, len(marked))
        if self._drawn is None or scene.revision != self._drawn.revision:
            self._find.show(scene)
            self._journal.show(scene)
        self._drawn = scene

    def _answer(self, text: str) -> None:
        self._chat.add_sentence(text)
        self._current = asking = replace(self._asking(), progress=Progress(self._report))
        if self._ended.is_set():  # `close` may have come before `_current` was set
            asking.allowance.cancel()
        marked = _existing(self._marked, self._drawn)
        this = marked if len(marked) == 1 else ()
        by = self._settings.by
        query = Query(text, marked_object_ids=this, dialogue_id=self._dialogue_id, by=by)
        try:
            reply = reply_to(query, self._answerer, self._memory, by, asking)
        except SceneMemoryError as error:
            reply = Reply(str(error))
        finally:
            self._current = None
        self._chat.add_reply(reply)
        self._place.draw_key_frames(reply.key_frames)
        self.mark([thing.object_id for thing in reply.objects] or self._marked)

    def _fail(self, text: str) -> None:
        self._chat.add_reply(Reply(text))

    def _report(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        self._chat.show_stage(stage, text)
        if key_frames:
            self._chat.show_pictures(key_frames, ())
            self._place.draw_key_frames(key_frames)

    def _connect(self, client: viser.ClientHandle) -> None:
        self._chat.add_line(client)
        self._find.add_line(client)
        self._place.add_browser(client)

    def _click(self, event: viser.SceneClickEvent) -> None:
        things = () if self._drawn is None else tuple(self._drawn.objects.values())
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
            client.add_notification("Not found", plain(str(error), 300), auto_close_seconds=5.0)

    def _fly_to_marked(self, client: viser.ClientHandle) -> None:
        scene, marked = self._drawn, self._marked[:1]
        for thing in () if scene is None else map(scene.objects.get, marked):
            if thing is not None:
                fly_to_object(client, thing)

    def _follow(self) -> None:
        """Follow the cameras and the memory; a memory that fails is asked again."""
        polled = grew = time.monotonic()
        while not self._ended.wait(_TICK_S):
            self._place.follow_cameras()
            now = time.monotonic()
            try:
                if now - polled > self._settings.poll_s:
                    polled = now
                    scene = self._memory.snapshot()
                    if self._drawn is None or scene.revision != self._drawn.revision:
                        self.redraw()
                if now - grew > _CLOUD_EVERY_S:
                    grew = now
                    self._place.grow_cloud()
            except SceneMindError as error:
                self._warn(error)

    def _warn(self, error: SceneMindError) -> None:
        """Log the first of several failures in a row."""
        if not self._is_lost:
            _log.warning("the view is not updated: %s", error)
        self._is_lost = True


def view_address(host: str, port: int, link: str) -> str:
    """The URL of a view: of this machine's name where it listens on all addresses."""
    name = socket.gethostname() if host in ("0.0.0.0", "::", "") else host
    where = f"[{name}]" if ":" in name else name
    return f"http://{where}:{port}/" + (f"?link={link}" if link else "")


def _existing(object_ids: Sequence[int], scene: MemorySnapshot | None) -> tuple[int, ...]:
    """The ids that were not deleted or merged since."""
    return () if scene is None else tuple(i for i in object_ids if i in scene.objects)


class _QuietServer(viser.ViserServer):
    """viser on a Unix socket in a folder of this user alone, without printed output and without
    public tunnels."""

    def __init__(self, label: str) -> None:
        """
        Args:
            label: the title above the panel.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="scenemind-view-")
        self.socket_path = Path(self._folder.name, "viser")
        try:
            with (
                contextlib.redirect_stdout(io.StringIO()),  # viser prints its address
                _serving_at(self.socket_path),
            ):
                super().__init__("localhost", 0, label=label, verbose=False)
        except BaseException:
            self._folder.cleanup()
            raise

    def request_share_url(self, verbose: bool = True) -> str | None:  # noqa: ARG002
        """Always None: a browser could otherwise open a public tunnel into this machine."""
        return None

    def stop(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            super().stop()
        self._folder.cleanup()


_OPENING = threading.Lock()


@contextlib.contextmanager
def _serving_at(path: Path) -> Iterator[None]:
    """Context in which a server of websockets that is asked for a port gets a Unix socket: viser
    knows ports only, and any user of the machine reaches those."""

    with _OPENING:
        usual = servers.serve

        def serve(handler: Any, host: str, port: int, **options: Any) -> Any:  # noqa: ARG001
            return usual(handler, unix=True, path=str(path), **options)

        with mock.patch.object(servers, "serve", serve):
            yield
