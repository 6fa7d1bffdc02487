"""Where some views of an object showed each of its voxels, two bytes for each view and voxel.

When poses are corrected frame by frame, what single frames showed has to move by itself. The points
of all views would be many times the object. The mean points of four views in each voxel are as good
for that: a millimetre exact, as the outermost of them make the box.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_SAMPLED = 4  # views
_PARTS, _REACH = 32, np.float32(0.6)  # of a place: parts of an axis, and how far that goes, voxels
MOST_PLACE = _PARTS**3
# Of a turn by 0.03 radians: a corner of a voxel moves by less than a part.
_TRACE_OF_SMALL_TURN = 1.0 + 2.0 * float(np.cos(0.03))
_STEPS = np.array((_PARTS * _PARTS, _PARTS, 1), np.float32)
_PLACES = np.zeros((MOST_PLACE + 1, 3), np.float32)
_PLACES[1:] = np.indices((_PARTS, _PARTS, _PARTS)).reshape(3, -1).T + 0.5
_PLACES[1:] *= 2.0 * _REACH / _PARTS
_PLACES[1:] -= _REACH


def encoded(places: NDArray[np.float32]) -> NDArray[np.uint16]:
    """(...): places (..., 3) about a point as numbers from 1 to `MOST_PLACE`.

    Args:
        places: in voxels; what is farther away along an axis than they reach is put there.
    """
    part = np.floor((places + _REACH) * np.float32(_PARTS / (2.0 * _REACH)))
    np.clip(part, 0, _PARTS - 1, out=part)
    numbers: NDArray[np.uint16] = (part @ _STEPS + np.float32(1.0)).astype(np.uint16)
    return numbers


def decoded(numbers: NDArray[np.uint16]) -> NDArray[np.float32]:
    """(..., 3): the places, in voxels, that numbers (...) stand for; 0 is the point itself."""
    return _PLACES.take(numbers, axis=0)


def turned(numbers: NDArray[np.uint16], rotation: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Numbers (...) after a turn (3, 3) about the point; after a small one they are the same."""
    if rotation.trace() > _TRACE_OF_SMALL_TURN:
        return numbers
    found = encoded(decoded(numbers) @ rotation.T.astype(np.float32))
    return np.where(numbers > 0, found, numbers)
