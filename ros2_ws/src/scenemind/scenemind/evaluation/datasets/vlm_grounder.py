"""VLM-Grounder's rows: samples of Nr3D and ScanRefer with the groups that each belongs to.

Xu et al., VLM-Grounder: A VLM Agent for Zero-Shot 3D Visual Grounding, CoRL 2024.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from scenemind.evaluation.datasets.files import csv_columns, csv_rows
from scenemind.evaluation.datasets.rows import ReferringExpression


class _Row(BaseModel):
    scan_id: str
    target_id: int
    utterance: str
    is_easy_referit3d: bool
    is_vd_referit3d: bool
    is_unique_scanrefer: bool


def is_vlm_grounder(path: Path) -> bool:
    """Whether a CSV file is such a one."""
    return "is_unique_scanrefer" in csv_columns(path)


def read_vlm_grounder(path: Path) -> Iterator[ReferringExpression]:
    """
    Raises:
        EvaluationError: a row is not as VLM-Grounder has it.
    """
    for number, row in enumerate(csv_rows(path, _Row)):
        yield ReferringExpression(
            f"{row.scan_id}-{row.target_id}-{number}",
            row.scan_id,
            row.utterance,
            row.target_id,
            row.is_easy_referit3d,
            row.is_vd_referit3d,
            row.is_unique_scanrefer,
        )
