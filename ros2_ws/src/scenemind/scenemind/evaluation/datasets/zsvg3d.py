"""ZSVG3D's rows: Nr3D's and ScanRefer's validation sets with a program for each.

Yuan et al., Visual Programming for Zero-shot Open-Vocabulary 3D Visual Grounding, CVPR 2024.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from scenemind.evaluation.datasets.files import json_rows
from scenemind.evaluation.datasets.rows import ReferringExpression


class _Row(BaseModel):
    scan_id: str
    target_id: int
    caption: str
    program: str
    easy: bool | None = None
    view_dep: bool | None = None


def is_zsvg3d(entries: Any) -> bool:
    """Whether parsed JSON is such a file."""
    first = entries[0] if isinstance(entries, list) and entries else None
    return isinstance(first, dict) and "program" in first


def read_zsvg3d(path: Path, entries: Any) -> Iterator[ReferringExpression]:
    """
    Args:
        path: of the file, for messages.
        entries: what it holds.

    Raises:
        EvaluationError: a row is not as ZSVG3D has it.
    """
    for number, row in enumerate(json_rows(path, entries, _Row)):
        yield ReferringExpression(
            f"{row.scan_id}-{row.target_id}-{number}",
            row.scan_id,
            row.caption,
            row.target_id,
            row.easy,
            row.view_dep,
            program=row.program,
        )
