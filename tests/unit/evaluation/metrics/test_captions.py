"""BLEU, ROUGE-L, METEOR and CIDEr against a reference implementation."""

from __future__ import annotations

from pathlib import Path
from shutil import which

import numpy as np
import pytest

from scenemind.evaluation.metrics import captions as meteor
from scenemind.evaluation.metrics import captions as scores
from scenemind.evaluation.metrics.captions import (
    CAPTION_METRICS,
    JavaError,
    bleu_of,
    caption_columns,
    run_java,
)
from scenemind.evaluation.result import summarize
from tests.unit.evaluation.metrics import caption_reference as reference

HAS_PROGRAMS = pytest.mark.skipif(
    which("java") is None, reason="the tokenizer and METEOR are Java programs"
)


def put_java(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a script in place of the java program."""
    java = folder / "java"
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_bleu_of_summed_counts() -> None:
    sums = np.sum(reference.BLEU_COUNTS, axis=0, dtype=np.float64)
    for n in (1, 2, 3, 4):
        assert 100.0 * bleu_of(sums, n) == pytest.approx(reference.PERCENTS[f"bleu_{n}"])


def test_meteor_of_a_row_and_of_summed_statistics() -> None:
    statistics = np.array(reference.METEOR_STATISTICS, dtype=np.float64)
    statistics[2, 20] = 0.0  # the answer is the reference
    assert meteor.meteor_of(statistics) == pytest.approx(reference.ROWS["meteor"])
    of_all = 100.0 * meteor.meteor_of(statistics.sum(axis=0))
    assert of_all == pytest.approx(reference.PERCENTS["meteor"])
    assert meteor.meteor_of(np.zeros(23)) == 0.0


def test_without_the_extra_nothing_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "find_spec", lambda _: None)
    columns, notes = caption_columns(reference.PAIRS)
    assert not columns
    assert "scenemind[eval]" in notes[0]


def test_without_java_nothing_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "find_spec", lambda name: name)
    monkeypatch.setattr(scores, "which", lambda _: None)
    columns, notes = caption_columns(reference.PAIRS)
    assert not columns
    assert "needs java" in notes[0]


def test_rows_without_references_need_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "find_spec", lambda _: None)
    assert caption_columns([None, None]) == ({}, ())


def test_a_java_program_that_does_not_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_java(tmp_path, "exec sleep 60", monkeypatch)
    with pytest.raises(JavaError, match=r"did not end within 0\.2 s"):
        run_java((), tmp_path, ["a line"], 0.2)


def test_a_java_program_that_fails_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_java(tmp_path, "echo no memory >&2; exit 3", monkeypatch)
    with pytest.raises(JavaError, match=r"exit status 3\.; no memory"):
        run_java((), tmp_path, [], 20.0)


@HAS_PROGRAMS
@pytest.mark.extras
def test_scores_equal_those_of_other_programs() -> None:
    pytest.importorskip("pycocoevalcap")
    columns, notes = caption_columns([*reference.PAIRS, None])
    found, _ = summarize(columns, [()] * 6, list("abcdef"))
    assert not notes
    assert {name: score.n for name, score in found.items()} == dict.fromkeys(CAPTION_METRICS, 5)
    for name, percent in reference.PERCENTS.items():
        assert found[name].percent == pytest.approx(percent, abs=1e-4)
    for name, rows in reference.ROWS.items():
        assert columns[name].values[:5] == pytest.approx(rows, abs=1e-6)
        assert np.isnan(columns[name].values[5])


def test_meteor_gets_one_line_for_each_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty texts, and its own separator, would shift what it reads."""
    zeros = " ".join(["0"] * 23)
    put_java(tmp_path, f'tee asked | while read -r _; do echo "{zeros}"; done', monkeypatch)
    monkeypatch.setattr(meteor, "coco_folder", lambda _: tmp_path)
    column = meteor.meteor_column([("", ("a desk", "")), ("a ||| lamp", ("a lamp",))])
    lines = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert lines == ["SCORE ||| a desk ||| \u2205 ||| \u2205", "SCORE ||| a lamp ||| a   lamp"]
    assert list(column.values) == [0.0, 0.0]


def test_invalid_statistics_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_java(tmp_path, "cat", monkeypatch)
    monkeypatch.setattr(meteor, "coco_folder", lambda _: tmp_path)
    with pytest.raises(JavaError, match="METEOR did not print numbers"):
        meteor.meteor_column([("a lamp", ("a lamp",))])


@HAS_PROGRAMS
@pytest.mark.extras
def test_timeout_of_meteor_leaves_the_other_metrics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pycocoevalcap")
    hang = f'case "$*" in *meteor*) exec sleep 60;; *) exec {which("java")} "$@";; esac'
    put_java(tmp_path, hang, monkeypatch)
    monkeypatch.setattr("scenemind.evaluation.metrics.captions._METEOR_TIMEOUT_S", 0.5)
    same = ("On the desk!", ("on the desk", "by the wall"))
    bars = ("a ||| lamp\u2028\n", ("a lamp",))
    columns, notes = caption_columns([same, ("", ("on the desk",)), bars, ("x y", (".",))])
    assert columns.keys() == set(CAPTION_METRICS) - {"meteor"}
    assert columns["bleu_1"].values == pytest.approx([1.0, 0.0, 0.4, 0.0], abs=1e-6)
    assert columns["rouge_l"].values[:2] == pytest.approx([1.0, 0.0])
    assert "METEOR is not computed: the Java program of meteor did not end" in notes[0]
