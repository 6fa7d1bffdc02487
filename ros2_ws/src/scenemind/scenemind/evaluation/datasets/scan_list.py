"""Which scans are for tests: ReferIt3D's list, or ScanNet's of its validation split."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from scenemind.evaluation.errors import EvaluationError

NAMES = ("test_scans.txt", "scannetv2_val.txt")


def find_test_scans(beside: Path) -> Collection[str] | None:
    """Of the list in a file's folder; None: there is none.

    Raises:
        EvaluationError: it names no scans.
    """
    for name in NAMES:
        path = beside.with_name(name)
        if path.is_file():
            return _scans(path)
    return None


def _scans(path: Path) -> frozenset[str]:
    """A JSON list, or a scan a line."""
    try:
        text = path.read_text(encoding="utf-8").strip()
        scans = json.loads(text) if text.startswith("[") else text.split()
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from error
    if not scans or not all(isinstance(one, str) and one.startswith("scene") for one in scans):
        raise EvaluationError(f"{path} is no list of scans such as scene0011_00")
    return frozenset(scans)
