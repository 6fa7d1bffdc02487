"""Files that are not what was asked for are named, with the way out."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.benchmark import BENCHMARKS, get_benchmark
from scenemind.evaluation.datasets.files import benchmark_of
from tests.unit.evaluation import made


def write_zsvg3d(folder: Path) -> Path:
    return made.write_json(folder, "nr3d_val.json", [made.zsvg3d_row()])


def write_scanrefer(folder: Path) -> Path:
    row = {"scene_id": made.SCENE, "object_id": "3", "ann_id": "0", "description": "a desk"}
    return made.write_json(folder, "ScanRefer_filtered_val.json", [row])


def write_sr3d(folder: Path) -> Path:
    return made.write_nr3d_csv(folder, "sr3d.csv", coarse_reference_type="horizontal")


FILES: dict[str, Callable[[Path], Path]] = {
    "nr3d": made.write_nr3d_csv,
    "nr3d of ZSVG3D": write_zsvg3d,
    "sr3d": write_sr3d,
    "scanrefer": write_scanrefer,
    "scanqa": made.write_scanqa,
    "sqa3d": made.write_sqa3d,
    "openeqa": made.write_openeqa,
    "omni3d": lambda folder: made.write_omni3d(folder, ("int", 3)),
}


def refusal(benchmark: str, path: Path) -> str:
    with pytest.raises(EvaluationError) as refused:
        list(get_benchmark(benchmark).read(path))
    return str(refused.value)


@pytest.mark.parametrize("given", FILES)
@pytest.mark.parametrize("asked", BENCHMARKS)
def test_a_file_of_another_benchmark(asked: str, given: str, tmp_path: Path) -> None:
    path = FILES[given](tmp_path)
    if path.is_dir():
        path = max(path.iterdir(), key=lambda file: "questions" in file.name)
    owner = given.split()[0]
    if owner == asked:
        assert list(get_benchmark(asked).read(path))
    else:
        way_out = f"`scenemind eval {owner} --data {path}`"
        assert f"rows of {owner}, not of {asked}: {way_out}" in refusal(asked, path)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"<!DOCTYPE html><html>", "it begins with '<!DOCTYPE html><html>'"),
        (b'[{"scene_id": "scene00', "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"\x00\xff\xfe", "is no JSON"),
        (b"{}", "file.json"),
        (b"[1, 2]", "file.json"),
    ],
)
def test_a_file_that_is_none(benchmark: str, content: bytes, message: str, tmp_path: Path) -> None:
    if benchmark == "sr3d":
        pytest.skip("its file is a CSV")
    path = tmp_path / "file.json"
    path.write_bytes(content)
    assert message in refusal(benchmark, path)


@pytest.mark.parametrize("benchmark", ["nr3d", "sr3d"])
def test_tables_that_are_none(benchmark: str, tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    for content, message in (
        ("", "is empty: ReferIt3D's"),
        ("scan_id;utterance\na;b\n", "has no column scan_id, target_id, utterance"),
        ("scan_id,utterance\na,b\n", "has no column target_id, stimulus_id, tokens; its columns"),
    ):
        path.write_text(content)
        assert message in refusal(benchmark, path)
    path.write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in refusal(benchmark, path)


def test_an_objects_file_that_is_given_as_data(tmp_path: Path) -> None:
    path = made.write_objects(tmp_path)
    packed = tmp_path / "objects.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for benchmark in ("scanqa", "sqa3d", "scanrefer", "omni3d"):
        for file in (path, packed):
            assert "is an objects file, which --objects takes" in refusal(benchmark, file)


def test_rows_of_two_benchmarks_in_one_file(tmp_path: Path) -> None:
    path = made.write_nr3d_csv(tmp_path, dataset="nr3d")
    path.write_text(path.read_text() + path.read_text().splitlines()[1].replace("nr3d", "sr3d"))
    assert "row 2: a row of sr3d, not of nr3d" in refusal("nr3d", path)


def test_the_answers_of_sqa3d_are_not_its_questions(tmp_path: Path) -> None:
    made.write_sqa3d(tmp_path)
    assert "has no 'questions'" in refusal("sqa3d", tmp_path / "v1_sqa_annotations_test.json")
    (tmp_path / "v1_questions_test.json").rename(tmp_path / "asked.json")
    assert "no answers to" in refusal("sqa3d", tmp_path / "asked.json")


def test_the_published_files_are_recognised(shared_data: Path) -> None:
    annotations = shared_data / "annotations"
    for file, name in (
        ("zsvg3d/nr3d_val.json", "nr3d"),
        ("zsvg3d/scanrefer_val.json", "scanrefer"),
        ("scanrefer/ScanRefer_filtered_val_sampled1000.json", "scanrefer"),
        ("scanqa/ScanQA_v1.0_val.json", "scanqa"),
        ("sqa3d/v1_balanced_questions_test_scannetv2.json", "sqa3d"),
        ("sqa3d/v1_balanced_sqa_annotations_test_scannetv2.json", "sqa3d"),
        ("openeqa/open-eqa-v0.json", "openeqa"),
        ("scannet_objects.json.gz", "objects"),
        ("referit3d/nr3d_test_sampled1000.csv", "nr3d"),
        ("referit3d/sr3d_test_sampled1000.csv", "sr3d"),
        ("vlm-grounder/vlmg_nr3d_250.csv", "nr3d"),
        ("vlm-grounder/vlmg_scanrefer_250.csv", "scanrefer"),
    ):
        assert benchmark_of(annotations / file) == name


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["questions", "annotations", "objects", "program", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(JSON, st.sampled_from(sorted(set(BENCHMARKS) - {"sr3d"})))
def test_any_json_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: object, benchmark: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(content))
    try:
        list(get_benchmark(benchmark).read(path))
    except EvaluationError as refused:
        reason = str(refused)
    else:
        reason = "any.json was read"
    assert "any.json" in reason
