"""BoT-SORT-style tracking with the camera's motion taken from its poses.

Two-stage association after ByteTrack and BoT-SORT (Aharon et al. 2022, arXiv:2206.14651): strong
detections first, then weak ones for tracks that are still in view. Three things differ. The
camera's motion comes from the known poses and each track's depth instead of image features. The
score weighs matches against each other but does not decide which are possible: with scores of 0.3,
as indoor objects get from small models, the paper's fused threshold would break most tracks. And a
new track has its id at once instead of after a second look: the object map confirms objects by
their place, and a robot that drives fast may see something only every other frame.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.config import TrackerConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Pose, iou_matrix_2d
from scenemind.perception.assignment import assign
from scenemind.perception.camera_motion import reproject
from scenemind.perception.detection_depth import inverse_median_depth
from scenemind.perception.kalman import BoxStates
from scenemind.perception.tracks import LOST, TRACKED, UNCONFIRMED, Tracks
from scenemind.perception.types import Detections

_DUPLICATE_IOU = 0.85  # a lost track this close to a live one is the same (BoT-SORT's value)


class Tracker:
    """Gives detections of consecutive frames ids that stay with the object."""

    def __init__(self, config: TrackerConfig) -> None:
        self._config = config
        self._tracks = Tracks.empty()
        self._label_codes: dict[str, int] = {}
        self._next_id = 1
        self._frame = 0
        self._world_T_camera: Pose | None = None

    def update(self, detections: Detections, frame: RGBDFrame) -> NDArray[np.int64]:
        """Track ids (N,) aligned with the detections.

        -1 where a detection is too weak to start a track and continues none.
        """
        self._predict(frame)
        ids = np.full(len(detections), -1, dtype=np.int64)
        codes = np.array([self._code(label) for label in detections.labels], dtype=np.int64)
        inverse_depth = inverse_median_depth(detections, frame.depth_m)
        values, allowed = self._compare(detections, codes)
        matched = np.full(len(self._tracks), -1, dtype=np.intp)

        for of_tracks, of_detections, threshold in self._stages(detections.scores):
            rows = np.flatnonzero(of_tracks & (matched < 0))
            columns = np.flatnonzero(of_detections & ~np.isin(np.arange(len(ids)), matched))
            pair = np.ix_(rows, columns)
            row, column = assign(values[pair], allowed[pair] >= threshold)
            matched[rows[row]] = columns[column]

        self._update_matched(matched, detections, codes, inverse_depth)
        hit = np.flatnonzero(matched >= 0)
        ids[matched[hit]] = self._tracks.ids[hit]
        self._retire(matched)
        new = np.flatnonzero((ids < 0) & (detections.scores >= self._config.new_track_score))
        ids[new] = self._start(detections.boxes_px[new], codes[new], inverse_depth[new])
        return ids

    def _predict(self, frame: RGBDFrame) -> None:
        """Move every track to where it should be in this frame."""
        self._frame += 1
        tracks, previous = self._tracks, self._world_T_camera
        self._world_T_camera = frame.world_T_camera
        if len(tracks) == 0 or previous is None:
            return
        # The size of what is out of sight is not extrapolated (BoT-SORT does the same).
        velocity = tracks.states.velocity.copy()
        velocity[np.ix_(tracks.status == LOST, (2, 3))] = 0.0
        states = replace(tracks.states, velocity=velocity).predicted()
        motion = frame.world_T_camera.inverse() @ previous
        centers, scale, in_front = reproject(
            states.position[:, :2], tracks.inverse_depth, frame.camera, motion
        )
        moved = replace(
            tracks,
            states=states.moved(centers, scale),
            inverse_depth=tracks.inverse_depth * scale,
        )
        # What has passed the camera is out of the tracker's sight; the map finds it by its place.
        self._tracks = moved.select(in_front)

    def _compare(
        self, detections: Detections, codes: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """For tracks x detections: how good a match is, and the overlap that thresholds judge."""
        overlap = iou_matrix_2d(self._tracks.states.boxes_px(), detections.boxes_px)
        same_label = self._tracks.label_codes[:, None] == codes[None, :]
        overlap = np.where(same_label, overlap, overlap * self._config.label_change_factor)
        return (overlap * detections.scores).astype(np.float32), overlap.astype(np.float32)

    def _stages(
        self, scores: NDArray[np.float32]
    ) -> tuple[tuple[NDArray[np.bool_], NDArray[np.bool_], float], ...]:
        """Which tracks meet which detections, with the smallest overlap, in this order."""
        status, config = self._tracks.status, self._config
        high = scores >= config.high_score
        low = ~high & (scores >= config.low_score)
        return (
            (status != UNCONFIRMED, high, config.match_iou),
            (status == TRACKED, low, config.match_iou_low),
            (status == UNCONFIRMED, high, config.match_iou_unconfirmed),
        )

    def _update_matched(
        self,
        matched: NDArray[np.intp],
        detections: Detections,
        codes: NDArray[np.int64],
        inverse_depth: NDArray[np.float64],
    ) -> None:
        hit = np.flatnonzero(matched >= 0)
        columns = matched[hit]
        tracks = self._tracks
        status, last, labels = tracks.status.copy(), tracks.last_frame.copy(), tracks.label_codes
        status[hit], last[hit] = TRACKED, self._frame
        labels = labels.copy()
        strong = detections.scores[columns] >= self._config.high_score
        labels[hit[strong]] = codes[columns[strong]]
        depth = tracks.inverse_depth.copy()
        depth[hit] = np.where(inverse_depth[columns] > 0, inverse_depth[columns], depth[hit])
        states = tracks.states.select(hit).updated(detections.boxes_px[columns])
        self._tracks = replace(
            tracks,
            status=status,
            last_frame=last,
            label_codes=labels,
            inverse_depth=depth,
            states=tracks.states.replaced(hit, states),
        )

    def _retire(self, matched: NDArray[np.intp]) -> None:
        """Unmatched tracks become lost; unconfirmed, stale and duplicate ones go."""
        tracks, missed = self._tracks, matched < 0
        gone = missed & (tracks.status == UNCONFIRMED)
        status = np.where(missed & ~gone, LOST, tracks.status).astype(np.int8)
        gone |= self._frame - tracks.last_frame > self._config.lost_frames
        gone |= _duplicates(tracks.states, status, tracks.last_frame - tracks.first_frame)
        self._tracks = replace(tracks, status=status).select(~gone)

    def _start(
        self,
        boxes_px: NDArray[np.float32],
        codes: NDArray[np.int64],
        inverse_depth: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """New tracks; their ids."""
        count = len(boxes_px)
        ids = np.arange(self._next_id, self._next_id + count, dtype=np.int64)
        self._next_id += count
        now = np.full(count, self._frame, dtype=np.int64)
        status = np.full(count, UNCONFIRMED, dtype=np.int8)
        states = BoxStates.starting_at(boxes_px)
        new = Tracks(ids, codes, status, now, now, inverse_depth, states)
        self._tracks = self._tracks.joined(new)
        return ids

    def _code(self, label: str) -> int:
        return self._label_codes.setdefault(label, len(self._label_codes))


def _duplicates(
    states: BoxStates, status: NDArray[np.int8], age: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Of a live and a lost track on one spot, the one that has lived shorter."""
    gone = np.zeros(len(status), dtype=np.bool_)
    live, lost = np.flatnonzero(status == TRACKED), np.flatnonzero(status == LOST)
    if len(live) == 0 or len(lost) == 0:
        return gone
    boxes = states.boxes_px()
    a, b = np.nonzero(iou_matrix_2d(boxes[live], boxes[lost]) > _DUPLICATE_IOU)
    older = age[live[a]] > age[lost[b]]
    gone[np.where(older, lost[b], live[a])] = True
    return gone
