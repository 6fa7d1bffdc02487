"""Right answers on the shared rows of published benchmarks, and on simulated rooms.

`scores.json` has exact counts by metric, `rows.json` a digest of each answer in the order of the
benchmark's file: a difference names its rows. The usual run asks a fixed sample of the rows.
"""

from __future__ import annotations

import hashlib
import random
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from .command_line import evaluate, evaluate_alignment
from .conftest import FrozenValues

POLICIES = ("strict", "balanced", "always_answer")
_FILES = {  # the benchmark, its file or folder, further options
    "nr3d": ("nr3d", "zsvg3d/nr3d_val.json"),
    "nr3d of ReferIt3D": ("nr3d", "referit3d/nr3d_test_sampled1000.csv"),
    "nr3d of VLM-Grounder": ("nr3d", "vlm-grounder/vlmg_nr3d_250.csv"),
    "sr3d": ("sr3d", "referit3d/sr3d_test_sampled1000.csv"),
    "scanrefer": ("scanrefer", "zsvg3d/scanrefer_val.json"),
    "scanrefer, original": ("scanrefer", "scanrefer/ScanRefer_filtered_val_sampled1000.json"),
    "scanrefer of VLM-Grounder": ("scanrefer", "vlm-grounder/vlmg_scanrefer_250.csv"),
    "sqa3d": ("sqa3d", "sqa3d"),
    "sqa3d without poses": ("sqa3d", "sqa3d", "--no-pose"),
    "scanqa": ("scanqa", "scanqa/ScanQA_v1.0_val.json"),
}
_SAMPLES = {"nr3d": 300, "sr3d": 120, "scanrefer": 250, "sqa3d": 240, "scanqa": 210}  # rows
_ALMOST_NEVER_ANSWERED = {("scanrefer", "strict"), ("scanqa", "strict"), ("sqa3d", "strict")}
_COUNTED = (
    *("accuracy", "acc_25", "acc_50", "right"),
    *("exact_match", "refined_match", "soft_match", "sense_match"),
)
_DIGITS = 4  # of an answer's digest
_LINE = 24 * _DIGITS
_NAMES_SHOWN = 20


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", _FILES)
def test_benchmark(
    name: str, policy: str, all_rows: bool, shared_data: Path, tmp_path: Path, frozen: FrozenValues
) -> None:
    if not all_rows and (name not in _SAMPLES or (name, policy) in _ALMOST_NEVER_ANSWERED):
        pytest.skip("asked with --all-rows")
    benchmark, path, *options = _FILES[name]
    folder = shared_data / "annotations"
    if not all_rows:
        options += ["--limit", str(_SAMPLES[name])]
    printed, rows = evaluate(
        *(benchmark, tmp_path / "run", "--data", folder / path),
        *("--objects", folder / "scannet_objects.json.gz", "--policy", policy, *options),
    )
    _compare_rows(f"{name}, {policy}", rows, all_rows, frozen)
    _compare_counts(f"{name}, {policy}{'' if all_rows else ', sample'}", printed, frozen)


@pytest.mark.parametrize(
    ("rooms", "mapped", "policy"),
    [
        (5, False, "balanced"),
        (5, False, "always_answer"),
        (1, True, "balanced"),
        (5, True, "balanced"),
        (5, True, "always_answer"),
    ],
)
def test_simulated_rooms(
    rooms: int, mapped: bool, policy: str, all_rows: bool, tmp_path: Path, frozen: FrozenValues
) -> None:
    if mapped and rooms > 1 and not all_rows:
        pytest.skip("asked with --all-rows")
    options = ("--mapped",) if mapped else ()
    printed, rows = evaluate(
        "simulation", tmp_path / "run", "--rooms", rooms, *options, "--policy", policy
    )
    source = "mapped rooms" if mapped else "true rooms"
    _compare_rows(f"{rooms} {source}, {policy}", rows, True, frozen)
    _compare_counts(f"{rooms} {source}, {policy}", printed, frozen)


@pytest.mark.parametrize("wording", ["first", "more", "development", "fresh"])
def test_alignment(
    wording: str, all_rows: bool, shared_data: Path, tmp_path: Path, frozen: FrozenValues
) -> None:
    if not all_rows and wording != "fresh":
        pytest.skip("asked with --all-rows")
    printed, tasks = evaluate_alignment(
        tmp_path / "tasks.jsonl",
        *("--objects", shared_data / "annotations" / "scannet_objects.json.gz"),
        *("--wording", wording),
    )
    now = {
        "tasks": printed["tasks"]["scores"],
        "novel": printed["novel"]["scores"],
        "interactions": printed["interactions"],
        "corrections_done": printed["corrections_done"],
        "conversations": "".join(_digest(_conversation(task)) for task in tasks),
    }
    assert now == frozen.get("alignment.json", wording, now)


def _compare_counts(part: str, printed: dict[str, Any], frozen: FrozenValues) -> None:
    """How many answers are right by each metric that has scored any."""
    counts = {
        metric: round(printed["scores"][metric] * printed["scored"][metric] / 100)
        for metric in _COUNTED
        if printed["scored"].get(metric)
    }
    now = {"rows": printed["n"], **counts, "failures": dict(sorted(printed["failures"].items()))}
    assert now == frozen.get("scores.json", part, now)


def _compare_rows(
    part: str, rows: list[dict[str, Any]], is_whole: bool, frozen: FrozenValues
) -> None:
    """The digest of each answer; a sample is compared with its rows of the whole benchmark."""
    digests = [_digest(_answer(row)) for row in rows]
    recorded = _digests(frozen.recorded("rows.json", part))
    now = digests
    if not is_whole:
        assert recorded, f"no rows of {part!r}: record them with --freeze --all-rows"
        now = list(recorded)
        for place, digest in zip(_sampled(len(recorded), len(rows)), digests, strict=True):
            now[place] = digest
    before = _digests(frozen.get("rows.json", part, textwrap.wrap("".join(now), _LINE)))
    places = range(len(rows)) if is_whole else _sampled(len(before), len(rows))
    ids = {place: row["row"] for place, row in zip(places, rows, strict=True)}
    assert len(now) == len(before)
    changed = [ids[place] for place in ids if now[place] != before[place]]
    assert not changed, f"{len(changed)} answers differ, such as {changed[:_NAMES_SHOWN]}"


def _sampled(count: int, limit: int) -> list[int]:
    """Places, in the benchmark's file, of the rows that `--limit` draws with its usual seed."""
    return sorted(random.Random(0).sample(range(count), limit))


def _digests(lines: list[str] | None) -> list[str]:
    text = "".join(lines or ())
    return [text[k : k + _DIGITS] for k in range(0, len(text), _DIGITS)]


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:_DIGITS]


def _answer(row: dict[str, Any]) -> tuple[Any, ...]:
    ids = [thing["id"] for thing in row["objects"]]
    said = (row["answer"], row["sentence"]) if "answer" in row else (row["tied"],)
    return (*said, ids, row["failure"])


def _conversation(task: dict[str, Any]) -> tuple[Any, ...]:
    return (
        [(each["said"], each["replied"]) for each in task["exchanges"]],
        Counter(error["kind"] for error in task["errors"]).most_common(),
        task["success"],
    )
