"""MemTree3D's scoring-based frame selection (paper, section 3.3), from bookkept best views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scenemind.memory.tree.best_views import BestViews
from scenemind.memory.tree.views import OVERVIEW, Views

KEY_WEIGHT = 1.0
CUE_WEIGHT = 0.1  # lambda of the paper


@dataclass(frozen=True, slots=True)
class SelectedFrame:
    """The frame of one location that shows best what was asked for.

    Attributes:
        score: sum over the objects in it of weight times how well the frame shows each; 0 for the
            frame of a location that was asked for by its id and has none of the objects.
        object_ids: the key and cue objects whose best views are in it, ascending.
    """

    location_id: int
    frame_number: int
    score: float
    object_ids: tuple[int, ...]


def select_key_frames(
    views: BestViews,
    key_objects: Iterable[int],
    cue_objects: Iterable[int] = (),
    k: int = 3,
    locations: Sequence[int] | None = None,
) -> list[SelectedFrame]:
    """One frame of each location, best first.

    Score(f) is the sum over the objects in frame f of w * s: w is 1.0 for key objects, that help
    to answer, and 0.1 for cue objects, that are near those; one that is both is a key. It differs
    from the paper in two ways:

    - s is how well the frame shows the object (`key_frames.view_scores`), not the detector's
      confidence alone, which is as high far away as near by.
    - Of each object and location only the few best views are looked at, not every detection, so
      that the cost does not grow with the frames. A frame that is among the best of one object and
      not of another counts as if it did not show the other.

    Args:
        k: at most so many frames.
        locations: those to choose from, such as a language model has picked; one without any of
            the objects gives the frame that shows most there. None: all that saw an object.
    """
    weights = dict.fromkeys(cue_objects, CUE_WEIGHT) | dict.fromkeys(key_objects, KEY_WEIGHT)
    asked = None if locations is None else dict.fromkeys(locations)
    selected = _best_frames(views.of_objects(weights, asked), weights, k)
    if asked is not None:
        missing = sorted(asked.keys() - {frame.location_id for frame in selected})
        overviews = (_find_overview(views, location_id) for location_id in missing)
        selected += [frame for frame in overviews if frame is not None]
    return selected[:k]


def _best_frames(views: Views, weights: Mapping[int, float], k: int) -> list[SelectedFrame]:
    """The `k` best of the best frame of each location; of equals the older one."""
    if not len(views):
        return []
    known = np.array(sorted(weights))
    weight = np.array([weights[object_id] for object_id in known.tolist()])
    weight = weight[np.searchsorted(known, views.object_ids)]
    frames, first, frame_of = np.unique(views.frame_numbers, return_index=True, return_inverse=True)
    scores = np.bincount(frame_of, weights=weight * views.scores, minlength=len(frames))
    best_first = np.argsort(-scores, kind="stable")
    places = views.location_ids[first]
    _, leading = np.unique(places[best_first], return_index=True)
    return [
        SelectedFrame(
            location_id=int(places[row]),
            frame_number=int(frames[row]),
            score=float(scores[row]),
            object_ids=tuple(sorted(views.object_ids[frame_of == row].tolist())),
        )
        for row in best_first[np.sort(leading)[:k]].tolist()
    ]


def _find_overview(views: BestViews, location_id: int) -> SelectedFrame | None:
    there = views.of_location(location_id)
    rows = np.flatnonzero(there.object_ids == OVERVIEW)
    if not len(rows):
        return None
    return SelectedFrame(location_id, int(there.frame_numbers[rows[0]]), 0.0, ())
