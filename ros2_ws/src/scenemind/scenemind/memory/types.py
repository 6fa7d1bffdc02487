"""Values that the memory holds and returns; all can be kept and passed between threads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, PinholeCamera, Pose, turned_box

AttributeSource = Literal["model", "user"]
NAMED_BY = "named by"
"""Attribute of an object that no detector found, or whose label none settled: the model's name."""
LEAST_ALTERNATIVE = 0.1  # probability of a label that is worth a word
LIKELY = 0.5  # confidence from which on an object is likelier there than not
_MOSTLY_MEASURED = 0.8  # share of a box from which on it need not be said that it was completed


@dataclass(frozen=True, slots=True)
class Stay:
    """An object was at one place for a while.

    Attributes:
        box: where it was, axis-aligned, world.
        first_seen_ns, last_seen_ns: stamps of the first and the last observation there.
        gone_ns: stamp of the frame that showed that it was no longer there.
    """

    box: Box3D
    first_seen_ns: int
    last_seen_ns: int
    gone_ns: int


@dataclass(frozen=True, slots=True, eq=False)
class MapObject:
    """One object of the map, with corrections applied.

    Attributes:
        object_id: stable for the life of the memory; merged objects keep the oldest id.
        label: class name, from perception or a correction.
        perceived_label: class name from perception alone.
        attributes: name -> value, such as color -> "dark brown".
        confidence: probability that an object of this label is there, in [0, 1]; 1 if a person
            named or confirmed it.
        label_probabilities: label -> probability, most likely first, by perception: of each that a
            detector ever gave it. What they lack to 1 is something else, or nothing. Empty:
            unknown.
        box: axis-aligned box around the object, world.
        points: (M, 3) float32 surface sample, world, metres; read-only.
        first_seen_ns, last_seen_ns: stamps of the first and the last observation.
        observation_count: observations fused so far.
        track_ids: the tracklets that fed it, oldest first.
        corrected: a person changed something about it.
        stays: its earlier places, oldest first; of a gone object the last one has `gone_ns`.
        known_yaw_box: the yaw box of an object that came without its points; None: computed.
        here_since_ns: stamp of the first observation at its present place, or at its last one if
            it is gone; None: unknown (a merged or remote object).
        attribute_sources: attribute name -> source; names that are missing were measured.
        is_ghost: it is among the gone objects, and was not seen to leave: it was hardly ever
            detected in plain view, and is taken for a ghost.
        measured_share: share of the box that depth showed, in [0, 1]; the rest is where pictures
            place the thing, or what is usual of its kind, such as legs down to the floor.
        direction_count: number of compass sectors of 15 degrees from which it was seen; 0: unknown.
    """

    object_id: int
    label: str
    perceived_label: str
    attributes: Mapping[str, str]
    confidence: float
    box: Box3D
    points: NDArray[np.float32]
    first_seen_ns: int
    last_seen_ns: int
    observation_count: int
    track_ids: tuple[int, ...]
    corrected: bool = False
    stays: tuple[Stay, ...] = ()
    known_yaw_box: Box3D | None = None
    here_since_ns: int | None = None
    attribute_sources: Mapping[str, AttributeSource] = field(default_factory=dict)
    direction_count: int = 0
    is_ghost: bool = False
    measured_share: float = 1.0
    label_probabilities: Mapping[str, float] = field(default_factory=dict)
    _yaw_box: Box3D | None = field(default=None, init=False, repr=False)

    @property
    def id(self) -> int:
        """`object_id`, as people say it: "object 3"."""
        return self.object_id

    @property
    def is_completed(self) -> bool:
        """True if a good part of the box is no measurement: see `measured_share`."""
        return self.measured_share < _MOSTLY_MEASURED

    @property
    def alternatives(self) -> Mapping[str, float]:
        """What it may be instead: label -> probability of 0.1 or more, most likely first. Empty if
        a person said what it is."""
        if self.label != self.perceived_label or self.confidence == 1.0:
            return {}
        likely = self.label_probabilities.items()
        return {name: p for name, p in likely if name != self.label and p >= LEAST_ALTERNATIVE}

    def __repr__(self) -> str:
        return f"MapObject({self.label} {self.object_id}, {self.confidence:.2f}, {self.box})"

    @property
    def yaw_box(self) -> Box3D:
        """The smallest upright box, turned about z, world, from the bottom to the top of `box`;
        `box` where no points are known.

        Computed when first asked for: most objects change with every frame.
        """
        if self.known_yaw_box is not None:
            return self.known_yaw_box
        if self._yaw_box is None:
            box = turned_box(self.points, self.box)
            object.__setattr__(self, "_yaw_box", box)
            return box
        return self._yaw_box


