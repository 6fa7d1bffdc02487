"""Files of benchmarks, read row by row into the same types."""

from scenemind.evaluation.datasets.questions import (
    openeqa_groups,
    read_omni3d,
    read_openeqa,
    read_scanqa,
    read_sqa3d,
)
from scenemind.evaluation.datasets.referring_expressions import read_nr3d, read_scanrefer, read_sr3d
from scenemind.evaluation.datasets.rows import (
    Question,
    ReferringExpression,
    Row,
    ScanPose,
    row_groups,
)

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
