"""The browser view of a memory, live while it grows."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import is_
from types import TracebackType

import viser

from scenemind.errors import SceneMindError, UsageError
from scenemind.geometry.open3d import MissingOpen3DError
from scenemind.language.speech_acts import refers_to_several
from scenemind.memory import KeyFrame, MapObject, MemoryAccess, MemorySnapshot, SceneMemoryError
from scenemind.memory.finding import ObjectFinder
from scenemind.memory.history import Visit
from scenemind.memory.moments import read_moment
from scenemind.reasoning import Asking, Progress, Query
from scenemind.surface import ColoredCloud, OnProgress, SurfaceError, clear_surface
from scenemind.viewer import panels
from scenemind.viewer.chat import Answerer, Reply, SentenceQueue, Talk, reply_to
from scenemind.viewer.colors import ClassColors
from scenemind.viewer.gate import Gate
from scenemind.viewer.page_link import Action, PageLink
from scenemind.viewer.page_link import Reply as Answering
from scenemind.viewer.panels import Filter, Json
from scenemind.viewer.pictures import picture_of, plain
from scenemind.viewer.quiet_server import QuietServer
from scenemind.viewer.scene_view import DrawnPlace, find_object_at

_log = logging.getLogger(__name__)

_TICK_S = 0.15
_CLOUD_EVERY_S = 3.0
_SURFACE_EVERY_S = 3.0  # between two looks whether it is due; the first picture comes before it
_GROWTH = 1.25  # factor of the stored frames from which it is fused again while a place grows
_NICE = 10
_VIEWS = 3
_MOST_FOUND = 24
_AS_GOOD = 0.75  # share of the best score of what is marked with it
_FITS = 0.7  # score of what fits all words
_MOST_MARKED = 200
_LONGEST_MOMENT = 40
_LAYERS = ("cloud", "boxes", "path")
_TOO_MANY = "Too many sentences are waiting for an answer: try again later."
_NONE = "No object matches “{}”: type what is in the list of classes, such as “{}”."


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
        most_triangles: of the surface that is drawn in place of the points where Open3D is
            installed; 0: points only.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    needs_link: bool = False
    title: str = "SceneMind"
    by: str = "browser"
    poll_s: float = 0.5
    most_triangles: int = 500_000


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
        self._marked: tuple[int, ...] = ()  # a single one is "this", several are "these"
        self._current: Asking | None = None  # of the sentence that is being answered
        self._lock = threading.Lock()  # for drawing
        self._drawn: MemorySnapshot | None = None
        self._named: list[MapObject] | None = None  # whose boxes and names are in the picture
        self._is_lost = False
        self._ended = threading.Event()
        self._colors = ClassColors()
        self._filter = Filter()
        self._layers = dict.fromkeys(_LAYERS, True)
        self._since = ""  # the moment to compare with, as typed; empty: the visit before
        self._finder = ObjectFinder()
        self._finder_lock = threading.Lock()
        self._page = PageLink(self._act, self._picture)
        self._server = QuietServer(settings.title, self._page)
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
        self._place = DrawnPlace(self._server, memory, cloud or ColoredCloud(), self._colors)
        self._talk = Talk(self._colors, lambda turns: self._page.show("talk", turns))
        self._server.gui.configure_theme(show_logo=False, show_share_button=False)
        self._server.scene.on_click()(lambda event: self._click(event, adds=False))
        self._server.scene.on_click(modifier="shift")(lambda event: self._click(event, adds=True))
        self._page.show("title", plain(settings.title, 80))
        self._page.show("layers", self._layers)
        self._threads = [threading.Thread(target=self._follow, name="viewer", daemon=True)]
        if settings.most_triangles:
            self._threads.append(threading.Thread(target=self._cover, name="surface", daemon=True))

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
        for thread in self._threads:
            thread.start()

    def wait(self) -> None:
        """Return when the viewer is closed, by another thread."""
        self._ended.wait()

    def close(self) -> None:
        """Cancel the current answer and disconnect all browsers; a second call does nothing."""
        self._ended.set()
        self.stop()
        self._sentences.close()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
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
        is_new = self._drawn is None or scene.revision != self._drawn.revision
        self._colors.meet(thing.label for thing in scene.objects.values())
        shown = self._shown(scene, marked)
        things = [scene.objects[i] for i in marked]
        single = things[0] if len(things) == 1 else None
        self._page.show(
            "marked",
            {
                "things": panels.marked_json(things, self._colors),
                "related": panels.related_ids(single.object_id, scene) if single else [],
            },
        )
        # A mark alone leaves them as they are: it is shown at once, also among many.
        if not _are_same(shown, self._named):
            self._page.show("names", panels.objects_json(shown, self._colors))
            self._place.draw_objects(shown)
            self._named = shown
        self._place.draw_marked(things, scene)
        self._drawn = scene
        self._page.show("about", self._about(single, scene))
        if is_new:
            self._show_lists(scene)

    def _shown(self, scene: MemorySnapshot, marked: Sequence[int]) -> list[MapObject]:
        """The objects that the filter shows, and the marked ones."""
        shows, things = self._filter.shows, scene.objects.values()
        return [thing for thing in things if thing.object_id in marked or shows(thing)]

    def _show_lists(self, scene: MemorySnapshot) -> None:
        """Show what depends on the scene and on what is hidden, and not on what is marked."""
        self._page.show("classes", panels.classes_json(scene, self._filter, self._colors))
        self._page.show("tree", panels.tree_json(scene, self._filter, self._colors))
        self._show_history(scene)

    def _about(self, thing: MapObject | None, scene: MemorySnapshot) -> Json | None:
        if thing is None:
            return None
        try:
            frames = self._memory.key_frames_of([thing.object_id], _VIEWS)
        except SceneMemoryError:  # shown without pictures
            frames = []
        return panels.about_json(thing, scene, frames)

    def _show_history(self, scene: MemorySnapshot) -> None:
        visits = self._visits()
        changes, told = self._changes(scene, visits)
        self._page.show(
            "history",
            {
                "visits": panels.visits_json(visits, scene),
                "since": self._since,
                "changes": changes,
                "told": plain(told, 600),
                "corrections": panels.journal_json(self._memory.corrections()),
                "gone": panels.gone_json(scene),
            },
        )

    def _visits(self) -> Sequence[Visit]:
        try:
            return self._memory.visits()
        except SceneMemoryError:  # as while another process writes: shown without visits
            return ()

    def _changes(self, scene: MemorySnapshot, visits: Sequence[Visit]) -> tuple[list[Json], str]:
        """Changes since the typed moment, and what to say about them."""
        if not visits:
            return [], "Nothing has been mapped yet."
        if not self._since and len(visits) < 2:
            return [], "One visit so far: type +10 for changes since 10 s after its start."
        try:
            moment = read_moment(self._since, visits).last_ns if self._since else None
            found = self._memory.changes_since(moment)
        except (SceneMemoryError, UsageError) as error:
            return [], str(error)
        since = f"since {self._since}" if self._since else "since the visit before"
        if not found.changes:
            return [], f"No changes {since}."
        told = ". ".join((f"Changes {since}: {found.counted()}", *found.legend()))
        return panels.changes_json(found.changes, scene.objects), f"{told}."

    def _answer(self, text: str) -> None:
        self._talk.add_sentence(text)
        self._current = asking = replace(self._asking(), progress=Progress(self._report))
        if self._ended.is_set():  # `close` may have come before `_current` was set
            asking.allowance.cancel()
        marked = _existing(self._marked, self._drawn)
        this = marked if len(marked) == 1 or refers_to_several(text) else ()
        by = self._settings.by
        query = Query(text, marked_object_ids=this, dialogue_id=self._dialogue_id, by=by)
        try:
            reply = reply_to(query, self._answerer, self._memory, by, asking)
        except SceneMemoryError as error:
            reply = Reply(str(error))
        finally:
            self._current = None
        self._talk.add_reply(reply)
        self._place.draw_key_frames(reply.key_frames)
        self.mark([thing.object_id for thing in reply.objects] or self._marked)

    def _fail(self, text: str) -> None:
        self._talk.add_reply(Reply(text))

    def _report(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        self._talk.show_stage(stage, text, key_frames)
        if key_frames:
            self._place.draw_key_frames(key_frames)

    def _picture(self, number: int, object_ids: Sequence[int]) -> bytes | None:
        try:
            return picture_of(self._memory.key_frame(number, object_ids), object_ids)
        except SceneMindError:  # it was removed since, or another process writes
            return None

    def _click(self, event: viser.SceneClickEvent, *, adds: bool) -> None:
        scene = self._drawn
        things = (
            [] if scene is None else [t for t in scene.objects.values() if self._filter.shows(t)]
        )
        found = find_object_at(things, event.ray_origin, event.ray_direction)
        if adds:
            self._toggle([] if found is None else [found.object_id])
        else:
            self.mark([] if found is None else [found.object_id])

    def _toggle(self, object_ids: Sequence[int]) -> None:
        """Mark objects besides those that are marked, or take their marks away."""
        kept = [i for i in self._marked if i not in object_ids]
        self.mark([*kept, *(i for i in object_ids if i not in self._marked)])

    def _act(self, action: Action, reply: Answering) -> None:
        """Do what somebody asked for on the page; what is malformed is ignored."""
        do, text = action.get("do"), action.get("text")
        ids = _ids(action.get("ids"))
        words = text.strip() if isinstance(text, str) else ""
        if do == "say" and words:
            before = self.put(words)
            if before is None:
                reply("note", _TOO_MANY)
        elif do == "stop":
            self.stop()
        elif do == "mark":
            self.mark(ids)
        elif do == "toggle":
            self._toggle(ids)
        elif do == "find" and words:
            self._find(words, reply)
        elif do == "filter":
            self._choose(action)
        elif do == "layers":
            self._layers = {name: action.get(name) is not False for name in _LAYERS}
            self._place.set_visible(**self._layers)
            self._page.show("layers", self._layers)
        elif do in ("undo", "redo") and ids:
            self._turn_back(do, ids[0], reply)
        elif do == "since":
            self._since = plain(words, _LONGEST_MOMENT)
            if self._drawn is not None:
                self._show_history(self._drawn)
        elif do == "fly" and ids:
            self._fly(str(action.get("to")), ids[0], reply)

    def _choose(self, action: Action) -> None:
        """Show these classes alone, from a confidence on."""
        labels, least = action.get("hidden"), action.get("least")
        if isinstance(labels, list):
            hidden = frozenset(label for label in labels[:2000] if isinstance(label, str))
            self._filter = replace(self._filter, hidden=hidden)
        if isinstance(least, int | float) and 0.0 <= least <= 1.0:
            self._filter = replace(self._filter, least_confidence=float(least))
        self.redraw()
        if self._drawn is not None:
            self._page.show("classes", panels.classes_json(self._drawn, self._filter, self._colors))
            self._page.show("tree", panels.tree_json(self._drawn, self._filter, self._colors))

    def _find(self, words: str, reply: Answering) -> None:
        """Mark the objects that a few words fit best; a note says where none has all of them."""
        scene = self._drawn
        if scene is None:
            return
        try:
            with self._finder_lock:
                self._finder.refresh(scene.objects)
                found = self._finder.find(words, _MOST_FOUND)
        except SceneMemoryError:  # no word with a meaning
            found = ()
        if found:
            best = found[0].score
            self.mark([one.object_id for one in found if one.score >= _AS_GOOD * best])
            if best < _FITS:
                why = ", ".join(found[0].reasons)
                reply(
                    "note", f"Nothing fits all of it; marked is what fits best: {plain(why, 200)}"
                )
        else:
            known = min((t.label for t in scene.objects.values()), default="cup")
            reply("note", _NONE.format(plain(words, 80), plain(known)))

    def _turn_back(self, do: str, number: int, reply: Answering) -> None:
        """Undo or redo a correction, with all that its sentence wrote."""
        act = self._memory.undo if do == "undo" else self._memory.redo
        try:
            journal = self._memory.corrections()
            one = next((e for e in journal if e.correction_id == number), None)
            together = [e.correction_id for e in journal if one and e.as_one == one.as_one]
            done = act(*(together or [number]))
        except SceneMemoryError as error:
            reply("note", f"Not done: {plain(str(error), 300)}")
            return
        what = "Undone" if do == "undo" else "Redone"
        many = f" ({len(done)} corrections)" if len(done) > 1 else ""
        reply("note", f"{what}: {plain(done[0].reason, 300)}{many}")
        self.redraw()

    def _fly(self, to: str, number: int, reply: Answering) -> None:
        """Tell a browser where its camera goes."""
        try:
            if to == "frame":
                reply("fly", panels.view_of_frame(self._memory.key_frame(number)))
            elif self._drawn is not None and number in self._drawn.objects:
                reply("fly", panels.view_of_object(self._drawn.objects[number]))
        except SceneMemoryError as error:
            reply("note", plain(str(error), 300))

    def _follow(self) -> None:
        """Follow the memory; one that fails is asked again."""
        polled = grew = time.monotonic()
        while not self._ended.wait(_TICK_S):
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

    def _cover(self) -> None:
        """Draw the surface in place of the points, again as the place has grown by a quarter or
        has stopped growing. It is fused on this thread, of low priority."""
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        covered = before = 0
        while not self._ended.wait(_SURFACE_EVERY_S):
            try:
                stored = len(self._memory.stored_frames())
                is_due = stored > covered * _GROWTH or covered < stored == before
                before = stored
                if not is_due:
                    continue
                covered = stored
                self._place.cover(
                    clear_surface(self._memory, self._settings.most_triangles, self._go_on)
                )
            except MissingOpen3DError as error:
                _log.warning("the place is drawn as points: %s", error)
                return
            except SurfaceError:  # no frame with depth yet
                continue
            except _ClosedError:
                return
            except SceneMindError as error:
                self._warn(error)

    def _go_on(self, _done: int, _total: int) -> None:
        if self._ended.is_set():
            raise _ClosedError

    def _warn(self, error: SceneMindError) -> None:
        """Log the first of several failures in a row."""
        if not self._is_lost:
            _log.warning("the view is not updated: %s", error)
        self._is_lost = True


def _are_same(things: Sequence[MapObject], others: Sequence[MapObject] | None) -> bool:
    """The same values in the same order."""
    return others is not None and len(things) == len(others) and all(map(is_, things, others))


class _ClosedError(Exception):
    """The viewer was closed while a surface was fused."""


def view_address(host: str, port: int, link: str) -> str:
    """The URL of a view: of this machine's name where it listens on all addresses."""
    name = socket.gethostname() if host in ("0.0.0.0", "::", "") else host
    where = f"[{name}]" if ":" in name else name
    return f"http://{where}:{port}/" + (f"?link={link}" if link else "")


def _existing(object_ids: Sequence[int], scene: MemorySnapshot | None) -> tuple[int, ...]:
    """The ids that were not deleted or merged since."""
    return () if scene is None else tuple(i for i in object_ids if i in scene.objects)


def _ids(given: object) -> list[int]:
    """Ids that a page sent; none where it sent something else."""
    if not isinstance(given, list):
        return []
    return [i for i in given[:_MOST_MARKED] if isinstance(i, int) and not isinstance(i, bool)]
