"""Queries about the past of a memory, from its state in RAM and on disk."""

from __future__ import annotations

from collections.abc import Callable

from scenemind.errors import SceneMemoryError
from scenemind.memory.disk.store import Store
from scenemind.memory.history.camera_views import CameraViews, ReadDepth
from scenemind.memory.history.changes import NO_EARLIER_VISIT, SceneChanges, find_changes
from scenemind.memory.history.timeline import (
    PAUSE_S,
    PlaceAt,
    TimeSpan,
    Visit,
    find_place,
    find_visits,
    show_stamp,
)
from scenemind.memory.types import DepthImage, MemorySnapshot

_EVER_NS = 2**63 - 1
EVER = TimeSpan(-_EVER_NS, _EVER_NS)


class MemoryHistory:
    """The past of a memory. Safe to use from several threads; mapping never waits for it."""

    def __init__(
        self,
        store: Store,
        commit: Callable[[], None],
        snapshot: Callable[[], MemorySnapshot],
        depth_image: Callable[[int], DepthImage],
    ) -> None:
        """Args:
        commit: writes pending changes, which brings the newest frames into the store.
        depth_image: the depth of a key frame; raises `SceneMemoryError` where none can be read.
        """
        self._store = store
        self._commit = commit
        self._snapshot = snapshot
        self._depth_image = depth_image

    def visits(self, pause_s: float = PAUSE_S) -> tuple[Visit, ...]:
        """The visits of the camera, oldest first; see `find_visits`.

        Raises:
            SceneMemoryError: the disk failed.
        """
        self._commit()
        stamps = self._store.frame_stamps()
        return find_visits(stamps[:, 0], stamps[:, 1], pause_s)

    def place_of(self, object_id: int, stamp_ns: int) -> PlaceAt | None:
        """The place of an object at a stamp; None before its first observation.

        Raises:
            SceneMemoryError: there is and was no such object.
        """
        scene = self._snapshot()
        is_gone = object_id in scene.gone
        thing = (scene.gone if is_gone else scene.objects).get(object_id)
        if thing is None:
            raise SceneMemoryError(
                f"there is no object {object_id}, and none is remembered that is gone"
            )
        return find_place(thing, stamp_ns, is_gone=is_gone)

    def changes(self, before: TimeSpan, after: TimeSpan) -> SceneChanges:
        """Changes between the ends of two time spans.

        Raises:
            SceneMemoryError: the spans are in the wrong order, or their stamps overlap because the
                clock was set back between them; or the disk failed.
        """
        if not before.last_ns < after.last_ns or after.first_ns < before.first_ns:
            raise SceneMemoryError(
                f"{_shown(before)} is not before {_shown(after)}: name the earlier one first; where"
                " the clock began anew between two visits, map each into a memory of its own, and"
                " compare the memories"
            )
        views_before = self.views(TimeSpan(-_EVER_NS, before.last_ns))
        return find_changes(self._snapshot(), before, after, views_before, self.views(after))

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        """Changes since a moment, or since the end of the previous visit.

        On a first visit, and without a moment, there are none, and `note` says why.

        Raises:
            SceneMemoryError: no frame was mapped yet, the moment is outside the mapped time, or the
                disk failed.
        """
        visits = self.visits()
        if not visits:
            raise SceneMemoryError("nothing has been mapped yet")
        if stamp_ns is None:
            if len(visits) < 2:
                return NO_EARLIER_VISIT
            return self.changes(visits[-2].span, visits[-1].span)
        first_ns, now_ns = visits[0].span.first_ns, visits[-1].span.last_ns
        if not first_ns <= stamp_ns < now_ns:
            raise SceneMemoryError(
                f"{show_stamp(stamp_ns)} is not within what was mapped: {show_stamp(first_ns)} to"
                f" {show_stamp(now_ns)}"
            )
        return self.changes(TimeSpan(first_ns, stamp_ns), TimeSpan(stamp_ns + 1, now_ns))

    def views(self, span: TimeSpan = EVER) -> CameraViews:
        """The views of the camera in a time span.

        Raises:
            SceneMemoryError: the disk failed.
        """
        self._commit()
        found = self._store.views(span.first_ns, span.last_ns)
        key_frames = set(self._store.image_numbers())
        return CameraViews.of(
            [pose for _, pose, _ in found],
            [camera for _, _, camera in found],
            [self._depth_of(number) if number in key_frames else None for number, _, _ in found],
        )

    def _depth_of(self, number: int) -> ReadDepth:
        def read() -> DepthImage | None:
            try:
                return self._depth_image(number)
            except SceneMemoryError:  # deleted meanwhile, or stored without depth
                return None

        return read


def _shown(span: TimeSpan) -> str:
    return f"{show_stamp(span.first_ns)} to {show_stamp(span.last_ns)}"
