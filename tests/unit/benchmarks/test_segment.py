"""`python -m benchmarks segment`: masks against those of simulated rooms."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app


def measured(*options: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["segment", *options, "--json"])
    assert result.exit_code == 0, result.output
    told: dict[str, Any] = json.loads(result.stdout)
    return told


def test_masks_without_a_model_are_far_better_than_boxes() -> None:
    told = measured("--rooms", "2", "--frames", "6")
    assert "without a model" in told["segmenter"]
    assert told["things"] > 50
    cases = told["depth_of_every_px"]
    assert list(cases) == ["1", "2", "4"]
    assert cases["1"]["mean_iou"] > told["mean_iou_boxes_alone"] + 0.06
    assert cases["4"]["mean_iou"] > told["mean_iou_boxes_alone"]
    assert all(case["ms_first"] > 0.0 for case in cases.values())
    assert {"machine", "versions"} <= told.keys()


@pytest.mark.extras
def test_sam_does_not_look_at_depth() -> None:
    told = measured("--segmenter", "mobile_sam.yaml", "--rooms", "1", "--frames", "2")
    assert told["segmenter"].startswith("mobile_sam, random weights (torch, ")
    cases = told["depth_of_every_px"]
    assert cases["1"]["mean_iou"] == cases["4"]["mean_iou"]
