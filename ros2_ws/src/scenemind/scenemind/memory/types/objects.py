"""Objects of the map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, smallest_upright_box

AttributeSource = Literal["model", "user"]


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
        direction_count: from how many sectors of the compass, of 15 degrees each, it was seen; 0:
            not known.
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
