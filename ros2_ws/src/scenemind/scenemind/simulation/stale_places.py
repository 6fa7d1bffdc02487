"""Whether a map has noticed what was moved or removed, where it could."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from scenemind.geometry import iou_3d
from scenemind.simulation.depth_noise import SimpleDepthNoise
from scenemind.simulation.ground_truth import MappedObject
from scenemind.simulation.sequence import SimulatedSequence

_WIDTH, _HEIGHT = 160, 120  # enough to see what is in view
_MIN_PIXELS = 25  # there; 400 in 640x480


def places_seen_again(sequence: SimulatedSequence, min_frames: int = 5) -> frozenset[int]:
    """Instance ids of changed objects whose old places were looked at afterwards.

    Had they stayed, so many later frames would have shown them well: a map that looks for them can
    know that they are gone.
    """
    as_before = replace(
        sequence,
        camera=sequence.camera.resized(_WIDTH, _HEIGHT),
        depth_noise=SimpleDepthNoise(0.0),
        changes=(),
    )
    changed_ns = {change.instance_id: change.stamp_ns for change in sequence.changes}
    frames = dict.fromkeys(changed_ns, 0)
    for frame in as_before if changed_ns else ():
        assert frame.instances is not None, "simulated frames carry instances"
        pixels = np.bincount(frame.instances.ravel(), minlength=max(changed_ns) + 1)
        for instance, stamp_ns in changed_ns.items():
            frames[instance] += frame.stamp_ns >= stamp_ns and pixels[instance] >= _MIN_PIXELS
    return frozenset(instance for instance, count in frames.items() if count >= min_frames)


def stale_objects(
    map_objects: Iterable[MappedObject],
    sequence: SimulatedSequence,
    among: Collection[int],
    min_iou: float = 0.25,
) -> tuple[int, ...]:
    """Ids of map objects that still stand where a changed object was.

    Args:
        map_objects: at the end of the drive.
        among: instance ids of the changed objects that count.
    """
    left = [change.old_box for change in sequence.changes if change.instance_id in among]
    return tuple(
        item.object_id
        for item in map_objects
        if any(iou_3d(item.box, box) >= min_iou for box in left)
    )
