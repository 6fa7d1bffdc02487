"""Judged boxes as a zipped CSV file: a line a box, evidence rounded, empty where there is none."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable
from pathlib import Path

from scenemind.cli.bench.projection.calibration.judged import Judged
from scenemind.reasoning.vlm_grounder.box_quality import EVIDENCE_RANGES

_HEAD = ("room", "target", "condition", "box", "right")


def write_boxes(boxes: Iterable[Judged], path: Path) -> None:
    """The same boxes make the same file."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow((*_HEAD, *EVIDENCE_RANGES))
    for row in boxes:
        known = (row.room, row.target, row.condition, row.box, int(row.right))
        writer.writerow((*known, *(_rounded(row, name) for name in EVIDENCE_RANGES)))
    path.write_bytes(gzip.compress(file.getvalue().encode(), mtime=0))


def read_boxes(path: Path) -> list[Judged]:
    """What `write_boxes` wrote."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return [
            Judged(
                int(row["room"]),
                int(row["target"]),
                row["condition"],
                "measured" if row["box"] == "measured" else "mapped",
                row["right"] == "1",
                {name: float(row[name]) for name in EVIDENCE_RANGES if row[name]},
            )
            for row in csv.DictReader(file)
        ]


def _rounded(row: Judged, name: str) -> str:
    return f"{row.evidence[name]:.3g}" if name in row.evidence else ""
