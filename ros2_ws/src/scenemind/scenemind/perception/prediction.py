"""Where tracks should be in the next frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera
from scenemind.perception.motion.places import are_in_front, centers_of, growth, places_at
from scenemind.perception.tracks import LOST, Tracks
from scenemind.perception.visible_overlap import may_be_visible

# What is lost slows down, since most of a velocity is an error of boxes or depth that the camera's
# motion multiplies; its size is not extrapolated at all (BoT-SORT does the same).
_LOST_VELOCITY = np.array([0.5, 0.5, 0.0, 0.0])
_REACH = 0.25  # of the image: as far may a thing go on beyond the border that cut it


def predict(
    tracks: Tracks, motion: NDArray[np.float64], camera: PinholeCamera, zoom: float
) -> tuple[Tracks, NDArray[np.bool_]]:
    """Tracks moved by the camera's motion and their own, and which (T,) may be seen.

    Args:
        tracks: after the last frame.
        motion: (4, 4), what places are multiplied with (`motion.places`).
        camera: of the new frame.
        zoom: its focal length over the last frame's.
    """
    places = tracks.places @ motion.T
    states = tracks.states.slowed(tracks.status == LOST, _LOST_VELOCITY)
    states = states.moved(centers_of(places, camera), growth(tracks.places, places) * zoom)
    states = states.predicted()
    in_front = are_in_front(places)
    own = places_at(states.position[:, :2], places[:, 3], camera)
    places[in_front, :2] = own[in_front, :2] * places[in_front, 2:3]
    visible = in_front & may_be_visible(
        states.boxes_px(), tracks.cut, (camera.width, camera.height), _REACH
    )
    return replace(tracks, states=states, places=places), visible
