"""Which layouts are used, by what was measured or by what is set."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.config import ConfigError
from scenemind.config.vlm_grounder import VlmGrounderConfig
from scenemind.reasoning.vlm_grounder.stitching import (
    Layout,
    LayoutScore,
    MeasuredLayouts,
    best_layouts,
    layouts_of,
)


def score(rows: int, columns: int, recalled: int, failed: int = 0, sheets: int = 1) -> LayoutScore:
    """Of 100 pictures, in ten requests."""
    failures = {"too_late": failed} if failed else {}
    return LayoutScore(
        rows=rows,
        columns=columns,
        sheets=sheets,
        requests=10,
        failed=failures,
        pictures=100,
        recalled=recalled,
    )


def written(folder: Path, scores: list[LayoutScore], *, is_whole: bool = True) -> VlmGrounderConfig:
    file = MeasuredLayouts(
        model="seer",
        longest_px=2048,
        picture_px=(640, 480),
        seed=0,
        is_whole=is_whole,
        scores=scores,
    )
    path = folder / "layouts.json"
    path.write_text(file.model_dump_json())
    return VlmGrounderConfig(layouts_file=str(path))


def test_those_with_little_loss_by_growing_size(tmp_path: Path) -> None:
    scores = [score(9, 3, 96), score(4, 1, 100), score(5, 5, 90), score(2, 4, 98)]
    assert layouts_of(written(tmp_path, scores)) == (Layout(4, 1), Layout(2, 4), Layout(9, 3))


def test_loss_is_over_all_lengths() -> None:
    scores = [score(4, 1, 100), score(8, 2, 100), score(8, 2, 80, sheets=6)]
    assert best_layouts(scores) == (Layout(4, 1),)


def test_of_one_size_the_better_stays() -> None:
    assert best_layouts([score(2, 4, 97), score(4, 2, 98), score(8, 1, 98)]) == (Layout(4, 2),)


def test_what_mostly_failed_is_not_used() -> None:
    scores = [score(4, 1, 95), score(2, 4, 100, failed=6), score(8, 2, 94, failed=5)]
    assert best_layouts(scores) == (Layout(4, 1), Layout(8, 2))


def test_a_model_that_reads_nothing_well_still_has_its_best() -> None:
    assert best_layouts([score(4, 1, 20), score(2, 4, 3)]) == (Layout(4, 1),)


@pytest.mark.parametrize("failed", [0, 10], ids=["blind", "no answers"])
def test_where_nothing_was_read_the_file_is_refused(tmp_path: Path, failed: int) -> None:
    with pytest.raises(ConfigError, match=r"layouts\.json: of no layout anything was read"):
        layouts_of(written(tmp_path, [score(4, 1, 0, failed=failed)]))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "model: Field required"),
        ("{", "is not YAML"),
        ('{"version": 2}', "version"),
        ('{"model": "seer", "scores": []}', "scores"),
        ('{"scores": [{"colums": 3}]}', r"there is no setting scores\.0\.colums"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "layouts.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=complaint):
        layouts_of(VlmGrounderConfig(layouts_file=str(path)))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no configuration at"):
        layouts_of(VlmGrounderConfig(layouts_file=str(tmp_path / "none.json")))


def test_a_file_of_another_model_is_refused(tmp_path: Path) -> None:
    config = written(tmp_path, [score(4, 1, 95)])
    assert layouts_of(config, "seer") == layouts_of(config) == (Layout(4, 1),)
    with pytest.raises(ConfigError, match=r"measured with 'seer', and the vision model is 'other'"):
        layouts_of(config, "other")


def test_a_file_of_an_interrupted_measurement_is_refused(tmp_path: Path) -> None:
    config = written(tmp_path, [score(4, 1, 95)], is_whole=False)
    with pytest.raises(ConfigError, match=r"layouts\.json: the measurement was ended before"):
        layouts_of(config, "seer")


def test_more_was_recalled_than_shown() -> None:
    with pytest.raises(ValueError, match="more was recalled"):
        score(4, 1, 101)


def test_layouts_that_are_set_are_sorted() -> None:
    config = VlmGrounderConfig(layouts=[(3, 3), (1, 1), (5, 2)])
    assert layouts_of(config) == (Layout(1, 1), Layout(3, 3), Layout(5, 2))


@pytest.mark.parametrize("layouts", [[], [(0, 4)], [(2, 4), (4, 2)]])
def test_impossible_layouts_are_refused(layouts: list[tuple[int, int]]) -> None:
    with pytest.raises(ConfigError, match=r"vlm_grounder\.layouts: "):
        layouts_of(VlmGrounderConfig(layouts=layouts))
