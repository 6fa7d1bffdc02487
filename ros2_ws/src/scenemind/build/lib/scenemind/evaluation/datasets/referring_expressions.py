"""Referring expressions: Nr3D and Sr3D (Achlioptas et al., ReferIt3D, ECCV 2020) and ScanRefer
(Chen et al., ECCV 2020).

Samples of VLM-Grounder (Xu et al., CoRL 2024) and ZSVG3D (Yuan et al., CVPR 2024) are rows of Nr3D
and ScanRefer with further columns. ScanNet's label table and lists of scans lie beside the files.
"""

from __future__ import annotations

import csv
import logging
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel

from scenemind.errors import EvaluationError
from scenemind.evaluation.datasets.files import BenchmarkFiles, first_row
from scenemind.evaluation.datasets.rows import ReferringExpression
from scenemind.untrusted import MOST_JSON_BYTES, load_json, read_regular

LABEL_TABLE = "scannetv2-labels.combined.tsv"
OTHERS = "others"
# ScanRefer's classes: the object classes of ScanNet's benchmark.
_CLASSES = frozenset(
    {"cabinet", "bed", "chair", "sofa", "table", "door", "window", "bookshelf", "picture"}
    | {"counter", "desk", "curtain", "refrigerator", "shower curtain", "toilet", "sink"}
    | {"bathtub"}
)
_WHERE_TO_GET_REFERIT3D = (
    "ReferIt3D's nr3d.csv and sr3d.csv are at referit3d.github.io (its terms, and ScanNet's), the"
    " test_scans.txt of each in its repository; ZSVG3D's nr3d_val.json is at"
    " github.com/CurryYuan/ZSVG3D, VLM-Grounder's vlmg_nr3d_250.csv at"
    " github.com/OpenRobotLab/VLM-Grounder; name one with --data, or its folder"
)
_NR3D = BenchmarkFiles("nr3d", ("nr3d*.csv", "nr3d*.json", "*nr3d*.csv"), _WHERE_TO_GET_REFERIT3D)
_SR3D = BenchmarkFiles("sr3d", ("sr3d*.csv",), _WHERE_TO_GET_REFERIT3D)
_SCANREFER = BenchmarkFiles(
    "scanrefer",
    ("ScanRefer*val*.json", "scanrefer*.json", "*scanrefer*.csv"),
    "ScanRefer's ScanRefer_filtered_val.json is sent on request, once its terms are accepted"
    " (github.com/daveredrum/ScanRefer); ZSVG3D's scanrefer_val.json is at"
    " github.com/CurryYuan/ZSVG3D, VLM-Grounder's vlmg_scanrefer_250.csv at"
    " github.com/OpenRobotLab/VLM-Grounder; name one with --data, or its folder",
)
# ReferIt3D's rule: a text with one of these words depends on the view.
_OF_A_VIEW = frozenset(
    {"front", "behind", "back", "right", "left"}
    | {"facing", "leftmost", "rightmost", "looking", "across"}
)
_EASY_INSTANCES = 2
_IS_VLM_GROUNDER = "is_unique_scanrefer"
_WORD = re.compile(r"\w+")
_LOG = logging.getLogger(__name__)
_WHOLE_SPLIT = re.compile(r"ScanRefer_filtered_(?:train|val)\.json")


def find_label_table(beside: Path) -> Path | None:
    """ScanNet's label table in a file's folder, or in the folder above; None: there is none."""
    folder = beside.resolve().parent
    return next(
        (p for p in (folder / LABEL_TABLE, folder.parent / LABEL_TABLE) if p.is_file()), None
    )


def read_label_table(path: Path) -> Mapping[str, str]:
    """Label -> one of ScanRefer's 18 classes; missing labels belong to `OTHERS` too.

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


NAMES = ("test_scans.txt", "scannetv2_val.txt")


def find_test_scans(beside: Path) -> Collection[str] | None:
    """Test scans by the list in a file's folder; None: there is no list.

    Raises:
        EvaluationError: the list contains no scans.
    """
    for name in NAMES:
        path = beside.with_name(name)
        if path.is_file():
            return _scans(path)
    return None


def _scans(path: Path) -> frozenset[str]:
    """A list of scans, as JSON or with one scan a line."""
    try:
        text = read_regular(path, MOST_JSON_BYTES, follow=True).strip()
        scans = load_json(text) if text.startswith(b"[") else text.decode().split()
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from error
    if not scans or not all(isinstance(one, str) and one.startswith("scene") for one in scans):
        raise EvaluationError(f"{path} is no list of scans such as scene0011_00")
    return frozenset(scans)


class _VlmGrounderRow(BaseModel):
    scan_id: str
    target_id: int
    utterance: str
    is_easy_referit3d: bool
    is_vd_referit3d: bool
    is_unique_scanrefer: bool


def _vlm_grounder_rows(files: BenchmarkFiles, path: Path) -> Iterator[ReferringExpression]:
    """Rows of VLM-Grounder's samples."""
    for number, row in enumerate(files.table_rows(path, _VlmGrounderRow)):
        yield ReferringExpression(
            f"{row.scan_id}-{row.target_id}-{number}",
            row.scan_id,
            row.utterance,
            row.target_id,
            row.is_easy_referit3d,
            row.is_vd_referit3d,
            row.is_unique_scanrefer,
        )


