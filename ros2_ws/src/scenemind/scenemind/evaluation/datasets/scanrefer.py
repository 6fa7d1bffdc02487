"""ScanRefer: descriptions of several sentences (Chen et al., ECCV 2020)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from scenemind.evaluation.datasets.files import benchmark_file, json_rows, read_json
from scenemind.evaluation.datasets.rows import ReferringExpression
from scenemind.evaluation.datasets.zsvg3d import is_zsvg3d, read_zsvg3d

PATTERNS = ("ScanRefer*val*.json", "scanrefer*.json")
WHERE_TO_GET = (
    "ScanRefer's ScanRefer_filtered_val.json is sent on request"
    " (github.com/daveredrum/ScanRefer); ZSVG3D's scanrefer_val.json is at"
    " github.com/CurryYuan/ZSVG3D"
)


class _Row(BaseModel):
    scene_id: str
    object_id: int
    ann_id: int
    description: str


def read_scanrefer(data: Path) -> Iterator[ReferringExpression]:
    """Rows of the benchmark's own file, or of ZSVG3D's.

    Args:
        data: the file, or its folder.

    Raises:
        EvaluationError: the file is missing, or is not as the benchmark has it.
    """
    path = benchmark_file(data, PATTERNS, WHERE_TO_GET)
    entries = read_json(path)
    if is_zsvg3d(entries):
        yield from read_zsvg3d(path, entries)
        return
    for row in json_rows(path, entries, _Row):
        row_id = f"{row.scene_id}-{row.object_id}-{row.ann_id}"
        yield ReferringExpression(row_id, row.scene_id, row.description, row.object_id)
