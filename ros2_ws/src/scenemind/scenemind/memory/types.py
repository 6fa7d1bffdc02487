"""What the memory holds and hands out: all values, safe to keep and to pass between threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, PinholeCamera, Pose, smallest_upright_box


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


AttributeSource = Literal["model", "user"]


@dataclass(frozen=True, slots=True, eq=False)
class MapObject:
    """One object of the map, as people should see it: corrections are applied.

    Attributes:
        object_id: stable for the life of the memory; merged objects keep the oldest id.
        label: class name; a person's word where one was given.
        perceived_label: what perception alone says.
        attributes: name -> value, such as color -> "dark brown".
        confidence: probability that a thing of this label stands there, in [0, 1]; 1 for a
            person's word.
        box: axis-aligned box around the object, world.
        points: (M, 3) float32 surface sample, world, metres; read-only.
        first_seen_ns, last_seen_ns: stamps of the first and the last observation.
        observation_count: observations fused so far.
        track_ids: the tracklets that fed it, oldest first.
        corrected: a person changed something about it.
        stays: where it was before, oldest first; for an object that is gone the last one says
            since when.
        known_yaw_box: the yaw box of an object that came without its points; None: computed.
        here_since_ns: stamp of the first observation at its present place, or at its last one if
            it is gone; None: not known any more (a merged or remote object).
        attribute_sources: who said an attribute; one that is not named is computed from what the
            camera measured.
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
    _yaw_box: Box3D | None = field(default=None, init=False, repr=False)

    @property
    def yaw_box(self) -> Box3D:
        """The smallest upright box, turned about z, world; `box` where no points are known.

        Computed when first asked for: most objects change with every frame.
        """
        if self.known_yaw_box is not None:
            return self.known_yaw_box
        if self._yaw_box is None:
            box = smallest_upright_box(self.points) if len(self.points) else self.box
            object.__setattr__(self, "_yaw_box", box)
            return box
        return self._yaw_box


RelationSource = Literal["geometry", "user"]


@dataclass(frozen=True, slots=True)
class Relation:
    """`subject predicate object`, such as cup 3 `on` table 1. Independent of the viewpoint."""

    subject_id: int
    predicate: str
    object_id: int
    confidence: float = 1.0
    source: RelationSource = "geometry"


StructureKind = Literal["floor", "wall", "ceiling"]


@dataclass(frozen=True, slots=True)
class StructurePlane:
    """A floor, wall or ceiling: a node of the scene graph that is no object of the map.

    Attributes:
        plane_id: negative, so that it is never an object's; stable while the memory lives.
        box: thin and upright, turned along a wall, world.
        normal: (x, y, z), unit, world, into the room.
        seen_m2: how much of it the camera has seen.
    """

    plane_id: int
    kind: StructureKind
    box: Box3D
    normal: tuple[float, float, float]
    seen_m2: float


@dataclass(frozen=True, slots=True)
class Description:
    """What a vision-language model said of an object, from its best views.

    Attributes:
        attributes: name -> value, such as material -> "wood", caption -> "a low wooden shelf".
        by: the model. label: what the object was called when it was asked.
        stamp_ns: wall-clock time of the reply.
        observation_count: of the object when it was asked; asked again when it has grown a lot.
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
class MemorySnapshot:
    """The scene graph at one moment.

    Attributes:
        revision: grows with every change of objects, relations or corrections.
        stamp_ns: stamp of the newest integrated frame; 0 before the first.
        objects: confirmed objects by id, ascending.
        relations: relations between them.
        world_T_camera: where the camera was last; None before the first frame.
        gone: objects that were there once, by id; their last stay says where and when.
        structure: floor, walls and ceiling by their negative ids; relations name them too.
        levels: object id -> how many supporters stand between it and the building (SynergAI,
            appendix B); 0: the floor or a wall carries it, or nothing is known to.
    """

    revision: int
    stamp_ns: int
    objects: Mapping[int, MapObject]
    relations: tuple[Relation, ...]
    world_T_camera: Pose | None
    gone: Mapping[int, MapObject] = field(default_factory=dict)
    structure: Mapping[int, StructurePlane] = field(default_factory=dict)
    levels: Mapping[int, int] = field(default_factory=dict)


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
class KeyFrame:
    """A stored frame with what can be seen in it.

    Attributes:
        frame_number, stamp_ns, location_id: where it stands in the tree.
        camera, world_T_camera: for projecting into it.
        jpeg: the colour image, JPEG-encoded.
        score: how well it shows what was asked for; its scale is the selector's.
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


@dataclass(frozen=True, slots=True)
class Edit:
    """One thing a person wants changed.

    Attributes:
        object_ids: the objects it touches; for relations exactly (subject, object), for `merge`
            the one that stays first.
        key: attribute name or predicate; else empty.
        value: the new label or attribute value; else empty.
        places: for `split`: a point (x, y, z), world, in each of the parts.
        new_ids: for `split`: ids of all parts but the first, which keeps its id. The memory gives
            them.
    """

    kind: EditKind
    object_ids: tuple[int, ...]
    key: str = ""
    value: str = ""
    places: tuple[tuple[float, float, float], ...] = ()
    new_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectAnchor:
    """An object as it was when somebody spoke of it, to find it again on a rebuilt map.

    Attributes:
        label: what perception called it.
        box: where it was, world.
    """

    object_id: int
    label: str
    box: Box3D


@dataclass(frozen=True, slots=True)
class Correction:
    """An entry of the corrections journal: an edit with who, when and why.

    Attributes:
        correction_id: position in the journal, from 1.
        by: who said it. reason: their words.
        stamp_ns: wall-clock time of the entry (not of a frame).
        undone_ns: wall-clock time at which it was taken back; 0: it stands. Kept for the record.
        anchors: the objects that it speaks of, as they were.
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
