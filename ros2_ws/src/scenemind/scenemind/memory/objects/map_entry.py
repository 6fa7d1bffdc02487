"""One object while it is being mapped: label votes, colours, confidence and surface, updated by
each view.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import atan2, dist, hypot, log2, pi
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.config import ObjectMapConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D, iou_3d
from scenemind.memory.attributes.form import Form, FormWords
from scenemind.memory.attributes.lazy_attributes import ComputedAttributes
from scenemind.memory.attributes.sizes import find_kind, find_stance
from scenemind.memory.frame_corrections import FrameCorrections, moved_box, yaw_of
from scenemind.memory.frames_first import give_way
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.objects.box_table import compare_boxes
from scenemind.memory.objects.carriers import NO_CARRIERS
from scenemind.memory.objects.extent import box_of, is_too_wide
from scenemind.memory.objects.hidden_backs import HiddenBack
from scenemind.memory.objects.object_record import ObjectRecord, Stretch
from scenemind.memory.objects.plain_sight import Outline
from scenemind.memory.objects.plausible_labels import (
    WallPlanes,
    best_label,
    label_priors,
    label_probabilities,
)
from scenemind.memory.objects.stretches import (
    LEAST_VIEWS,
    bounded,
    corrected,
    joined,
    keyed,
    remainder,
    settled,
    stretch_number,
    surface_of,
    things_apart,
)
from scenemind.memory.objects.surface_evidence import (
    SurfaceEvidence,
    SurfaceView,
    Vector,
    add_views,
)
from scenemind.memory.types import MapObject, Stay
from scenemind.perception.colors import COLOR_NAMES
from scenemind.perception.standing import Stance
from scenemind.perception.types import Observation

_ROWS = {name: row for row, name in enumerate(COLOR_NAMES)}


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
        for name, count in record.colors.items():
            if name in _ROWS:
                looks.colors[_ROWS[name]] = count
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

    def without(self, parts: Sequence[Stretch]) -> ColorStatistics:
        """What is left without some of the views."""
        left = ColorStatistics()
        own = float(self.colors.sum())
        left.colors = np.maximum(self.colors - sum(part.colors for part in parts), 0.0)
        left.appearance = self.appearance
        known = [part for part in parts if part.appearance is not None]
        if self.appearance is not None and known:
            rest = own * self.appearance
            rest = rest - sum(part.colors.sum() * part.appearance for part in known)
            rest = np.maximum(rest, 0.0)
            if rest.sum() > 0.0:
                left.appearance = np.asarray(rest / rest.sum(), np.float32)
        return left

    def likeness(self, appearance: NDArray[np.float32]) -> float:
        """Share of the colour histograms that coincides, in [0, 1]."""
        if self.appearance is None:
            return 0.0
        return float(np.add.reduce(np.minimum(self.appearance, appearance)))

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
        share = np.float32(pixels / max(float(np.add.reduce(self.colors)), 1.0))
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
_NO_FRAMES = (0, -1)
# Two boxes are of one thing at one place where this share of the smaller one lies in the other.
SAME_PLACE = 0.5
# A correction that moves an object by less changes nothing about it.
_UNMOVED_M = 5e-4


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Whence an object was seen.

    Attributes:
        viewer: (3,), place of the camera, world, metres.
        number: of the frame in the memory. way_m: that the camera had come, see `stretches`.
        shake_rad: standard deviation of the turn of its pose.
    """

    stamp_ns: int
    viewer: NDArray[np.float64]
    number: int = 0
    way_m: float = 0.0
    shake_rad: float = 0.0

    def line_to(self, observation: Observation) -> Vector:
        """From the camera to what was observed."""
        (x, y, z), (from_x, from_y, from_z) = observation.box.center, self.viewer.tolist()
        return x - from_x, y - from_y, z - from_z


