"""ScanNet's label table: which class of its benchmark the words of its annotators mean."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from scenemind.evaluation.errors import EvaluationError

LABEL_TABLE = "scannetv2-labels.combined.tsv"
OTHERS = "others"
# ScanRefer's classes: those of ScanNet's benchmark that are things.
_CLASSES = frozenset(
    {"cabinet", "bed", "chair", "sofa", "table", "door", "window", "bookshelf", "picture"}
    | {"counter", "desk", "curtain", "refrigerator", "shower curtain", "toilet", "sink"}
    | {"bathtub"}
)


def find_label_table(beside: Path) -> Path | None:
    """The table in a file's folder, or in the one around it."""
    folder = beside.resolve().parent
    return next(
        (p for p in (folder / LABEL_TABLE, folder.parent / LABEL_TABLE) if p.is_file()), None
    )


def read_label_table(path: Path) -> Mapping[str, str]:
    """Label -> one of ScanRefer's 18 classes; labels that are not in it are of `OTHERS` too.

    Raises:
        EvaluationError: it is no such table.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t")
            return {row["raw_category"]: _class_of(row["nyu40class"]) for row in rows}
    except (OSError, KeyError, TypeError, csv.Error, UnicodeDecodeError) as error:
        raise EvaluationError(
            f"{path} is not ScanNet's {LABEL_TABLE}, with raw_category and nyu40class: {error}"
        ) from error


def _class_of(nyu40: str) -> str:
    return nyu40 if nyu40 in _CLASSES else OTHERS
