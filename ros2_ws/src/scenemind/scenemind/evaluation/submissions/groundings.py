"""Boxes and objects as ScanRefer and ReferIt3D take them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from scenemind.evaluation.predictions import GroundingPrediction
from scenemind.geometry import Box3D

_NOTHING_FOUND = -1
_NO_BOX = np.zeros((8, 3)).tolist()


def scanrefer(predictions: Sequence[GroundingPrediction]) -> str:
    """`pred.json` as ScanRefer's benchmark/predict.py writes it and benchmark/eval.py reads it: the
    eight corners of a box for each description, all zero where nothing was found.

    `unique_multiple` (0 or 1) is there where the row tells it. ZSVG3D's rows do not have
    ScanRefer's `ann_id`, and are left out.
    """
    return json.dumps([_scanrefer_row(one) for one in predictions if not one.row.program])


def referit3d(predictions: Sequence[GroundingPrediction]) -> str:
    """A line a description with ScanNet's objectId; -1 where nothing was found."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(("row", "scan_id", "predicted_id"))
    for one in predictions:
        found = one.object_ids[0] if one.object_ids else _NOTHING_FOUND
        writer.writerow((one.row.row_id, one.row.scene_id, found))
    return file.getvalue()


def corners(box: Box3D | None) -> list[list[float]]:
    """The eight corners (x, y, z), in metres; of None all zero."""
    return _NO_BOX if box is None else box.corners().tolist()


def _scanrefer_row(one: GroundingPrediction) -> dict[str, Any]:
    row = one.row
    _, object_id, ann_id = row.row_id.rsplit("-", 2)
    told = {} if row.is_unique is None else {"unique_multiple": int(not row.is_unique)}
    return {
        "scene_id": row.scene_id,
        "object_id": object_id,
        "ann_id": ann_id,
        "bbox": corners(one.boxes[0] if one.boxes else None),
        **told,
    }
