"""Names in the 3D view, laid out for each browser by where it looks from."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

import numpy as np
import viser
from scipy.spatial.transform import Rotation

from scenemind.memory import MapObject
from scenemind.viewer.html import plain
from scenemind.viewer.tags import MARKED, PLAIN, RELATED, View, letters_of, names_that_fit

MARK = "▶ "


class NameTags:
    """Of one browser."""

    def __init__(self, client: viser.ClientHandle) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._things: list[MapObject] = []
        self._texts: list[str] = []
        self._letters: list[float] = []
        self._ranks: list[int] = []
        self._tags: dict[int, viser.LabelHandle] = {}
        self._view: View | None = None

    def show(
        self, things: Sequence[MapObject], marked: Collection[int], related: Collection[int]
    ) -> None:
        """Names of these, first of all of what is marked and of what that is related to."""
        with self._lock:
            self._things = list(things)
            self._ranks = [_rank(t.object_id, marked, related) for t in things]
            self._texts = [
                f"{MARK if t.object_id in marked else ''}{plain(t.label)} {t.object_id}"
                for t in things
            ]
            self._letters = [letters_of(text) for text in self._texts]
            self._view = None
        self.follow()

    def follow(self) -> None:
        """Lay them out anew where the browser looks from elsewhere now."""
        camera = self._client.camera
        w, x, y, z = camera.wxyz
        view = View(
            Rotation.from_quat((x, y, z, w)).as_matrix(),
            np.asarray(camera.position, np.float64),
            float(camera.fov),
            int(camera.image_width),
            int(camera.image_height),
        )
        with self._lock:
            if view.is_like(self._view):
                return
            self._view = view
            self._draw(view)

    def _draw(self, view: View) -> None:
        places = np.array([_place_of(t) for t in self._things], np.float32).reshape(-1, 3)
        sizes = np.array([max(t.box.size) for t in self._things], np.float32)
        rows = names_that_fit(view, places, sizes, self._letters, self._ranks)
        wanted = {self._things[row].object_id: row for row in rows}
        known = {thing.object_id for thing in self._things}
        with self._client.atomic():
            for object_id in self._tags.keys() - known:
                self._tags.pop(object_id).remove()
            for object_id, tag in self._tags.items():
                tag.visible = object_id in wanted
            for object_id, row in wanted.items():
                self._put(object_id, self._texts[row], places[row])

    def _put(self, object_id: int, text: str, place: np.ndarray) -> None:
        tag = self._tags.get(object_id)
        if tag is None:
            self._tags[object_id] = self._client.scene.add_label(
                f"/names/{object_id}", text, position=place, anchor="bottom-center"
            )
            return
        tag.text = text
        if not np.array_equal(tag.position, place):
            tag.position = place


def _place_of(thing: MapObject) -> tuple[float, float, float]:
    x, y, z = thing.box.center
    return x, y, z + thing.box.size[2] / 2.0


def _rank(object_id: int, marked: Collection[int], related: Collection[int]) -> int:
    return MARKED if object_id in marked else RELATED if object_id in related else PLAIN
