"""Whether the right object was found: by its id, and by how far its box overlaps (ScanRefer)."""

from __future__ import annotations

from collections.abc import Mapping

from scenemind.geometry import iou_3d
from scenemind.memory import MapObject

_LEAST_IOUS = {"acc_25": 0.25, "acc_50": 0.5}


def grounding_scores(
    found_id: int | None, target_id: int, objects: Mapping[int, MapObject]
) -> dict[str, float]:
    """0 or 1 by metric: `accuracy`, it is the target; `acc_25` and `acc_50`, its box has so much
    IoU with the target's, in percent.

    Args:
        found_id: None: nothing was found.
        objects: of the scene, by id; both ids are among them.
    """
    if found_id is None or found_id == target_id:
        right = float(found_id == target_id)
        return {"accuracy": right, **dict.fromkeys(_LEAST_IOUS, right)}
    iou = iou_3d(objects[found_id].yaw_box, objects[target_id].yaw_box)
    return {"accuracy": 0.0, **{name: float(iou >= least) for name, least in _LEAST_IOUS.items()}}
