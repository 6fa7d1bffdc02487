"""MemTree3D's scoring-based frame selection (paper, section 3.3), from bookkept best views."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from scenemind.memory.tree.best_views import BestViews
from scenemind.memory.tree.views import Views, weights_of

KEY_WEIGHT = 1.0
CUE_WEIGHT = 0.1  # lambda of the paper

# Where no locations are given, so many are looked at: for each frame, and at least.
_LOCATIONS_A_FRAME, _FEWEST_LOCATIONS = 8, 24


class RankedFrame(NamedTuple):
    """A stored frame and how well it shows what was asked for.

    Attributes:
        score: sum over the objects in it of weight times how well the frame shows each; 0 for one
            of a location that was asked for by its id.
    """

    location_id: int
    frame_number: int
    score: float


def rank_key_frames(
    views: BestViews,
    key_objects: Iterable[int],
    cue_objects: Iterable[int] = (),
    k: int = 3,
    locations: Collection[int] | None = None,
) -> Iterator[RankedFrame]:
    """Frames, best first: the first of each location is the one to take, and those after it are
    there for when its image is gone.

    Score(f) is the sum over the objects in frame f of w * s: w is 1.0 for key objects, that help
    to answer, and 0.1 for cue objects, that are near those; one that is both is a key. It differs
    from the paper in two ways:

    - s is how well the frame shows the object (`key_frames.view_scores`), not the detector's
      confidence alone, which is as high far away as near by.
    - Of each object and location only the few best views are looked at, not every detection, so
      that the cost does not grow with the frames. A frame that is among the best of one object and
      not of another counts as if it did not show the other.

    The views are those at the time of the call.

    Args:
        k: how many locations are wanted.
        locations: those to choose from, such as a language model has picked; at the end come
            their frames without any of the objects, first those that show most. None: all that saw
            an object, of which the 8 k (at least 24) are looked at whose best views of the objects
            sum up to most. Of one object that misses none of the best k, and of several few: at the
            hundredth visit some frame shows them as well as ever.
    """
    weights = dict.fromkeys(cue_objects, CUE_WEIGHT) | dict.fromkeys(key_objects, KEY_WEIGHT)
    if locations is None:
        most = max(_FEWEST_LOCATIONS, _LOCATIONS_A_FRAME * k)
        return _best_first(views.of_objects(weights, most), weights)
    return _best_first(views.at_locations(locations), weights)


def _best_first(views: Views, weights: Mapping[int, float]) -> Iterator[RankedFrame]:
    """Of equals first the one that shows more, then the older one."""
    frames, first, frame_of = np.unique(views.frame_numbers, return_index=True, return_inverse=True)
    scores = np.bincount(frame_of, weights_of(views.object_ids, weights) * views.scores)
    order = np.lexsort((-np.bincount(frame_of, views.scores), -scores))
    columns = views.location_ids[first[order]], frames[order], scores[order]
    return map(RankedFrame, *(column.tolist() for column in columns))
