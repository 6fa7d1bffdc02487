"""One object while it is being mapped: votes, looks and surface that change with each view."""

from __future__ import annotations

from math import atan2, dist, hypot, log2, pi
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D
from scenemind.memory.attributes.computed import ComputedAttributes
from scenemind.memory.attributes.form import Form
from scenemind.memory.attributes.form_words import FormWords
from scenemind.memory.objects.confidence import confidence
from scenemind.memory.objects.fusion import SurfaceEvidence
from scenemind.memory.objects.looks import Looks
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.types import MapObject, Stay
from scenemind.perception.types import Observation

# What the depth image shows where an object was: see `free_space`.
Sight = Literal["through", "there", "unclear"]

# Boxes are rounded outward to this: finer than a depth camera measures, and an object at rest
# keeps exactly the same box, so nothing that hangs on it need be computed again.
BOX_STEP_M = 0.005
# A view that the image border cuts shows a part, and parts are mistaken for other things.
TRUNCATED_VOTE = 0.5
# ... or are all that is seen of another thing: a chair's leg under a table. Large things are always
# cut when they are near; what is smaller (diagonal) only where it comes into view or leaves it.
CUT_VIEW = 0.25
NEVER_WHOLE_M = 0.8
# Seen through from so many places without being seen in between, an object is gone. The same place
# says again and again what it said first: a pose that is wrong, glass.
RETIRING_DOUBT = 3.0
OTHER_VIEW_M = 0.1
SAME_VIEW_DOUBT = 0.05
# Something that was seen where it should be so many times more often than it was detected is none,
# unless it was detected as often as only real things are.
MISSES_OF_GHOST = 3
FIRM_OBSERVATIONS = 10
# Sectors of the compass in which views count as one direction.
DIRECTIONS = 24
# Oldest and newest tracklets that are kept when an object had more.
MOST_TRACKS = 256
# Newest earlier places that are kept of a thing that is moved again and again.
MOST_STAYS = 64


