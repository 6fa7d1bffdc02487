"""Benchmarks: one file each, read row by row into the same types."""

from scenemind.evaluation.datasets.omni3d import read_omni3d
from scenemind.evaluation.datasets.openeqa import openeqa_groups, read_openeqa
from scenemind.evaluation.datasets.referit3d import read_nr3d, read_sr3d
from scenemind.evaluation.datasets.rows import (
    Question,
    ReferringExpression,
    Row,
    ScanPose,
    row_groups,
)
from scenemind.evaluation.datasets.scanqa import read_scanqa
from scenemind.evaluation.datasets.scanrefer import read_scanrefer
from scenemind.evaluation.datasets.sqa3d import read_sqa3d

__all__ = [
    "Question",
    "ReferringExpression",
    "Row",
    "ScanPose",
    "openeqa_groups",
    "read_nr3d",
    "read_omni3d",
    "read_openeqa",
    "read_scanqa",
    "read_scanrefer",
    "read_sqa3d",
    "read_sr3d",
    "row_groups",
]