RelationSource = Literal["geometry", "user"]
StructureKind = Literal["floor", "wall", "ceiling"]


@dataclass(frozen=True, slots=True)
class Relation:
    """`subject predicate object`, such as cup 3 `on` table 1. Independent of the viewpoint."""

    subject_id: int
    predicate: str
    object_id: int
    confidence: float = 1.0
    source: RelationSource = "geometry"

    def __repr__(self) -> str:
        said = f"{self.subject_id} {self.predicate} {self.object_id}"
        return f"Relation({said}, {self.confidence:.2f}, {self.source})"


@dataclass(frozen=True, slots=True)
class StructurePlane:
    """A floor, wall or ceiling: a node of the scene graph that is no object of the map.

    Attributes:
        plane_id: negative, unlike ids of objects; stable for the life of the memory.
        box: thin and upright, turned along a wall, world.
        normal: (x, y, z), unit, world, into the room.
        seen_m2: how much of it the camera has seen.
    """

    plane_id: int
    kind: StructureKind
    box: Box3D
    normal: tuple[float, float, float]
    seen_m2: float


@dataclass(frozen=True, slots=True, eq=False)
class MemorySnapshot:
    """The scene graph at one moment.

    Attributes:
        revision: grows with every change of objects, relations or corrections.
        stamp_ns: stamp of the newest integrated frame; 0 before the first.
        objects: confirmed objects by id, ascending.
        relations: relations between them.
        world_T_camera: the last camera pose; None before the first frame.
        gone: objects that were there once, by id; their last stay has place and times.
        structure: floor, walls and ceiling by their negative ids; relations name them too.
        levels: object id -> number of supporters between it and the building (SynergAI, appendix
            B); 0: the floor or a wall carries it, or its carrier is unknown.
        denied: relations that people denied and nobody stated since; none of them is in
            `relations`, and none holds, whatever boxes say.
    """

    revision: int
    stamp_ns: int
    objects: Mapping[int, MapObject]
    relations: tuple[Relation, ...]
    world_T_camera: Pose | None
    gone: Mapping[int, MapObject] = field(default_factory=dict)
    structure: Mapping[int, StructurePlane] = field(default_factory=dict)
    levels: Mapping[int, int] = field(default_factory=dict)
    denied: tuple[Relation, ...] = ()

    def __repr__(self) -> str:
        counts = f"{len(self.objects)} objects, {len(self.relations)} relations"
        return f"MemorySnapshot({counts}, {len(self.gone)} gone, revision {self.revision})"


EditKind = Literal[
    "rename",
    "set_attribute",
    "add_relation",
    "delete_relation",
    "merge",
    "split",
    "delete_object",
    "confirm",
]


NOTE = "note"
"""The attribute of facts in free words. What each person adds stands beside what is there."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change requested by a person.

    Attributes:
        object_ids: the edited objects; for relations exactly (subject, object), one of which may
            be a floor, wall or ceiling; for `merge` the object that stays comes first.
        key: attribute name or predicate; else empty.
        value: the new label or attribute value; else empty.
        places: for `split`: a point (x, y, z), world, in each of the parts.
        new_ids: for `split`: ids of all parts but the first, which keeps its id. The memory fills
            them in.
    """

    kind: EditKind
    object_ids: tuple[int, ...]
    key: str = ""
    value: str = ""
    places: tuple[tuple[float, float, float], ...] = ()
    new_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectAnchor:
    """An object as it was when it was corrected, used to find it again on a rebuilt map.

    Attributes:
        label: perceived label. box: its place, world.
    """

    object_id: int
    label: str
    box: Box3D