class MapEntry:
    """Mutable, owned by the object map."""

    __slots__ = (
        "_doubted_from",
        "_form",
        "confirmed",
        "doubt",
        "first_seen_ns",
        "gone_ns",
        "here_since_ns",
        "last_seen_ns",
        "looks",
        "missed",
        "object_id",
        "observation_count",
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
        self.looks = Looks()
        self.stays: tuple[Stay, ...] = ()
        self.gone_ns: int | None = None
        self.viewpoints: dict[int, int] = {}
        self.doubt = 0.0
        self.surface = SurfaceEvidence(config.voxel_m, config.max_points)
        self._doubted_from: NDArray[np.float64] | None = None
        self._form: FormWords | None = None

    @property
    def label(self) -> str:
        """The label with most votes; of equals the first in the alphabet."""
        return min(self.votes, key=lambda label: (-self.votes[label], label))

    @property
    def confidence(self) -> float:
        """Probability that such a thing stands there: see `confidence`."""
        won, votes = max(self.votes.values()), sum(self.votes.values())
        return confidence(won, votes, self.observation_count, self.missed)

    @property
    def whole_views(self) -> float:
        """How often it was seen, where a cut view of something small counts for less."""
        if hypot(*self.box.size) >= NEVER_WHOLE_M:
            return self.observation_count
        whole = self.surface.whole_count
        return whole + CUT_VIEW * (self.observation_count - whole)

    def speaks_for(self, label: str, share: float) -> bool:
        """Whether at least this share of the votes went to a label."""
        return self.votes.get(label, 0.0) >= share * sum(self.votes.values())

    def add(self, observation: Observation, stamp_ns: int, viewer: NDArray[np.float64]) -> None:
        """Fuse one view, taken from a place (3,) in the world."""
        line = np.asarray(observation.box.center) - viewer
        ray = line / max(hypot(*line.tolist()), 1e-9)
        whole = not observation.truncated
        self.surface.add(observation.points, whole, observation.sigma_m, ray, self.object_id)
        self.observation_count += 1
        self.looks.add(observation)
        self.first_seen_ns = min(self.first_seen_ns, stamp_ns)
        self.last_seen_ns = max(self.last_seen_ns, stamp_ns)
        self.doubt = max(0.0, self.doubt - 1.0)
        self._vote(observation, line)

    def vote(self, observation: Observation, viewer: NDArray[np.float64]) -> None:
        """Count a label and a tracklet without looking at the surface (a double detection)."""
        self._vote(observation, np.asarray(observation.box.center) - viewer)

    def _vote(self, observation: Observation, line: NDArray[np.float64]) -> None:
        """Args: line: (3,) from the camera to the object."""
        weight = observation.score * (TRUNCATED_VOTE if observation.truncated else 1.0)
        weight *= self._novelty(line)
        self.votes[observation.label] = self.votes.get(observation.label, 0.0) + weight
        if observation.track_id >= 0 and observation.track_id not in self.track_ids:
            self._add_tracks([observation.track_id])

    def note_sight(self, sight: Sight, viewer: NDArray[np.float64]) -> None:
        """What the depth image said where the object should be, seen from a place (3,)."""
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
        """It was seen through from several places since it was last seen."""
        return self.doubt >= RETIRING_DOUBT

    @property
    def is_ghost(self) -> bool:
        """It is in plain view, and hardly ever detected."""
        rarely = self.missed > MISSES_OF_GHOST * self.observation_count
        return rarely and self.observation_count < FIRM_OBSERVATIONS

    def retire(self, stamp_ns: int) -> None:
        """It is no longer where it was."""
        stay = Stay(self.box, self.here_since_ns, self.last_seen_ns, stamp_ns)
        self.stays = (*self.stays, stay)[-MOST_STAYS:]
        self.gone_ns = stamp_ns

    def go_on_as(self, new: MapEntry) -> None:
        """It was moved: what was taken for a new object is this one at its new place."""
        self.surface, self.gone_ns, self.doubt = new.surface, None, 0.0
        self.here_since_ns = new.here_since_ns
        self.confirmed = True
        self._take_over(new)

    def absorb(self, other: MapEntry) -> None:
        """Take over everything of a duplicate."""
        self.surface.absorb(other.surface)
        self.here_since_ns = min(self.here_since_ns, other.here_since_ns)
        self._take_over(other)

    def _take_over(self, other: MapEntry) -> None:
        """All but the surface."""
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
    def box(self) -> Box3D:
        """Axis-aligned box of the surface that counts, rounded outward."""
        return self._form_words().form.box

    def to_object(self) -> MapObject:
        """The value that others may keep."""
        label = self.label
        return MapObject(
            object_id=self.object_id,
            label=label,
            perceived_label=label,
            attributes=ComputedAttributes(label, self.looks.colors, self._form_words()),
            confidence=self.confidence,
            box=self.box,
            points=self.surface.surface(),
            first_seen_ns=self.first_seen_ns,
            last_seen_ns=self.last_seen_ns,
            observation_count=self.observation_count,
            track_ids=tuple(self.track_ids),
            stays=self.stays,
            here_since_ns=self.here_since_ns,
            direction_count=len({cell % DIRECTIONS for cell in self.viewpoints}),
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
            **self.surface.to_columns(),
        )

    @classmethod
    def from_record(cls, record: ObjectRecord, config: ObjectMapConfig) -> MapEntry:
        """Go on where the record was taken."""
        entry = cls(record.object_id, config, record.first_seen_ns)
        entry.confirmed = record.confirmed
        entry.votes = dict(record.votes)
        entry.observation_count = record.observation_count
        entry.last_seen_ns = record.last_seen_ns
        entry.track_ids = list(record.track_ids)
        entry.looks = Looks.restored(record)
        entry.stays = record.stays
        entry.here_since_ns = record.here_since_ns
        entry.gone_ns = record.gone_ns
        entry.viewpoints = dict(record.viewpoints)
        entry.missed = record.missed
        entry.doubt = record.doubt
        entry.surface = SurfaceEvidence.restored(record, config.max_points)
        return entry

    def _form_words(self) -> FormWords:
        """The same as long as the surface is."""
        points = self.surface.surface()
        if self._form is None or self._form.form.points is not points:
            self._form = FormWords(Form(points, _rounded_outward(points), self.surface.cell_m))
        return self._form

    def _novelty(self, line: NDArray[np.float64]) -> float:
        """Weight of one more view along a line (3,) from the camera to the object.

        The n-th view from about the same direction and distance is worth 1 / n: a hundred frames
        of a robot that stands still are not a hundred opinions.
        """
        x, y, z = line.tolist()
        direction = int(atan2(y, x) / (2.0 * pi) * DIRECTIONS) % DIRECTIONS
        distance = int(2.0 * log2(max(hypot(x, y, z), 0.125)) + 6.0)
        cell = direction + DIRECTIONS * distance
        before = self.viewpoints.get(cell, 0)
        self.viewpoints[cell] = before + 1
        return 1.0 / (before + 1)

    def _add_tracks(self, track_ids: list[int]) -> None:
        self.track_ids.extend(track_ids)
        if len(self.track_ids) > MOST_TRACKS:
            half = MOST_TRACKS // 2
            self.track_ids = self.track_ids[:half] + self.track_ids[-half:]


def _rounded_outward(points: NDArray[np.float32]) -> Box3D:
    columns = np.ascontiguousarray(points.T)  # reduced several times faster than rows
    low = np.floor(columns.min(axis=1).astype(np.float64) / BOX_STEP_M)
    high = np.ceil(columns.max(axis=1).astype(np.float64) / BOX_STEP_M)
    return Box3D.from_bounds(low * BOX_STEP_M, high * BOX_STEP_M)
