"""ScanRefer: descriptions of several sentences (Chen et al., ECCV 2020)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel

from scenemind.evaluation.datasets.files import benchmark_file, json_rows, read_json
from scenemind.evaluation.datasets.label_table import OTHERS, find_label_table, read_label_table
from scenemind.evaluation.datasets.rows import ReferringExpression
from scenemind.evaluation.datasets.vlm_grounder import is_vlm_grounder, read_vlm_grounder
from scenemind.evaluation.datasets.zsvg3d import is_zsvg3d, read_zsvg3d
from scenemind.evaluation.errors import EvaluationError

PATTERNS = ("ScanRefer*val*.json", "scanrefer*.json", "*scanrefer*.csv")
WHERE_TO_GET = (
    "ScanRefer's ScanRefer_filtered_val.json is sent on request, once its terms are accepted"
    " (github.com/daveredrum/ScanRefer); ZSVG3D's scanrefer_val.json is at"
    " github.com/CurryYuan/ZSVG3D, VLM-Grounder's vlmg_scanrefer_250.csv at"
    " github.com/OpenRobotLab/VLM-Grounder; name one with --data, or its folder"
)
_WHOLE_SPLIT = re.compile(r"ScanRefer_filtered_(?:train|val)\.json")


class _Row(BaseModel):
    scene_id: str
    object_id: int
    object_name: str = ""
    ann_id: int
    description: str


def read_scanrefer(data: Path, labels: Path | None = None) -> Iterator[ReferringExpression]:
    """Rows of the benchmark's own file, or of ZSVG3D's or VLM-Grounder's.

    In a whole split, with ScanNet's label table, `is_unique` is by ScanRefer's own rule: no other
    object that the split describes in the scene is of the target's class, one of 18.

    Args:
        data: the file, or its folder.
        labels: the table; None: the one beside the file, where there is one.

    Raises:
        EvaluationError: the file is missing, or is not as the benchmark has it.
    """
    path = benchmark_file(data, PATTERNS, WHERE_TO_GET)
    if path.suffix == ".csv":
        if not is_vlm_grounder(path):
            raise EvaluationError(f"{path} is not VLM-Grounder's CSV: {WHERE_TO_GET}")
        yield from read_vlm_grounder(path)
        return
    entries = read_json(path)
    if is_zsvg3d(entries):
        yield from read_zsvg3d(path, entries)
        return
    rows = list(json_rows(path, entries, _Row))
    table = labels or find_label_table(path)
    is_unique: Mapping[tuple[str, int], bool] = {}
    if table is not None and _WHOLE_SPLIT.fullmatch(path.name):
        is_unique = _unique_objects(rows, read_label_table(table))
    for row in rows:
        yield ReferringExpression(
            f"{row.scene_id}-{row.object_id}-{row.ann_id}",
            row.scene_id,
            row.description,
            row.object_id,
            is_unique=is_unique.get((row.scene_id, row.object_id)),
        )


def _unique_objects(
    rows: Sequence[_Row], class_of: Mapping[str, str]
) -> dict[tuple[str, int], bool]:
    """Scene and object -> whether it is the only one of its class there."""
    classes = {
        (row.scene_id, row.object_id): class_of.get(row.object_name.replace("_", " "), OTHERS)
        for row in rows
    }
    counts = Counter((scene_id, name) for (scene_id, _), name in classes.items())
    return {place: counts[place[0], name] == 1 for place, name in classes.items()}
