"""Nr3D and Sr3D (Achlioptas et al., ReferIt3D, ECCV 2020): natural and synthetic descriptions."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from pydantic import BaseModel

from scenemind.evaluation.datasets.files import benchmark_file, csv_rows, read_json
from scenemind.evaluation.datasets.rows import ReferringExpression
from scenemind.evaluation.datasets.scan_list import find_test_scans
from scenemind.evaluation.datasets.vlm_grounder import is_vlm_grounder, read_vlm_grounder
from scenemind.evaluation.datasets.zsvg3d import is_zsvg3d, read_zsvg3d
from scenemind.evaluation.errors import EvaluationError

NR3D_PATTERNS = ("nr3d*.csv", "nr3d*.json", "*nr3d*.csv")
SR3D_PATTERNS = ("sr3d*.csv",)
WHERE_TO_GET = (
    "ReferIt3D's nr3d.csv and sr3d.csv are at referit3d.github.io (its terms, and ScanNet's), the"
    " test_scans.txt of each in its repository; ZSVG3D's nr3d_val.json is at"
    " github.com/CurryYuan/ZSVG3D, VLM-Grounder's vlmg_nr3d_250.csv at"
    " github.com/OpenRobotLab/VLM-Grounder; name one with --data, or its folder"
)
# ReferIt3D's own rule: such a word in the text makes it depend on the view.
_OF_A_VIEW = frozenset(
    {"front", "behind", "back", "right", "left"}
    | {"facing", "leftmost", "rightmost", "looking", "across"}
)
_EASY_INSTANCES = 2
_WORD = re.compile(r"\w+")
_LOG = logging.getLogger(__name__)


class _Row(BaseModel):
    scan_id: str
    target_id: int
    utterance: str
    stimulus_id: str
    tokens: str
    coarse_reference_type: str = ""
    mentions_target_class: bool = True
    correct_guess: bool | None = None
    is_train: bool = False


def read_nr3d(data: Path) -> Iterator[ReferringExpression]:
    """Rows of the benchmark's own file, or of ZSVG3D's or VLM-Grounder's.

    Args:
        data: the file, or its folder.

    Raises:
        EvaluationError: the file is missing, or is not as the benchmark has it.
    """
    path = benchmark_file(data, NR3D_PATTERNS, WHERE_TO_GET)
    if path.suffix == ".csv":
        yield from read_vlm_grounder(path) if is_vlm_grounder(path) else _read_csv(path)
        return
    entries = read_json(path)
    if not is_zsvg3d(entries):
        raise EvaluationError(
            f"{path} is neither ReferIt3D's CSV nor ZSVG3D's JSON: {WHERE_TO_GET}"
        )
    yield from read_zsvg3d(path, entries)


def read_sr3d(data: Path) -> Iterator[ReferringExpression]:
    """As `read_nr3d`, of the synthetic ones; their category is the kind of reference."""
    yield from _read_csv(benchmark_file(data, SR3D_PATTERNS, WHERE_TO_GET))


def _read_csv(path: Path) -> Iterator[ReferringExpression]:
    """What ReferIt3D evaluates on: its test scans, where something tells which they are, and
    descriptions that name the target's class. What is left out is counted and told."""
    test_scans = find_test_scans(path)
    left_out = 0
    for number, row in enumerate(csv_rows(path, _Row)):
        if not _is_evaluated(row, test_scans):
            left_out += 1
            continue
        yield ReferringExpression(
            f"{row.stimulus_id}-{number}",
            row.scan_id,
            row.utterance,
            row.target_id,
            _is_easy(path, row.stimulus_id),
            not _OF_A_VIEW.isdisjoint(_WORD.findall(row.tokens)),
            category=row.coarse_reference_type,
            was_guessed=row.correct_guess,
        )
    if left_out:
        _LOG.warning(
            "%s: %d rows are of training scans or do not name the target's class: left out",
            path.name,
            left_out,
        )


def _is_evaluated(row: _Row, test_scans: Collection[str] | None) -> bool:
    is_test = not row.is_train if test_scans is None else row.scan_id in test_scans
    return is_test and row.mentions_target_class


def _is_easy(path: Path, stimulus_id: str) -> bool:
    """By "scene0208_00-bookshelf-5-1-0-2-3": scene, class, how many there are, target, others."""
    parts = stimulus_id.split("-", maxsplit=4)
    if len(parts) < 4 or not parts[2].isdigit():
        raise EvaluationError(f"{path}: {stimulus_id!r} is no stimulus_id of ReferIt3D")
    return int(parts[2]) <= _EASY_INSTANCES