class _Zsvg3dRow(BaseModel):
    scan_id: str
    target_id: int
    caption: str
    program: str
    easy: bool | None = None
    view_dep: bool | None = None


def _zsvg3d_rows(files: BenchmarkFiles, path: Path) -> Iterator[ReferringExpression]:
    """Rows of ZSVG3D, each with its program."""
    for number, row in enumerate(files.rows(path, _Zsvg3dRow)):
        yield ReferringExpression(
            f"{row.scan_id}-{row.target_id}-{number}",
            row.scan_id,
            row.caption,
            row.target_id,
            row.easy,
            row.view_dep,
            program=row.program,
        )


class _ReferIt3dRow(BaseModel):
    scan_id: str
    target_id: int
    utterance: str
    stimulus_id: str
    tokens: str
    coarse_reference_type: str = ""
    mentions_target_class: bool = True
    correct_guess: bool | None = None
    is_train: bool = False
    dataset: str = ""


def read_nr3d(data: Path) -> Iterator[ReferringExpression]:
    """Rows of Nr3D from its own file, or from ZSVG3D's or VLM-Grounder's.

    Args:
        data: the file, or its folder.

    Raises:
        EvaluationError: the file is missing or malformed.
    """
    path = _NR3D.find(data)
    if path.suffix != ".csv":
        yield from _zsvg3d_rows(_NR3D, path)
    elif _IS_VLM_GROUNDER in _NR3D.columns(path):
        yield from _vlm_grounder_rows(_NR3D, path)
    else:
        yield from _referit3d_rows(_NR3D, path)


def read_sr3d(data: Path) -> Iterator[ReferringExpression]:
    """Rows of Sr3D, as `read_nr3d`; the category is the kind of reference."""
    yield from _referit3d_rows(_SR3D, _SR3D.find(data))


def _referit3d_rows(files: BenchmarkFiles, path: Path) -> Iterator[ReferringExpression]:
    """Rows that ReferIt3D evaluates: of test scans, where these are known, and with the target's
    class in the description. The number of dropped rows is logged."""
    test_scans = find_test_scans(path)
    left_out = 0
    for number, row in enumerate(files.table_rows(path, _ReferIt3dRow)):
        if row.dataset and not row.dataset.startswith(files.benchmark):
            raise EvaluationError(
                f"{path}, row {number + 1}: a row of {row.dataset}, not of {files.benchmark}: give"
                " each benchmark a file of its own"
            )
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


def _is_evaluated(row: _ReferIt3dRow, test_scans: Collection[str] | None) -> bool:
    is_test = not row.is_train if test_scans is None else row.scan_id in test_scans
    return is_test and row.mentions_target_class


def _is_easy(path: Path, stimulus_id: str) -> bool:
    """Whether a row is easy, by "scene0208_00-bookshelf-5-1-0-2-3": scene, class, number of objects
    of the class, target, others."""
    parts = stimulus_id.split("-", maxsplit=4)
    if len(parts) < 4 or not parts[2].isdigit():
        raise EvaluationError(f"{path}: {stimulus_id!r} is no stimulus_id of ReferIt3D")
    return int(parts[2]) <= _EASY_INSTANCES


class _ScanReferRow(BaseModel):
    scene_id: str
    object_id: int
    object_name: str = ""
    ann_id: int
    description: str


def read_scanrefer(data: Path, labels: Path | None = None) -> Iterator[ReferringExpression]:
    """Rows of ScanRefer from its own file, or from ZSVG3D's or VLM-Grounder's.

    For a whole split with ScanNet's label table, `is_unique` follows ScanRefer's rule: no other
    object that the split describes in the scene has the target's class, one of 18.

    Args:
        data: the file, or its folder.
        labels: the label table; None: the one beside the file, if any.

    Raises:
        EvaluationError: the file is missing or malformed.
    """
    path = _SCANREFER.find(data)
    if path.suffix == ".csv":
        yield from _vlm_grounder_rows(_SCANREFER, path)
        return
    if "program" in first_row(_SCANREFER.document(path)):
        yield from _zsvg3d_rows(_SCANREFER, path)
        return
    rows = list(_SCANREFER.rows(path, _ScanReferRow))
    table = labels or find_label_table(path)
    is_unique: Mapping[tuple[str, int], bool] = {}
    if table is not None and _WHOLE_SPLIT.fullmatch(path.name):
        is_unique = _unique_objects(rows, read_label_table(table))
    for row in rows:
        yield ReferringExpression(
            f"{row.scene_id}-{row.object_id}-{row.ann_id}",
            row.scene_id,
            row.description,
            row.object_id,
            is_unique=is_unique.get((row.scene_id, row.object_id)),
        )


def _unique_objects(
    rows: Sequence[_ScanReferRow], class_of: Mapping[str, str]
) -> dict[tuple[str, int], bool]:
    """(scene, object) -> whether it is the only one of its class in the scene."""
    classes = {
        (row.scene_id, row.object_id): class_of.get(row.object_name.replace("_", " "), OTHERS)
        for row in rows
    }
    counts = Counter((scene_id, name) for (scene_id, _), name in classes.items())
    return {place: counts[place[0], name] == 1 for place, name in classes.items()}
