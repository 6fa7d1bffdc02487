"""One object while it is being mapped: label votes, colours, confidence and surface, updated by
each view.
"""

from __future__ import annotations

from math import atan2, dist, hypot, log2, pi
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D, iou_3d
from scenemind.memory.attributes.form import Form, FormWords
from scenemind.memory.attributes.lazy_attributes import ComputedAttributes
from scenemind.memory.attributes.sizes import find_stance
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.objects.extent import box_of, is_too_wide
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.objects.plausible_labels import (
    WallPlanes,
    best_label,
    label_priors,
    label_probabilities,
)
from scenemind.memory.objects.surface_evidence import SurfaceEvidence
from scenemind.memory.types import MapObject, Stay
from scenemind.perception.colors import COLOR_NAMES
from scenemind.perception.standing import Stance
from scenemind.perception.types import Observation


class ColorStatistics:
    """Colours of the object's own pixels.

    Attributes:
        colors: (24,) float64, how many pixels bore each of `COLOR_NAMES`; never changed in place.
        appearance: (48,) float32 of sum 1, the mean colour histogram; None before the first.
    """

    __slots__ = ("appearance", "colors")

    def __init__(self) -> None:
        self.colors: NDArray[np.float64] = np.zeros(len(COLOR_NAMES))
        self.appearance: NDArray[np.float32] | None = None

    @classmethod
    def restored(cls, record: ObjectRecord) -> ColorStatistics:
        looks = cls()
        looks.colors = np.array([record.colors.get(name, 0.0) for name in COLOR_NAMES])
        looks.appearance = record.appearance
        return looks

    def color_counts(self) -> dict[str, float]:
        """Name -> pixels, for those that occur."""
        counts = zip(COLOR_NAMES, self.colors.tolist(), strict=True)
        return {name: count for name, count in counts if count > 0.0}

    def add(self, observation: Observation) -> None:
        """Add one view."""
        pixels = observation.pixel_count
        self._blend(observation.color_shares * pixels, pixels, observation.appearance)

    def absorb(self, other: ColorStatistics) -> None:
        """Add all views of a duplicate."""
        self._blend(other.colors, float(other.colors.sum()), other.appearance)

    def likeness(self, appearance: NDArray[np.float32]) -> float:
        """Share of the colour histograms that coincides, in [0, 1]."""
        if self.appearance is None:
            return 0.0
        return float(np.minimum(self.appearance, appearance).sum())

    def _blend(
        self,
        colors: NDArray[np.floating],
        pixels: float,
        appearance: NDArray[np.float32] | None,
    ) -> None:
        """Args: pixels: the sum of `colors`."""
        self.colors = self.colors + colors
        if self.appearance is None or appearance is None:
            self.appearance = appearance if self.appearance is None else self.appearance
            return
        share = np.float32(pixels / max(float(self.colors.sum()), 1.0))
        self.appearance = self.appearance + (appearance - self.appearance) * share


# Verdict of the depth image at an object's place: see `gone_objects`.
Sight = Literal["through", "there", "unclear"]
# Weight of a view that the image border cuts: it shows a part, which is often mislabelled.
TRUNCATED_VOTE = 0.5
# Such a view counts this much as a view of a small object, because it may show another one: a
# chair's leg under a table. Near objects with a longer diagonal are always cut.
CUT_VIEW = 0.25
NEVER_WHOLE_M = 0.8
# An object that was seen through from this many viewpoints without an observation in between is
# gone. Frames from one viewpoint add little: errors of a pose, or glass, repeat themselves.
RETIRING_DOUBT = 3.0
OTHER_VIEW_M = 0.1
SAME_VIEW_DOUBT = 0.05
# An object that was in plain view this many times more often than it was detected is a ghost,
# unless it has as many detections as only real objects have.
MISSES_OF_GHOST = 3
FIRM_OBSERVATIONS = 10
# With less overlap a view of what moves by itself shows that it has moved.
STILL_THERE_IOU = 0.25
# Number of compass sectors; views in one sector count as one direction.
DIRECTIONS = 24
# Oldest and newest tracklets that are kept when an object had more.
MOST_TRACKS = 256
# Places from pictures are kept of the last views, and count where they are at least this share of
# the whole views: of a thing with enough depth only views from afar have too little.
MOST_PLACES = 64
PLACED_SHARE = 0.25
ENOUGH_PLACES = 2  # of a thing whose points are also those of its neighbours
# Number of earlier places that are kept of an object that is moved often.
MOST_STAYS = 64


