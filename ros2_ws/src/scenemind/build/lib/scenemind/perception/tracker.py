"""BoT-SORT-style tracking with the camera's motion taken from its poses.

Two-stage association after ByteTrack and BoT-SORT (Aharon et al. 2022, arXiv:2206.14651): strong
detections first, then weak ones for tracks that are still in view. What differs:

- The camera's motion comes from known poses and each track's depth instead of image features
  (`camera_motion`): a track keeps its place in the world while the camera looks elsewhere.
- Overlap counts only what both frames could show; different depths are different objects; and
  partly hidden objects are matched by containment (`tracks`, `association`).
- The score weighs matches against each other but does not limit them: at scores of 0.3, which
  indoor objects get from small models, the paper's fused threshold would break most tracks.
- A new track has its id at once instead of after a second detection: the object map confirms
  objects by their place, and a fast robot may see something only every other frame.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.config import TrackerConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, iou_matrix_2d
from scenemind.perception.association import associate
from scenemind.perception.camera_motion import make_camera_motion, places_at
from scenemind.perception.colors import HISTOGRAM_LENGTH
from scenemind.perception.kalman import BoxStates
from scenemind.perception.measurements import LabelCodes, Measurements
from scenemind.perception.tracks import LOST, TRACKED, UNCONFIRMED, Tracks, predict
from scenemind.perception.types import Detections

_log = logging.getLogger(__name__)

_DUPLICATE_IOU = 0.85  # a lost track this close to a live one is the same (BoT-SORT's value)
_MEMORY = 0.9  # share of a track's appearance kept per frame (BoT-SORT's value)
_MOST_TRACKS = 500  # lost ones included; those missed longest are removed first
_PLAUSIBLE = 0.5  # share of the tracks that must continue for the camera's motion to be plausible
_NO_MOTION = np.eye(4)


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """Result of prediction and association.

    Attributes:
        tracks: T predicted tracks.
        visible: (T,) bool, may be visible in this frame.
        rows, columns: tracks and the detections that continue them, pair by pair.
        continued: number of matched tracks that were not lost.
    """

    tracks: Tracks
    visible: NDArray[np.bool_]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    continued: int


class Tracker:
    """Assigns ids to the detections of consecutive frames, constant for each object.

    Attributes:
        rejected_motions: frames in which the camera's motion was implausible and ignored.
    """

    def __init__(self, config: TrackerConfig) -> None:
        self.rejected_motions = 0
        self._config = config
        self._motion = make_camera_motion(config)
        self._uses_appearance = config.appearance_weight > 0.0
        self._tracks = Tracks.empty(HISTOGRAM_LENGTH if self._uses_appearance else 0)
        self._label_codes = LabelCodes()
        self._next_id = 1
        self._camera: PinholeCamera | None = None

    def update(self, detections: Detections, frame: RGBDFrame) -> NDArray[np.int64]:
        """Track ids (N,) of the detections; -1 for those too weak to start a track.

        Predict and associate, update, retire, spawn (BoT-SORT, section 3).
        """
        camera = frame.camera
        measured = Measurements.of(
            detections, frame, self._label_codes, appearance=self._uses_appearance
        )
        step = self._predict_and_associate(
            self._motion.advance(frame, detections), measured, camera
        )
        self._tracks, self._camera = step.tracks, camera
        ids = np.full(len(measured), -1, dtype=np.int64)
        ids[step.columns] = self._tracks.ids[step.rows]
        self._update_tracks(step.rows, measured.select(step.columns), camera)
        self._retire(step.rows, step.visible)

        new = np.flatnonzero((ids < 0) & (measured.scores >= self._config.new_track_score))
        ids[new] = self._spawn(measured.select(new), camera)
        return ids

    def _predict_and_associate(
        self, motion: NDArray[np.float64], measured: Measurements, camera: PinholeCamera
    ) -> _Step:
        """Predict and associate; without camera motion where that continues far more tracks.

        Odometry that is corrected by half a metre, or optical flow with too few corners, would
        break every track at once.
        """
        step = self._try_motion(motion, measured, camera)
        live = int(np.count_nonzero(self._tracks.status != LOST))
        if step.continued >= _PLAUSIBLE * min(live, len(measured)) or (motion == _NO_MOTION).all():
            return step
        without = self._try_motion(_NO_MOTION, measured, camera)
        if without.continued < 2 * (1 + step.continued):
            return step
        self.rejected_motions += 1
        if self.rejected_motions == 1:
            _log.warning(
                "the camera's motion by %s continues %d of %d tracks, no motion %d: it is ignored"
                " in this frame",
                self._config.camera_motion,
                step.continued,
                live,
                without.continued,
            )
        return without

    def _try_motion(
        self, motion: NDArray[np.float64], measured: Measurements, camera: PinholeCamera
    ) -> _Step:
        zoom = 1.0 if self._camera is None else camera.fx / self._camera.fx
        tracks, visible = predict(self._tracks, motion, camera, zoom)
        seen = np.flatnonzero(visible)
        size = (camera.width, camera.height)
        matched = associate(tracks.select(seen), measured, size, self._config)
        found = matched >= 0
        rows, columns = seen[found], matched[found]
        live = int(np.count_nonzero(tracks.status[rows] != LOST))
        return _Step(tracks, visible, rows, columns, continued=live)

    def _update_tracks(
        self, rows: NDArray[np.intp], measured: Measurements, camera: PinholeCamera
    ) -> None:
        """Update the tracks in `rows` with one measurement each."""
        tracks, cut = self._tracks, self._tracks.cut[rows] | measured.cut
        # A side that the border cuts moves with the border: that axis restarts.
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

    def _retire(self, measured: NDArray[np.intp], visible: NDArray[np.bool_]) -> None:
        """Mark unmatched tracks as lost; remove stale, unconfirmed and duplicate ones."""
        tracks, config = self._tracks, self._config
        unseen = np.ones(len(tracks), dtype=np.bool_)
        unseen[measured] = False
        if not unseen.any():
            return
        out_of_view = config.lost_frames / config.out_of_view_frames
        tracks.missed[unseen] += np.where(visible[unseen], 1.0, out_of_view)
        confirmed = tracks.status != UNCONFIRMED
        tracks.status[unseen & confirmed] = LOST
        gone = tracks.missed > np.where(confirmed, config.lost_frames, config.unconfirmed_frames)
        gone |= _duplicates(tracks, visible)
        gone[np.argsort(tracks.missed, kind="stable")[_MOST_TRACKS:]] = True
        if gone.any():
            self._tracks = tracks.select(~gone)

    def _spawn(self, measured: Measurements, camera: PinholeCamera) -> NDArray[np.int64]:
        """Add new tracks; returns their ids."""
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
    """(T,) bool: of a live and a lost track at one place, the one with the shorter life."""
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
