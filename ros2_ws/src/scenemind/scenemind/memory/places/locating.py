"""Where a new map lies in an old one: a constellation proposes, depth disposes.

A transform is taken only if the objects that it explains can hardly be chance, if no other
transform explains nearly as much, and if the depth of both maps' key frames does not look through
what the other one measured. A wrong place is worse than none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.history.camera_views import CameraViews
from scenemind.memory.objects.gone_objects import FARTHEST_M, NEAREST_M, compare_points
from scenemind.memory.places.constellation import Hypothesis, Landmarks, find_transforms
from scenemind.memory.places.refining import refined
from scenemind.memory.reader import MemoryReader

# Objects and bits beyond chance that a place needs; the fewer ones are enough where depth agrees
# nearly everywhere, which it does nowhere else, not even in rooms of like furniture.
_LEAST_PAIRS, _LEAST_BITS, _FEWER_BITS, _AGREE_WELL = 5, 24.0, 12.0, 0.98
# Share of the new map's objects that the transform explains, counted where the old map's camera
# looked.
_LEAST_SHARE = 0.5
# Another transform may explain at most this share of the bits, unless depth refutes it.
_RIVAL_SHARE = 0.6
# Depth: points that are decided, and the share of them that both maps agree on.
_LEAST_DECIDED, _AGREE, _REFUTED = 150, 0.95, 0.75
_KEY_FRAMES, _POINTS_A_FRAME = 16, 120
_VIEWS = 40
_NEAR_M = 5.0


@dataclass(frozen=True, slots=True, eq=False)
class Location:
    """Where a new map lies in an old one.

    Attributes:
        old_T_new: None: it cannot be told.
        reason: why it cannot be told; empty where it can.
        pairs: (K, 2) int64, ids in the new and in the old map of objects that are one.
        bits: of evidence beyond chance; see `constellation`.
        rival_share: how much of it the next other transform explains, in [0, 1].
        agreement: share of the compared depth in which both maps agree; NaN: none was compared.
        unrefined: why it is where the objects put it, and depth did not refine that; empty where
            it did.
    """

    old_T_new: Pose | None
    reason: str
    pairs: NDArray[np.int64]
    bits: float = 0.0
    rival_share: float = 0.0
    agreement: float = float("nan")
    unrefined: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _DepthView:
    camera: PinholeCamera
    world_T_camera: Pose
    depth_m: NDArray[np.float32]


def locate(new: MemoryReader, old: MemoryReader) -> Location:
    """Where the world of one memory lies in that of another one, both z-up.

    Takes some tenths of a second, about one more where the place is found, and the memories' locks
    only for moments: for a thread beside mapping.
    """
    ours, theirs = (_landmarks_of(memory) for memory in (new, old))
    for landmarks, which in ((ours, "the new map"), (theirs, "the old map")):
        if len(landmarks) < _LEAST_PAIRS:
            return _unknown(
                f"{which} has {len(landmarks)} objects that stay where they are: at least"
                f" {_LEAST_PAIRS} are needed to know a place again"
            )
    found = find_transforms(ours, theirs)
    if not found:
        return _unknown("no two objects of the new map stand to each other as in the old one")
    judged = _judge(found, ours, _Depths(new), _Depths(old))
    if judged.old_T_new is None:
        return judged
    place, unrefined = refined(new, old, judged.old_T_new)
    return replace(judged, old_T_new=place, unrefined=unrefined)


def _judge(found: Sequence[Hypothesis], ours: Landmarks, new: _Depths, old: _Depths) -> Location:
    best = found[0]
    bits = best.bits - best.chance_bits
    few = f"{len(best.pairs)} objects stand as in the old map, which may be chance"
    if len(best.pairs) < _LEAST_PAIRS or bits < _FEWER_BITS:
        return _unknown(few, best, bits)
    agreement = _agreement(best.b_T_a, new, old)
    if bits < _LEAST_BITS and not agreement >= _AGREE_WELL:
        return _unknown(few, best, bits, agreement=agreement)
    rivals = [h for h in found[1:] if h.bits >= _RIVAL_SHARE * best.bits]
    standing = [h for h in rivals if not _agreement(h.b_T_a, new, old) < _REFUTED]
    rival_share = max((h.bits / best.bits for h in standing), default=0.0)
    result = best, bits, rival_share, agreement
    known = old.sees(best.b_T_a.transform(ours.centers))
    share = np.isin(ours.ids, best.pairs[:, 0])[known].mean() if known.any() else 0.0
    if share < _LEAST_SHARE:
        return _unknown(
            f"only {share:.0%} of the new map's objects stand where the old map has them", *result
        )
    if standing:
        return _unknown("the new map fits into the old one in more than one way", *result)
    if not agreement >= _AGREE:
        return _unknown("what depth shows there differs too much", *result)
    return Location(best.b_T_a, "", best.pairs, bits, rival_share, agreement)


def _unknown(
    reason: str,
    best: Hypothesis | None = None,
    bits: float = 0.0,
    rival_share: float = 0.0,
    agreement: float = float("nan"),
) -> Location:
    pairs = np.zeros((0, 2), np.int64) if best is None else best.pairs
    return Location(None, reason, pairs, bits, rival_share, agreement)


def _landmarks_of(memory: MemoryReader) -> Landmarks:
    scene = memory.snapshot()
    floors = [p.box.center[2] for p in scene.structure.values() if p.kind == "floor"]
    return Landmarks.of(scene.objects.values(), floors[0] if floors else None)


class _Depths:
    """The stored depth of a memory, read when it is asked for and kept."""

    def __init__(self, memory: MemoryReader) -> None:
        self._memory = memory
        self._index = index = memory.frame_index()
        self._numbers = index.frame_numbers
        self._poses = index.world_T_camera
        self._read: dict[int, _DepthView | None] = {}
        self._points: NDArray[np.float32] | None = None

    @property
    def places(self) -> NDArray[np.float64]:
        """(N, 3): where the stored frames were taken."""
        return self._poses[:, :3, 3]

    def sees(self, points: NDArray[np.floating]) -> NDArray[np.bool_]:
        """(P,): points (P, 3), world, that are in the picture of stored frames, near enough."""
        index = self._index
        poses = [Pose.from_matrix(pose) for pose in index.world_T_camera]
        cameras = [index.cameras[i] for i in index.camera_indices.tolist()]
        return np.asarray(CameraViews.of(poses, cameras).count(points.astype(np.float64)) > 0)

    def points(self) -> NDArray[np.float32]:
        """(P, 3): what some frames, evenly over all, measured; world."""
        if self._points is None:
            rows = _evenly(np.arange(len(self._numbers)), _KEY_FRAMES)
            measured = [_points_of(view) for row in rows if (view := self.view(row)) is not None]
            self._points = np.concatenate((np.zeros((0, 3), np.float32), *measured))
        return self._points

    def view(self, row: int) -> _DepthView | None:
        """The depth of a stored frame; None where it cannot be read."""
        if row not in self._read:
            try:
                image = self._memory.depth_image(int(self._numbers[row]))
            except SceneMemoryError:  # deleted meanwhile, or stored without depth
                self._read[row] = None
            else:
                pose = Pose.from_matrix(self._poses[row])
                self._read[row] = _DepthView(image.camera, pose, image.depth_m)
        return self._read[row]


def _points_of(view: _DepthView) -> NDArray[np.float32]:
    """(P, 3) of a grid over an image, world."""
    depth_m = view.depth_m
    step = max(1, round((depth_m.size / _POINTS_A_FRAME) ** 0.5))
    v, u = np.mgrid[step // 2 : depth_m.shape[0] : step, step // 2 : depth_m.shape[1] : step]
    z = depth_m[v, u]
    good = (z > NEAREST_M) & (z < FARTHEST_M)
    points = view.camera.unproject(u[good], v[good], z[good])
    return np.asarray(view.world_T_camera.transform(points), np.float32)


def _agreement(b_T_a: Pose, a: _Depths, b: _Depths) -> float:
    """Share of the depth measured in each map that the other one's frames meet too, of what they
    meet or look through; NaN where too little is decided."""
    a_T_b = b_T_a.inverse()
    there, through = np.add(
        _looks(b_T_a.transform(a.points()), b), _looks(a_T_b.transform(b.points()), a)
    ).tolist()
    decided = there + through
    return there / decided if decided >= _LEAST_DECIDED else float("nan")


def _looks(points: NDArray[np.floating], seen_by: _Depths) -> tuple[int, int]:
    """Numbers of points (P, 3), world, that the stored depth meets, and that it only looks
    through."""
    there, through = np.zeros(len(points), bool), np.zeros(len(points), bool)
    if not len(points) or not len(seen_by.places):
        return 0, 0
    middle = points.mean(axis=0)
    apart_m = np.linalg.norm(seen_by.places - middle, axis=1)
    reach_m = _NEAR_M + float(np.linalg.norm(points - middle, axis=1).max())
    for row in _evenly(np.flatnonzero(apart_m <= reach_m), _VIEWS):
        view = seen_by.view(row)
        if view is not None:
            passed, met = compare_points(points.astype(np.float32), view)
            there |= met
            through |= passed
    return int(there.sum()), int((through & ~there).sum())


def _evenly(rows: NDArray[np.intp], most: int) -> list[int]:
    return list(rows[:: max(1, -(-len(rows) // most))].tolist())