class MapEntry:
    """Mutable, owned by the object map.

    Attributes:
        carriers: what carries it, see `plausible_labels`; its map notes it.
        frames: numbers of the first and the last frame since the last of the stretches.
        stretches_unwritten: these differ from what was stored last.
    """

    __slots__ = (
        "_doubted_from",
        "_form",
        "_form_label",
        "_hidden_back",
        "_in_wall",
        "_is_too_wide",
        "_label",
        "_stance",
        "_stored_stretches",
        "_stretch_number",
        "_stretches",
        "carriers",
        "confirmed",
        "doubt",
        "first_seen_ns",
        "floor_z",
        "frames",
        "gone_ns",
        "here_since_ns",
        "last_seen_ns",
        "looks",
        "missed",
        "object_id",
        "observation_count",
        "place_frames",
        "places",
        "stays",
        "stretches_unwritten",
        "surface",
        "track_ids",
        "viewpoints",
        "votes",
    )

    def __init__(
        self,
        object_id: int,
        config: ObjectMapConfig,
        stamp_ns: int,
        surface: SurfaceEvidence | None = None,
    ) -> None:
        self.object_id = object_id
        self.confirmed = False
        self.votes: dict[str, float] = {}
        self._label: str | None = None  # with most votes; None: to be found
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
        self.surface = surface or SurfaceEvidence(config.voxel_m, config.max_points)
        self.places: NDArray[np.float32] = np.zeros((0, 6), np.float32)
        self.carriers: Mapping[str, float] = NO_CARRIERS
        self._doubted_from: NDArray[np.float64] | None = None
        self._form: FormWords | None = None
        self._is_too_wide = False
        self._stance: Stance | None = None
        self._hidden_back = HiddenBack()
        self._form_label = ""
        self._in_wall: tuple[Form, WallPlanes, float] | None = None
        self.frames = _NO_FRAMES
        self.place_frames: NDArray[np.int32] = np.zeros(0, np.int32)
        self._stretches: tuple[Stretch, ...] = ()
        self._stored_stretches: tuple[Stretch, ...] = ()  # without keys, as nobody asked yet
        self.stretches_unwritten = False
        self._stretch_number: int | None = None

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """Its evidence by earlier stretches of the camera's way: see `stretches`."""
        if self._stored_stretches:
            self._stretches, self._stored_stretches = keyed(self._stored_stretches), ()
        return self._stretches

    @property
    def label(self) -> str:
        """The label with most votes; of equals the first in the alphabet."""
        if self._label is None:
            self._label = best_label(self.votes)
        return self._label

    def say(self, label: str, weight: float) -> None:
        """Add votes for a label."""
        self.votes[label] = self.votes.get(label, 0.0) + weight
        if label != self._label:
            self._label = None

    def label_probabilities(
        self, walls: WallPlanes, carriers: Mapping[str, float] | None = None
    ) -> dict[str, float]:
        """Label -> probability, most likely first: see `plausible_labels`.

        Args:
            carriers: other ones than its own.
        """
        carriers = self.carriers if carriers is None else carriers
        priors, something_else = label_priors(self.votes, self.observation_count, self.missed)
        form = self._form_words().form
        if self._in_wall is None or self._in_wall[0] is not form or self._in_wall[1] is not walls:
            self._in_wall = form, walls, walls.share_of(form.points, max(form.box.size))
        return label_probabilities(priors, something_else, form, self._in_wall[2], carriers)

    @property
    def whole_views(self) -> float:
        """Number of views; of a small object, views cut by the image border count less."""
        if hypot(*self.box.size) >= NEVER_WHOLE_M:
            return self.observation_count
        whole = self.surface.whole_count
        return whole + CUT_VIEW * (self.observation_count - whole)

    def speaks_for(self, label: str, share: float) -> bool:
        """True if at least this share of the votes is for a label."""
        own = self.votes.get(label, 0.0)
        return own >= share * sum(self.votes.values())

    def add(self, observation: Observation, view: View) -> None:
        """Fuse one view."""
        fuse_views([self], [observation], view)

    def _begin(self, observation: Observation, view: View) -> SurfaceView:
        """Make ready for a view; what it adds to the surface."""
        self._go_on_at(view)
        if self._has_moved(observation):
            self.surface = SurfaceEvidence(self.surface.cell_m, self.surface.max_points)
            self._set_places(self.places[:0], self.place_frames[:0])
            self.here_since_ns = view.stamp_ns
            self._set_stretches(())
            self.frames = view.number, view.number
        x, y, z = view.line_to(observation)
        away_m = max(hypot(x, y, z), 1e-9)
        return SurfaceView(
            observation.points,
            not observation.truncated,
            observation.sigma_m,
            (x / away_m, y / away_m, z / away_m),
            self.object_id,
            None if observation.from_picture else Outline(observation.box_px, observation.mask),
            view.number,
            view.shake_rad * away_m,
        )

    def _note(self, observation: Observation, view: View) -> None:
        """Note all of a view but its surface."""
        stamp_ns, number = view.stamp_ns, view.number
        if observation.from_picture:
            self._add_places(
                np.array([observation.box.extent()], np.float32), np.array([number], np.int32)
            )
        self.observation_count += 1
        self.looks.add(observation)
        self.first_seen_ns = min(self.first_seen_ns, stamp_ns)
        self.last_seen_ns = max(self.last_seen_ns, stamp_ns)
        self.doubt = max(0.0, self.doubt - 1.0)
        self.vote(observation, view)

    def _has_moved(self, observation: Observation) -> bool:
        """True of people and animals that are elsewhere: they are where they were seen last, and
        not all along their way."""
        if observation.truncated or not self.observation_count:
            return False
        return sense_of(self.label).moves and iou_3d(self.box, observation.box) < STILL_THERE_IOU

    def vote(self, observation: Observation, view: View) -> None:
        """Count the label and tracklet of a detection; of a double nothing else is used."""
        weight = observation.score * (TRUNCATED_VOTE if observation.truncated else 1.0)
        weight *= self._novelty(view.line_to(observation))
        self.say(observation.label, weight)
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
        self._set_places(new.places, new.place_frames)
        self._set_stretches(new.sealed())
        self.here_since_ns = new.here_since_ns
        self.confirmed = True
        self._take_over(new)

    def return_from_drift(self, other: MapEntry, gone_ns: int | None) -> None:
        """Continue with what drift had made another object, one of which was taken to be gone."""
        stays = (s for s in (*self.stays, *other.stays) if s.gone_ns != gone_ns)
        self.stays = tuple(sorted(stays, key=lambda s: s.gone_ns))[-MOST_STAYS:]
        self.gone_ns, self.doubt = None, 0.0
        self.absorb(other)

    def forget_stays_of_drift(self, before: MapEntry) -> bool:
        """Forget earlier places that are its present one, and were not before poses were corrected;
        False if there are none.

        Args:
            before: the object before that.
        """
        was = {stay.gone_ns: _share(stay.box, before.box) for stay in before.stays}
        drifted = [
            stay
            for stay in self.stays
            if _share(stay.box, self.box) >= SAME_PLACE > was.get(stay.gone_ns, 1.0)
        ]
        if not drifted:
            return False
        self.stays = tuple(stay for stay in self.stays if stay not in drifted)
        self.here_since_ns = min(self.here_since_ns, *(s.first_seen_ns for s in drifted))
        return True

    def absorb(self, other: MapEntry) -> None:
        """Take over everything of a duplicate."""
        stretches = (*self.sealed(), *other.sealed())
        self.surface.absorb(other.surface)
        self._set_stretches(bounded(stretches))
        self._add_places(other.places, other.place_frames)
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
            self.say(label, votes)
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
        self.floor_z = floor_z
        if self._stance is not None and self._stance.on_floor:
            self._form = None

    def exchange_surface(self, other: MapEntry) -> None:
        """Swap the surfaces of two parts of what was one object."""
        own, others = self.sealed(), other.sealed()
        self._set_stretches(others)
        other._set_stretches(own)
        self.surface, other.surface = other.surface, self.surface
        places = self.places, self.place_frames
        self._set_places(other.places, other.place_frames)
        other._set_places(*places)

    @property
    def box(self) -> Box3D:
        """Axis-aligned box: see `extent.box_of`."""
        return self._form_words().form.box

    def to_object(self, walls: WallPlanes) -> MapObject:
        """The value that others may keep, with the label that is most likely beside these walls."""
        probabilities = self.label_probabilities(walls)
        label = next(iter(probabilities))
        thing = MapObject(
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
        kind = find_kind(label)
        if kind is None or kind.flat_depth_m is None or self.is_placed:
            return thing
        return self._hidden_back.complete(thing, kind.flat_depth_m, self._view_directions())

    def _view_directions(self) -> NDArray[np.float64]:
        """(D, 2): horizontal unit directions from the camera, in the middle of each compass sector
        that the object was seen in; see `_novelty`."""
        sectors = np.array(sorted({cell % DIRECTIONS for cell in self.viewpoints}), np.int64)
        sectors[sectors >= DIRECTIONS // 2] -= DIRECTIONS  # they begin at 0 to both sides
        angles = (sectors + np.sign(sectors) / 2.0) * (2.0 * pi / DIRECTIONS)
        return np.column_stack((np.cos(angles), np.sin(angles)))

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
            place_frames=self.place_frames,
            frames=self.frames,
            stretches=self.stretches if self.stretches_unwritten else None,
            **self.surface.to_columns(),
        )

    @classmethod
    def from_record(cls, record: ObjectRecord, config: ObjectMapConfig) -> MapEntry:
        """Continue a stored record."""
        surface = SurfaceEvidence.restored(record, config.max_points)
        entry = cls(record.object_id, config, record.first_seen_ns, surface)
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
        entry.places, entry.place_frames = record.places, record.place_frames
        entry.frames = record.frames
        entry._stored_stretches = record.stretches or ()
        return entry

    def _form_words(self) -> FormWords:
        """The form of the surface, kept until something that it is made from changes."""
        points, label, form = self.surface.surface(), self.label, self._form
        if form is not None and form.form.points is not points:
            form = None
        if form is not None and label == self._form_label:
            return form
        stance, self._form_label = find_stance(label), label
        if form is None or self._stance is not stance:  # stances are those of a table
            self._is_too_wide = len(self.places) > 0 and is_too_wide(points, stance)
            places = self.places if self.is_placed else self.places[:0]
            cell_m = self.surface.cell_m
            box = box_of(points, places, stance, self.floor_z, cell_m)
            form = FormWords(Form(points, box, cell_m, is_placed=self.is_placed))
            self._form, self._stance = form, stance
        return form

    def sealed(self) -> tuple[Stretch, ...]:
        """All of its evidence by stretches; what comes next begins another one."""
        first, last = self.frames
        if last < first:
            return self.stretches
        kept = settled(self.surface, self.stretches)
        voxels = remainder(self.surface, kept)
        if len(voxels.keys):
            looks = self.looks.without(kept)
            noise = self.surface.noise.to_array()
            new = Stretch(
                frames=(first, last),
                votes=_less(self.votes, [s.votes for s in kept]),
                observation_count=self.observation_count - sum(s.observation_count for s in kept),
                whole_count=self.surface.whole_count - sum(s.whole_count for s in kept),
                first_seen_ns=max((s.last_seen_ns for s in kept), default=self.first_seen_ns),
                last_seen_ns=self.last_seen_ns,
                track_ids=tuple(set(self.track_ids).difference(*(s.track_ids for s in kept))),
                colors=looks.colors,
                appearance=looks.appearance,
                noise=np.maximum(noise - sum(s.noise for s in kept), 0.0),
                cell_m=self.surface.cell_m,
                view_frames=self.surface.sampled_frames,
                **voxels._asdict(),
            )
            kept = bounded((*kept, new))
        self._set_stretches(kept)
        return self.stretches

    def mark(self) -> tuple[object, ...]:
        """Differs once something was observed of the object, or a person or model said of it."""
        votes = sum(self.votes.values())
        return self.frames, self.observation_count, len(self.track_ids), self.gone_ns, votes

    def frozen(self, *, sealed: bool = False) -> MapEntry:
        """A copy that does not change when the object does.

        Args:
            sealed: close its stretches first.
        """
        if sealed:
            self.sealed()
        entry = copy(self)
        entry.votes, entry.track_ids = dict(self.votes), list(self.track_ids)
        entry.looks, entry.viewpoints = copy(self.looks), dict(self.viewpoints)
        entry._form_words()  # of the surface as it is now
        entry.surface = copy(self.surface)
        return entry

    def corrected(
        self, corrections: FrameCorrections, matrices: NDArray[np.float64]
    ) -> CorrectedEntry | None:
        """The object after poses of frames were corrected; None: nothing of it moves. Call
        `sealed` before; this one does not change.

        Args:
            matrices: (S, 4, 4), the mean corrections of its stretches.
        """
        if not self.stretches:
            return None
        corners = self.box.corners()
        still = not self.stays
        of_stays = np.zeros((0, 4, 4))
        if self.stays:
            of_stays = corrections.of_frames(
                corrections.frames_at([stay.last_seen_ns for stay in self.stays])
            )
            still = bool(np.abs(of_stays - np.eye(4)).max() < _UNMOVED_M)
        if still:
            shifts = corners @ matrices[:, :3, :3].transpose(0, 2, 1) + matrices[:, None, :3, 3]
            if np.abs(shifts - corners).max() < _UNMOVED_M:
                return None
        moved = corrected(self.stretches, corners, matrices, corrections)
        give_way()
        own, *others = things_apart(moved)
        entry = copy(self)
        entry.votes, entry.track_ids = dict(self.votes), list(self.track_ids)
        entry.looks = copy(self.looks)
        entry._set_stretches(own)
        give_way()
        entry.surface = surface_of(own, self.surface.max_points)
        by_frame = corrections.of_frames(self.place_frames)
        places = [
            moved_box(Box3D.from_bounds(place[:3], place[3:]), move)
            for place, move in zip(self.places, by_frame, strict=True)
        ]
        entry._set_places(
            np.array([place.extent() for place in places], np.float32).reshape(-1, 6),
            self.place_frames,
        )
        entry.stays = tuple(
            replace(stay, box=moved_box(stay.box, m))
            for stay, m in zip(self.stays, of_stays, strict=True)
        )
        turn = round(yaw_of(matrices[-1]) / (2.0 * pi) * DIRECTIONS)
        entry.viewpoints = {
            (cell % DIRECTIONS + turn) % DIRECTIONS + cell // DIRECTIONS * DIRECTIONS: count
            for cell, count in self.viewpoints.items()
        }
        entry.doubt, entry._doubted_from = 0.0, None
        latest = max(moved, key=lambda stretch: stretch.frames[1])
        parts, newest = [], None if any(latest in o for o in others) else entry
        for stretches in others:
            give_way()
            part = joined(stretches)
            entry._leave(part)
            if part.observation_count >= LEAST_VIEWS:
                parts.append(self._part(stretches, part))
                newest = parts[-1] if latest in stretches else newest
        most = max(own, key=lambda stretch: stretch.observation_count).frames
        move = matrices[[stretch.frames for stretch in self.stretches].index(most)]
        return CorrectedEntry(entry, tuple(parts), newest, move)

    def _leave(self, part: Stretch) -> None:
        """Take the evidence of something else out, except its surface."""
        self.votes, self._label = _less(self.votes, [part.votes]) or self.votes, None
        self.observation_count = max(self.observation_count - part.observation_count, 1)
        self.track_ids = [i for i in self.track_ids if i not in part.track_ids]
        self.looks = self.looks.without([part])

    def _part(self, stretches: Sequence[Stretch], whole: Stretch) -> MapEntry:
        """A thing of its own, of some of the stretches."""
        entry = copy(self)
        entry.object_id = 0
        entry.votes, entry._label = dict(whole.votes) or dict(self.votes), None
        entry.observation_count, entry.missed, entry.doubt = whole.observation_count, 0, 0.0
        entry.first_seen_ns = entry.here_since_ns = whole.first_seen_ns
        entry.last_seen_ns, entry.gone_ns, entry.stays = whole.last_seen_ns, None, ()
        entry.track_ids, entry.viewpoints = list(whole.track_ids), {}
        entry.looks = ColorStatistics()
        entry.looks.colors, entry.looks.appearance = whole.colors, whole.appearance
        entry.surface = surface_of(stretches, self.surface.max_points)
        entry._set_stretches(tuple(stretches))
        entry._set_places(self.places[:0], self.place_frames[:0])
        return entry

    def _go_on_at(self, view: View) -> None:
        """Note a view, with which another stretch may begin."""
        number, stretch = view.number, stretch_number(self.object_id, view.way_m)
        if stretch != self._stretch_number:
            self.sealed()
            self._stretch_number = stretch
        first, last = self.frames
        self.frames = (number, number) if last < first else (first, number)

    def _set_stretches(self, stretches: Sequence[Stretch]) -> None:
        """Note that these are all of its evidence."""
        self._stretches, self._stored_stretches = tuple(stretches), ()
        self.frames = _NO_FRAMES
        self.surface.forget_samples()
        self.stretches_unwritten = True

    def _novelty(self, line: Vector) -> float:
        """Weight of one more view along a line from the camera to the object.

        The n-th view from about the same direction and distance weighs 1 / n: a hundred frames of a
        standing robot are not a hundred independent votes.
        """
        x, y, z = line
        direction = int(atan2(y, x) / (2.0 * pi) * DIRECTIONS) % DIRECTIONS
        distance = int(2.0 * log2(max(hypot(x, y, z), 0.125)) + 6.0)
        cell = direction + DIRECTIONS * distance
        before = self.viewpoints.get(cell, 0)
        self.viewpoints[cell] = before + 1
        return 1.0 / (before + 1)

    def _add_places(self, places: NDArray[np.float32], frames: NDArray[np.int32]) -> None:
        self._set_places(
            np.vstack((self.places, places))[-MOST_PLACES:],
            np.concatenate((self.place_frames, frames))[-MOST_PLACES:],
        )

    def _set_places(self, places: NDArray[np.float32], frames: NDArray[np.int32]) -> None:
        self.places, self.place_frames, self._form = places, frames, None

    def _add_tracks(self, track_ids: list[int]) -> None:
        self.track_ids.extend(track_ids)
        if len(self.track_ids) > MOST_TRACKS:
            half = MOST_TRACKS // 2
            self.track_ids = self.track_ids[:half] + self.track_ids[-half:]


def _less(votes: Mapping[str, float], others: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Votes without those of others; labels without any are left out."""
    left = {label: v - sum(o.get(label, 0.0) for o in others) for label, v in votes.items()}
    return {label: v for label, v in left.items() if v > 1e-9}


def _share(a: Box3D, b: Box3D) -> float:
    """Share of the smaller box that lies in the other one."""
    return float(compare_boxes(np.array([a.extent()]), np.array([b.extent()])).share[0])


def fuse_views(
    entries: Sequence[MapEntry],
    observations: Sequence[Observation],
    view: View,
    frame: RGBDFrame | None = None,
) -> None:
    """Fuse one view of each of different objects.

    Args:
        frame: of the view; None: nothing is in plain sight beside the objects.
    """
    views = [e._begin(o, view) for e, o in zip(entries, observations, strict=True)]
    add_views([entry.surface for entry in entries], views, frame)
    for entry, observation in zip(entries, observations, strict=True):
        entry._note(observation, view)


@dataclass(frozen=True, slots=True, eq=False)
class CorrectedEntry:
    """An object after poses were corrected.

    Attributes:
        parts: other things that drift had put into it; they have no ids yet.
        newest: the one of all these that was seen last; None: it was seen too little to be one.
        move: (4, 4), how the part of it moved that was seen most.
    """

    entry: MapEntry
    parts: tuple[MapEntry, ...]
    newest: MapEntry | None
    move: NDArray[np.float64]
