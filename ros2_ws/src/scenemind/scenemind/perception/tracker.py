"""BoT-SORT-style tracking with the camera's motion taken from its poses.

Two-stage association after ByteTrack and BoT-SORT (Aharon et al. 2022, arXiv:2206.14651): strong
detections first, then weak ones for tracks that are still in view. What differs:

- The camera's motion comes from the known poses and each track's depth instead of image features
  (`motion`), so that a track knows its place while the camera looks elsewhere, and waits there.
- Overlap is judged on what both frames could show; things at other depths are others; and what is
  partly hidden is found by containment (`visible_overlap`, `association`).
- The score weighs matches against each other but does not decide which are possible: with scores
  of 0.3, as indoor objects get from small models, the paper's fused threshold would break most
  tracks.
- A new track has its id at once instead of after a second look: the object map confirms objects by
  their place, and a robot that drives fast may see something only every other frame.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.config import TrackerConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, iou_matrix_2d
from scenemind.perception.appearance import LENGTH
from scenemind.perception.association import associate
from scenemind.perception.kalman import BoxStates
from scenemind.perception.measurements import LabelCodes, Measurements
from scenemind.perception.motion import make_camera_motion
from scenemind.perception.motion.places import are_in_front, centers_of, growth, places_at
from scenemind.perception.tracks import LOST, TRACKED, UNCONFIRMED, Tracks
from scenemind.perception.types import Detections
from scenemind.perception.visible_overlap import may_be_visible

_DUPLICATE_IOU = 0.85  # a lost track this close to a live one is the same (BoT-SORT's value)
_REACH = 0.25  # of the image: as far may a thing go on beyond the border that cut it
_MEMORY = 0.9  # of a track's looks, a frame (BoT-SORT's value)
_MOST_TRACKS = 500  # lost ones included; those that were missed longest go first
# What is lost slows down, since most of a velocity is an error of boxes or depth that the camera's
# motion multiplies; its size is not extrapolated at all (BoT-SORT does the same).
_LOST_VELOCITY = np.array([0.5, 0.5, 0.0, 0.0])


class Tracker:
    """Gives detections of consecutive frames ids that stay with the object."""

    def __init__(self, config: TrackerConfig) -> None:
        self._config = config
        self._motion = make_camera_motion(config)
        self._looks = config.appearance_weight > 0.0
        self._tracks = Tracks.empty(LENGTH if self._looks else 0)
        self._visible = np.zeros(0, dtype=np.bool_)  # (T,) could be seen in this frame
        self._label_codes = LabelCodes()
        self._next_id = 1
        self._camera: PinholeCamera | None = None

    def update(self, detections: Detections, frame: RGBDFrame) -> NDArray[np.int64]:
        """Track ids (N,) aligned with the detections.

        -1 where a detection is too weak to start a track and continues none.
        """
        camera, image_size = frame.camera, (frame.camera.width, frame.camera.height)
        measured = Measurements.of(detections, frame, self._label_codes, appearance=self._looks)
        self._predict(self._motion.advance(frame, detections), camera)

        seen = np.flatnonzero(self._visible)
        matched = associate(self._tracks.select(seen), measured, image_size, self._config)
        continued = matched >= 0
        rows, columns = seen[continued], matched[continued]
        ids = np.full(len(measured), -1, dtype=np.int64)
        ids[columns] = self._tracks.ids[rows]
        self._measure(rows, measured.select(columns), camera)
        self._retire(rows)

        new = np.flatnonzero((ids < 0) & (measured.scores >= self._config.new_track_score))
        ids[new] = self._start(measured.select(new), camera)
        return ids

    def _predict(self, motion: NDArray[np.float64], camera: PinholeCamera) -> None:
        """Move every track to where it should be now, by the camera's motion and its own."""
        tracks, previous = self._tracks, self._camera
        self._camera = camera
        zoom = 1.0 if previous is None else camera.fx / previous.fx
        places = tracks.places @ motion.T
        states = tracks.states.slowed(tracks.status == LOST, _LOST_VELOCITY)
        states = states.moved(centers_of(places, camera), growth(tracks.places, places) * zoom)
        states = states.predicted()
        in_front = are_in_front(places)
        own = places_at(states.position[:, :2], places[:, 3], camera)
        places[in_front, :2] = own[in_front, :2] * places[in_front, 2:3]
        self._tracks = replace(tracks, states=states, places=places)
        self._visible = in_front & may_be_visible(
            states.boxes_px(), tracks.cut, (camera.width, camera.height), _REACH
        )

    def _measure(
        self, rows: NDArray[np.intp], measured: Measurements, camera: PinholeCamera
    ) -> None:
        """The tracks in `rows` were seen as `measured`, one each."""
        tracks, cut = self._tracks, self._tracks.cut[rows] | measured.cut
        # A side that the border cuts moves as the border does: that axis starts anew.
        axes = cut[:, :2] | cut[:, 2:]
        states = tracks.states.select(rows).updated(measured.boxes_px)
        states = states.restarted(measured.boxes_px, np.concatenate((axes, axes), axis=1))
        depth, known = tracks.places[rows, 3] / tracks.places[rows, 2], measured.inverse_depth
        depth = np.where(known > 0.0, known, depth)
        strong = measured.scores >= self._config.high_score
        tracks.label_codes[rows[strong]] = measured.label_codes[strong]
        tracks.status[rows] = TRACKED
        tracks.lived[rows] += 1
        tracks.missed[rows] = 0.0
        tracks.cut[rows] = measured.cut
        tracks.places[rows] = places_at(states.position[:, :2], depth, camera)
        tracks.appearance[rows] *= _MEMORY
        tracks.appearance[rows] += (1.0 - _MEMORY) * measured.appearance
        tracks.states.moments[:, rows] = states.moments

    def _retire(self, measured: NDArray[np.intp]) -> None:
        """Tracks that were not measured become lost; unconfirmed, stale and duplicate ones go."""
        tracks, config = self._tracks, self._config
        unseen = np.ones(len(tracks), dtype=np.bool_)
        unseen[measured] = False
        if not unseen.any():
            return
        gone = unseen & (tracks.status == UNCONFIRMED)
        tracks.status[unseen] = LOST
        out_of_view = config.lost_frames / config.out_of_view_frames
        tracks.missed[unseen] += np.where(self._visible[unseen], 1.0, out_of_view)
        gone |= tracks.missed > config.lost_frames
        gone |= _duplicates(tracks, self._visible)
        gone[np.argsort(tracks.missed, kind="stable")[_MOST_TRACKS:]] = True
        if gone.any():
            self._tracks = tracks.select(~gone)

    def _start(self, measured: Measurements, camera: PinholeCamera) -> NDArray[np.int64]:
        """New tracks; their ids."""
        count = len(measured)
        ids = np.arange(self._next_id, self._next_id + count, dtype=np.int64)
        if count == 0:
            return ids
        self._next_id += count
        states = BoxStates.starting_at(measured.boxes_px)
        new = Tracks(
            ids=ids,
            label_codes=measured.label_codes,
            status=np.full(count, UNCONFIRMED, dtype=np.int8),
            lived=np.zeros(count, dtype=np.int64),
            missed=np.zeros(count),
            cut=measured.cut,
            places=places_at(states.position[:, :2], measured.inverse_depth, camera),
            appearance=measured.appearance,
            states=states,
        )
        self._tracks = self._tracks.joined(new)
        return ids


def _duplicates(tracks: Tracks, visible: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of a live and a lost track on one spot, the one that has lived shorter."""
    gone = np.zeros(len(tracks), dtype=np.bool_)
    live = np.flatnonzero((tracks.status == TRACKED) & visible)
    lost = np.flatnonzero((tracks.status == LOST) & visible)
    if len(live) == 0 or len(lost) == 0:
        return gone
    boxes = tracks.states.boxes_px()
    a, b = np.nonzero(iou_matrix_2d(boxes[live], boxes[lost]) > _DUPLICATE_IOU)
    older = tracks.lived[live[a]] > tracks.lived[lost[b]]
    gone[np.where(older, lost[b], live[a])] = True
    return gone