class MapEntry:
    """Mutable, owned by the object map."""

    __slots__ = (
        "_doubted_from",
        "_form",
        "_is_too_wide",
        "_stance",
        "confirmed",
        "doubt",
        "first_seen_ns",
        "floor_z",
        "gone_ns",
        "here_since_ns",
        "last_seen_ns",
        "looks",
        "missed",
        "object_id",
        "observation_count",
        "places",
        "stays",
        "surface",
        "track_ids",
        "viewpoints",
        "votes",
    )

    def __init__(self, object_id: int, config: ObjectMapConfig, stamp_ns: int) -> None:
        self.object_id = object_id
        self.confirmed = False
        self.votes: dict[str, float] = {}
        self.observation_count = 0
        self.missed = 0
        self.first_seen_ns = stamp_ns
        self.here_since_ns = stamp_ns  # of the first observation at its present place
        self.last_seen_ns = stamp_ns
        self.track_ids: list[int] = []
        self.looks = ColorStatistics()
        self.stays: tuple[Stay, ...] = ()
        self.gone_ns: int | None = None
        self.floor_z: float | None = None
        self.viewpoints: dict[int, int] = {}
        self.doubt = 0.0
        self.surface = SurfaceEvidence(config.voxel_m, config.max_points)
        self.places: NDArray[np.float32] = np.zeros((0, 6), np.float32)
        self._doubted_from: NDArray[np.float64] | None = None
        self._form: FormWords | None = None
        self._is_too_wide = False
        self._stance: Stance | None = None

    @property
    def label(self) -> str:
        """The label with most votes; of equals the first in the alphabet."""
        return best_label(self.votes)

    def label_probabilities(self, walls: WallPlanes) -> dict[str, float]:
        """Label -> probability, most likely first: see `plausible_labels`."""
        priors, something_else = label_priors(self.votes, self.observation_count, self.missed)
        return label_probabilities(priors, something_else, self._form_words().form, walls)

    @property
    def whole_views(self) -> float:
        """Number of views; of a small object, views cut by the image border count less."""
        if hypot(*self.box.size) >= NEVER_WHOLE_M:
            return self.observation_count
        whole = self.surface.whole_count
        return whole + CUT_VIEW * (self.observation_count - whole)

    def speaks_for(self, label: str, share: float) -> bool:
        """True if at least this share of the votes is for a label."""
        return self.votes.get(label, 0.0) >= share * sum(self.votes.values())

    def add(self, observation: Observation, stamp_ns: int, viewer: NDArray[np.float64]) -> None:
        """Fuse one view, taken from a place (3,) in the world."""
        line = np.asarray(observation.box.center) - viewer
        ray = line / max(hypot(*line.tolist()), 1e-9)
        whole = not observation.truncated
        if self._has_moved(observation):
            self.surface = SurfaceEvidence(self.surface.cell_m, self.surface.max_points)
            self.places, self.here_since_ns = self.places[:0], stamp_ns
        self.surface.add(observation.points, whole, observation.sigma_m, ray, self.object_id)
        if observation.from_picture:
            self._add_places(np.array([observation.box.extent()], np.float32))
        self.observation_count += 1
        self.looks.add(observation)
        self.first_seen_ns = min(self.first_seen_ns, stamp_ns)
        self.last_seen_ns = max(self.last_seen_ns, stamp_ns)
        self.doubt = max(0.0, self.doubt - 1.0)
        self._vote(observation, line)

    def _has_moved(self, observation: Observation) -> bool:
        """True of people and animals that are elsewhere: they are where they were seen last, and
        not all along their way."""
        if observation.truncated or not self.observation_count:
            return False
        return sense_of(self.label).moves and iou_3d(self.box, observation.box) < STILL_THERE_IOU

    def vote(self, observation: Observation, viewer: NDArray[np.float64]) -> None:
        """Count the label and tracklet of a double detection; its surface is not used."""
        self._vote(observation, np.asarray(observation.box.center) - viewer)

    def _vote(self, observation: Observation, line: NDArray[np.float64]) -> None:
        """Args: line: (3,) from the camera to the object."""
        weight = observation.score * (TRUNCATED_VOTE if observation.truncated else 1.0)
        weight *= self._novelty(line)
        self.votes[observation.label] = self.votes.get(observation.label, 0.0) + weight
        if observation.track_id >= 0 and observation.track_id not in self.track_ids:
            self._add_tracks([observation.track_id])

    def note_sight(self, sight: Sight, viewer: NDArray[np.float64]) -> None:
        """Note the verdict of the depth image at the object's place, from a viewpoint (3,)."""
        if sight == "there":
            self.doubt = max(0.0, self.doubt - 1.0)
            self.missed += 1
        elif sight == "through":
            before = self._doubted_from
            is_new = before is None or dist(viewer, before) >= OTHER_VIEW_M
            self.doubt += 1.0 if is_new else SAME_VIEW_DOUBT
            if is_new:
                self._doubted_from = viewer

    @property
    def is_doubted(self) -> bool:
        """True if it was seen through from several viewpoints since it was last observed."""
        return self.doubt >= RETIRING_DOUBT

    @property
    def is_ghost(self) -> bool:
        """True if it was often in plain view and hardly ever detected."""
        rarely = self.missed > MISSES_OF_GHOST * self.observation_count
        return rarely and self.observation_count < FIRM_OBSERVATIONS

    def retire(self, stamp_ns: int) -> None:
        """End its stay at its place, which was found empty at this stamp."""
        stay = Stay(self.box, self.here_since_ns, self.last_seen_ns, stamp_ns)
        self.stays = (*self.stays, stay)[-MOST_STAYS:]
        self.gone_ns = stamp_ns

    def go_on_from_ghost(self, new: MapEntry) -> None:
        """Continue at the same place, where it was detected again after it was taken for a ghost:
        it had been there all along."""
        self.stays, self.gone_ns, self.doubt = self.stays[:-1], None, 0.0
        self.absorb(new)

    def go_on_as(self, new: MapEntry) -> None:
        """Continue at a new place, where it was mistaken for a new object."""
        self.surface, self.gone_ns, self.doubt = new.surface, None, 0.0
        self.places, self._form = new.places, None
        self.here_since_ns = new.here_since_ns
        self.confirmed = True
        self._take_over(new)

    def absorb(self, other: MapEntry) -> None:
        """Take over everything of a duplicate."""
        self.surface.absorb(other.surface)
        self._add_places(other.places)
        self.here_since_ns = min(self.here_since_ns, other.here_since_ns)
        self._take_over(other)

    def _take_over(self, other: MapEntry) -> None:
        """Add the evidence of another entry, except its surface."""
        self.confirmed = self.confirmed or other.confirmed
        self.observation_count += other.observation_count
        self.missed += other.missed
        for cell, count in other.viewpoints.items():
            self.viewpoints[cell] = self.viewpoints.get(cell, 0) + count
        for label, votes in other.votes.items():
            self.votes[label] = self.votes.get(label, 0.0) + votes
        self.looks.absorb(other.looks)
        self.first_seen_ns = min(self.first_seen_ns, other.first_seen_ns)
        self.last_seen_ns = max(self.last_seen_ns, other.last_seen_ns)
        self._add_tracks([t for t in other.track_ids if t not in self.track_ids])

    @property
    def is_placed(self) -> bool:
        """True if pictures tell its place, as too little of it has depth, or depth shows more than
        one thing of its kind."""
        if self._is_too_wide and len(self.places) >= ENOUGH_PLACES:
            return True
        return len(self.places) >= max(1.0, PLACED_SHARE * self.surface.whole_count)

    def stand_on(self, floor_z: float | None) -> None:
        """Note the height of the floor; None: unknown."""
        self.floor_z, self._form = floor_z, None

    def exchange_surface(self, other: MapEntry) -> None:
        """Swap the surfaces of two parts of what was one object."""
        self.surface, other.surface = other.surface, self.surface
        self.places, other.places = other.places, self.places
        self._form = other._form = None

    @property
    def box(self) -> Box3D:
        """Axis-aligned box: see `extent.box_of`."""
        return self._form_words().form.box

    def to_object(self, walls: WallPlanes) -> MapObject:
        """The value that others may keep, with the label that is most likely beside these walls."""
        probabilities = self.label_probabilities(walls)
        label = next(iter(probabilities))
        return MapObject(
            object_id=self.object_id,
            label=label,
            perceived_label=label,
            attributes=ComputedAttributes(label, self.looks.colors, self._form_words()),
            confidence=probabilities[label],
            label_probabilities=probabilities,
            box=self.box,
            points=self.surface.surface(),
            first_seen_ns=self.first_seen_ns,
            last_seen_ns=self.last_seen_ns,
            observation_count=self.observation_count,
            track_ids=tuple(self.track_ids),
            stays=self.stays,
            here_since_ns=self.here_since_ns,
            measured_share=self._form_words().form.measured_share,
            is_ghost=self.gone_ns is not None and self.is_ghost,
            direction_count=len({cell % DIRECTIONS for cell in self.viewpoints}),
            known_yaw_box=self.box if self.is_placed else None,  # pictures tell no turn
        )

    def to_record(self) -> ObjectRecord:
        """The value that is stored."""
        return ObjectRecord(
            object_id=self.object_id,
            confirmed=self.confirmed,
            votes=dict(self.votes),
            observation_count=self.observation_count,
            first_seen_ns=self.first_seen_ns,
            last_seen_ns=self.last_seen_ns,
            track_ids=tuple(self.track_ids),
            colors=self.looks.color_counts(),
            appearance=self.looks.appearance,
            stays=self.stays,
            here_since_ns=self.here_since_ns,
            gone_ns=self.gone_ns,
            viewpoints=dict(self.viewpoints),
            missed=self.missed,
            doubt=self.doubt,
            places=self.places,
            **self.surface.to_columns(),
        )

    @classmethod
    def from_record(cls, record: ObjectRecord, config: ObjectMapConfig) -> MapEntry:
        """Continue a stored record."""
        entry = cls(record.object_id, config, record.first_seen_ns)
        entry.confirmed = record.confirmed
        entry.votes = dict(record.votes)
        entry.observation_count = record.observation_count
        entry.last_seen_ns = record.last_seen_ns
        entry.track_ids = list(record.track_ids)
        entry.looks = ColorStatistics.restored(record)
        entry.stays = record.stays
        entry.here_since_ns = record.here_since_ns
        entry.gone_ns = record.gone_ns
        entry.viewpoints = dict(record.viewpoints)
        entry.missed = record.missed
        entry.doubt = record.doubt
        entry.places = record.places
        entry.surface = SurfaceEvidence.restored(record, config.max_points)
        return entry

    def _form_words(self) -> FormWords:
        """The form of the surface, kept until something that it is made from changes."""
        points, stance = self.surface.surface(), find_stance(self.label)
        if self._form is None or self._form.form.points is not points or self._stance != stance:
            self._is_too_wide = len(self.places) > 0 and is_too_wide(points, stance)
            places = self.places if self.is_placed else self.places[:0]
            cell_m = self.surface.cell_m
            box = box_of(points, places, stance, self.floor_z, cell_m)
            self._form = FormWords(Form(points, box, cell_m, is_placed=self.is_placed))
            self._stance = stance
        return self._form

    def _novelty(self, line: NDArray[np.float64]) -> float:
        """Weight of one more view along a line (3,) from the camera to the object.

        The n-th view from about the same direction and distance weighs 1 / n: a hundred frames of a
        standing robot are not a hundred independent votes.
        """
        x, y, z = line.tolist()
        direction = int(atan2(y, x) / (2.0 * pi) * DIRECTIONS) % DIRECTIONS
        distance = int(2.0 * log2(max(hypot(x, y, z), 0.125)) + 6.0)
        cell = direction + DIRECTIONS * distance
        before = self.viewpoints.get(cell, 0)
        self.viewpoints[cell] = before + 1
        return 1.0 / (before + 1)

    def _add_places(self, places: NDArray[np.float32]) -> None:
        self.places = np.vstack((self.places, places))[-MOST_PLACES:]
        self._form = None

    def _add_tracks(self, track_ids: list[int]) -> None:
        self.track_ids.extend(track_ids)
        if len(self.track_ids) > MOST_TRACKS:
            half = MOST_TRACKS // 2
            self.track_ids = self.track_ids[:half] + self.track_ids[-half:]
