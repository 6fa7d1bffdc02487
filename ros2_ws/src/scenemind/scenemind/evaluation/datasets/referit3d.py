"""Nr3D and Sr3D (Achlioptas et al., ReferIt3D, ECCV 2020): natural and synthetic descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from scenemind.evaluation.datasets.files import benchmark_file, csv_rows, read_json
from scenemind.evaluation.datasets.rows import ReferringExpression
from scenemind.evaluation.datasets.zsvg3d import is_zsvg3d, read_zsvg3d
from scenemind.evaluation.errors import EvaluationError

NR3D_PATTERNS = ("nr3d*.csv", "nr3d*.json")
SR3D_PATTERNS = ("sr3d*.csv",)
WHERE_TO_GET = (
    "ReferIt3D's nr3d.csv and sr3d.csv are at referit3d.github.io; ZSVG3D's nr3d_val.json is at"
    " github.com/CurryYuan/ZSVG3D"
)
# ReferIt3D's own rule: such a word in the text makes it depend on the view.
_OF_A_VIEW = frozenset(
    {"front", "behind", "back", "right", "left"}
    | {"facing", "leftmost", "rightmost", "looking", "across"}
)
_EASY_INSTANCES = 2
_WORD = re.compile(r"\w+")


class _Row(BaseModel):
    scan_id: str
    target_id: int
    utterance: str
    stimulus_id: str
    tokens: str


def read_nr3d(data: Path) -> Iterator[ReferringExpression]:
    """Rows of the benchmark's own file, or of ZSVG3D's.

    Args:
        data: the file, or its folder.

    Raises:
        EvaluationError: the file is missing, or is not as the benchmark has it.
    """
    path = benchmark_file(data, NR3D_PATTERNS, WHERE_TO_GET)
    if path.suffix == ".csv":
        yield from _read_csv(path)
        return
    entries = read_json(path)
    if not is_zsvg3d(entries):
        raise EvaluationError(
            f"{path} is neither ReferIt3D's CSV nor ZSVG3D's JSON: {WHERE_TO_GET}"
        )
    yield from read_zsvg3d(path, entries)


def read_sr3d(data: Path) -> Iterator[ReferringExpression]:
    """As `read_nr3d`, of the synthetic ones."""
    yield from _read_csv(benchmark_file(data, SR3D_PATTERNS, WHERE_TO_GET))


def _read_csv(path: Path) -> Iterator[ReferringExpression]:
    for number, row in enumerate(csv_rows(path, _Row)):
        yield ReferringExpression(
            f"{row.stimulus_id}-{number}",
            row.scan_id,
            row.utterance,
            row.target_id,
            _is_easy(path, row.stimulus_id),
            not _OF_A_VIEW.isdisjoint(_WORD.findall(row.tokens)),
        )


def _is_easy(path: Path, stimulus_id: str) -> bool:
    """By "scene0208_00-bookshelf-5-1-0-2-3": scene, class, how many there are, target, others."""
    parts = stimulus_id.split("-", maxsplit=4)
    if len(parts) < 4 or not parts[2].isdigit():
        raise EvaluationError(f"{path}: {stimulus_id!r} is no stimulus_id of ReferIt3D")
    return int(parts[2]) <= _EASY_INSTANCES
