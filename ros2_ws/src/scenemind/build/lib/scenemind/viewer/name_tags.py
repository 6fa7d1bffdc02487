"""Names of objects in the 3D view, laid out without overlaps for the camera of each browser."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from scenemind.memory import MapObject
from scenemind.viewer.widgets import plain

if TYPE_CHECKING:
    import viser


MARKED, RELATED, PLAIN = range(3)  # ranks
_NEAREST_M = 0.1
# Size of a name on the screen for a view of 800 rows: viser draws letters of 12 pixels.
_LETTER_PX, _PAD_PX, _HEIGHT_PX, _ROWS = 7.0, 8.0, 17.0, 800.0
_SMALLEST_PX = 6.0  # smaller objects get no name, unless they are marked or related
_MOST = 80
_WIDEST = "MWmw"
MARK = "▶ "


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Camera of a browser.

    Attributes:
        rotation: (3, 3), world from the optical frame: x right, y down, z forward.
        position: (3,), world, metres.
        fov: vertical, radians.
        width, height: pixels.
    """

    rotation: NDArray[np.float64]
    position: NDArray[np.float64]
    fov: float
    width: int
    height: int

    def is_like(self, other: View | None) -> bool:
        """Whether the difference to another view cannot be seen."""
        return (
            other is not None
            and (self.width, self.height) == (other.width, other.height)
            and bool(np.allclose(self.position, other.position, atol=1e-3))
            and bool(np.allclose(self.rotation, other.rotation, atol=1e-3))
        )


def letters_of(text: str) -> float:
    """Width of a text, in small Latin letters: capitals and Chinese characters are wider."""
    return sum(map(_width_of, text))


def _width_of(sign: str) -> float:
    if unicodedata.east_asian_width(sign) in ("W", "F") or sign in _WIDEST:
        return 1.75
    return 1.2 if sign.isupper() else 1.0


def names_that_fit(
    view: View,
    places: NDArray[np.float32],
    sizes_m: NDArray[np.float32],
    letters: Sequence[float],
    ranks: Sequence[int],
) -> list[int]:
    """Rows of the names to show: lower ranks first, then the objects that appear largest.

    Args:
        places: (N, 3), world: each name is centred above its place.
        sizes_m: (N,), sizes of the objects.
        letters: (N,), widths of the names; see `letters_of`.
        ranks: (N,), `MARKED`, `RELATED` or `PLAIN`. Plain names are left out where the object
            appears tiny, or where the edge of the picture would cut the name.
    """
    in_camera = (places - view.position) @ view.rotation
    depth = in_camera[:, 2]
    ahead = np.maximum(depth, _NEAREST_M)
    focal_px = 0.5 * view.height / np.tan(0.5 * view.fov)
    u = focal_px * in_camera[:, 0] / ahead + 0.5 * view.width
    v = focal_px * in_camera[:, 1] / ahead + 0.5 * view.height
    looks_px = focal_px * sizes_m / ahead
    rank = np.asarray(ranks, np.int64)
    matters = rank < PLAIN
    scale = view.height / _ROWS
    half = 0.5 * scale * (_LETTER_PX * np.asarray(letters, np.float64) + _PAD_PX)
    margin = np.where(matters, 0.0, half)
    is_seen = (depth > _NEAREST_M) & (u > margin) & (u < view.width - margin)
    is_seen &= (v > 0) & (v < view.height) & (matters | (looks_px > _SMALLEST_PX))
    kept: list[int] = []
    for row in np.lexsort((-looks_px, rank)).tolist():
        if not is_seen[row]:
            continue
        near = np.abs(u[kept] - u[row]) < half[kept] + half[row]
        if not (near & (np.abs(v[kept] - v[row]) < scale * _HEIGHT_PX)).any():
            kept.append(row)
        if len(kept) == _MOST:
            break
    return kept


class NameTags:
    """Name tags of one browser."""

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
        """Show names of these objects, first those of marked objects and their relations.

        Args:
            marked, related: object ids.
        """
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
        """Lay the names out again if the browser's camera has moved."""
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
