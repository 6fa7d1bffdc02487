"""How likely a box is right, given that it is of the right thing, as it was measured in simulated
rooms (`scenemind bench projection --calibrate`)."""

from scenemind.reasoning.vlm_grounder.box_quality.calibration import (
    BoxKind,
    Calibration,
    LogisticModel,
    Provenance,
    calibration,
    map_box_right,
    measured_box_right,
)
from scenemind.reasoning.vlm_grounder.box_quality.evidence import (
    EVIDENCE_OF,
    EVIDENCE_RANGES,
    MASKS_BY_MODEL,
    Evidence,
    of_mapped,
    of_measured,
)

__all__ = [
    "EVIDENCE_OF",
    "EVIDENCE_RANGES",
    "MASKS_BY_MODEL",
    "BoxKind",
    "Calibration",
    "Evidence",
    "LogisticModel",
    "Provenance",
    "calibration",
    "map_box_right",
    "measured_box_right",
    "of_mapped",
    "of_measured",
]