@dataclass(frozen=True, slots=True)
class Correction:
    """An entry of the corrections journal: an edit with author, time and reason.

    Attributes:
        correction_id: position in the journal, from 1.
        by: the author. reason: the author's words.
        stamp_ns: wall-clock time of the entry (not of a frame).
        undone_ns: wall-clock time at which it was undone; 0: it stands.
        anchors: the edited objects as they were.
    """

    correction_id: int
    edit: Edit
    by: str
    reason: str
    stamp_ns: int
    undone_ns: int = 0
    anchors: tuple[ObjectAnchor, ...] = ()

    @property
    def undone(self) -> bool:
        """Taken back."""
        return self.undone_ns != 0

    @property
    def as_one(self) -> tuple[int, str, str, int]:
        """The same for entries that one sentence wrote, and that stand or were undone together:
        what is undone and redone as one."""
        return (self.stamp_ns, self.by, self.reason, self.undone_ns)

    def __repr__(self) -> str:
        edit = f"{self.edit.kind} {list(self.edit.object_ids)}"
        undone = ", undone" if self.undone else ""
        return f"Correction({self.correction_id}, {edit}, {self.reason!r}, by {self.by}{undone})"


@dataclass(frozen=True, slots=True)
class PoseCorrection:
    """Poses that were corrected, such as by SLAM, and what objects turned out to be then.

    Attributes:
        number: from 1. at_ns: wall-clock time.
        frames: number of frames whose pose changed.
        largest_m, largest_deg: the farthest that a camera moved, and turned.
        same: pairs of ids that are the same thing, pose corrected: the one that is gone, and the
            older one that stays.
        apart: pairs of ids of an object and of another thing that drift had put into it.
        returned: objects that were taken to be gone, and had never left.
    """

    number: int
    at_ns: int
    frames: int
    largest_m: float
    largest_deg: float
    same: tuple[tuple[int, int], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()
    returned: tuple[int, ...] = ()

    def __repr__(self) -> str:
        shift = f"{self.largest_m:.3f} m, {self.largest_deg:.2f} degrees"
        return f"PoseCorrection({self.number}: {self.frames} frames by up to {shift})"


@dataclass(frozen=True, slots=True)
class Description:
    """A description of an object by a vision-language model, from its best views.

    Attributes:
        attributes: name -> value, such as material -> "wood", caption -> "a low wooden shelf".
        by: the model. label: the object's label at the time of the request.
        stamp_ns: wall-clock time of the reply.
        observation_count: of the object at the time of the request; a much larger one later
            causes a new request.
    """

    object_id: int
    attributes: Mapping[str, str]
    by: str
    label: str
    stamp_ns: int
    observation_count: int


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """An object's mean image vector by one encoder, for matching with words.

    Attributes:
        vector: (D,) float32, unit length.
        views: how many crops are in it.
    """

    object_id: int
    encoder: str
    vector: NDArray[np.float32]
    views: int


@dataclass(frozen=True, slots=True, eq=False)
class DetectionNode:
    """DetNode, the leaf of MemTree3D: one 2D detection (MemTree3D paper, section 3.1)."""

    frame_number: int
    stamp_ns: int
    score: float
    box_px: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class ObjectTracklet:
    """ObjNode: one tracklet within one location.

    Attributes:
        object_id: the map object that it fed; None while (or when) nothing was lifted from it.
        detection_count: DetNodes below it.
        best: the DetNode with the highest score.
        trajectory: (T, 3) float32, world: where the tracked object's centre was, bounded length.
    """

    track_id: int
    label: str
    object_id: int | None
    detection_count: int
    first_seen_ns: int
    last_seen_ns: int
    best: DetectionNode
    trajectory: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class LocationNode:
    """LocNode: a stretch of the camera's way (MemTree3D paper, Algorithm 1).

    Attributes:
        anchor: camera pose at which the location was opened.
        frame_numbers: first and last frame, both included.
        revisit_of: an earlier location at about the same pose, linked and never merged.
        is_open: still growing.
    """

    location_id: int
    anchor: Pose
    first_stamp_ns: int
    last_stamp_ns: int
    frame_numbers: tuple[int, int]
    tracklets: tuple[ObjectTracklet, ...]
    revisit_of: int | None = None
    is_open: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class DepthImage:
    """Depth as it is stored of a key frame.

    Attributes:
        depth_m: (h, w) float32, metres along the optical axis; 0: not measured.
        every_px: pixel (u, v) here is pixel (every_px u, every_px v) of the colour image.
        camera: of this image.
    """

    depth_m: NDArray[np.float32]
    every_px: int
    camera: PinholeCamera


@dataclass(frozen=True, slots=True, eq=False)
class FrameIndex:
    """All stored frames with their detections, as columns; no images.

    Attributes:
        frame_numbers: (N,) int32, oldest first.
        stamps_ns: (N,) int64. location_ids: (N,) int32.
        world_T_camera: (N, 4, 4) float64.
        camera_indices: (N,) int32, rows of `cameras`.
        detection_frames: (M,) int32, rows of the columns above, never falling.
        detection_labels: (M,) int32, rows of `labels`: the detector's labels.
        detection_objects: (M,) int32, ids of present objects, after corrections; 0: none.
        detection_scores: (M,) float32, in [0, 1].
        detection_boxes_px: (M, 4) float32, x0, y0, x1, y1.
    """

    frame_numbers: NDArray[np.int32]
    stamps_ns: NDArray[np.int64]
    location_ids: NDArray[np.int32]
    world_T_camera: NDArray[np.float64]
    camera_indices: NDArray[np.int32]
    cameras: tuple[PinholeCamera, ...]
    detection_frames: NDArray[np.int32]
    detection_labels: NDArray[np.int32]
    detection_objects: NDArray[np.int32]
    detection_scores: NDArray[np.float32]
    detection_boxes_px: NDArray[np.float32]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.frame_numbers)

    @classmethod
    def empty(cls) -> FrameIndex:
        """An index without frames."""
        number, stamp, score = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.float32)
        return cls(
            frame_numbers=number,
            stamps_ns=stamp,
            location_ids=number,
            world_T_camera=np.zeros((0, 4, 4)),
            camera_indices=number,
            cameras=(),
            detection_frames=number,
            detection_labels=number,
            detection_objects=number,
            detection_scores=score,
            detection_boxes_px=np.zeros((0, 4), np.float32),
            labels=(),
        )

    def is_called(self, labels: Collection[str]) -> NDArray[np.bool_]:
        """(M,) bool: the detections with one of these labels."""
        wanted = np.array([label in labels for label in self.labels], np.bool_)
        return wanted[self.detection_labels]

    def is_of(self, object_ids: Collection[int]) -> NDArray[np.bool_]:
        """(M,) bool: the detections of these objects."""
        return np.isin(self.detection_objects, list(object_ids))


@dataclass(frozen=True, slots=True, eq=False)
class KeyFrame:
    """A stored frame with what can be seen in it.

    Attributes:
        frame_number, stamp_ns, location_id: where it stands in the tree.
        camera, world_T_camera: for projecting into it.
        jpeg: the colour image, JPEG-encoded.
        score: how well it shows the requested objects; the scale depends on the selector.
        boxes_px: object id -> detected box (x0, y0, x1, y1) in this frame.
    """

    frame_number: int
    stamp_ns: int
    location_id: int
    camera: PinholeCamera
    world_T_camera: Pose
    jpeg: bytes
    score: float = 0.0
    boxes_px: Mapping[int, tuple[float, float, float, float]] = field(default_factory=dict)

    def __repr__(self) -> str:
        seen = ", ".join(map(str, self.boxes_px))
        size = f"{self.camera.width}x{self.camera.height}"
        return f"KeyFrame({self.frame_number}, {size}, objects {seen or 'none'})"
