"""The table of a bench result."""

from __future__ import annotations

import pytest

from scenemind.cli.bench import show_result

ABOUT = {"machine": {"cores": 2}, "versions": {"python": "3.11"}}


def shown(result: dict[str, object], capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """Words of each line that is not blank."""
    show_result("speed", {**result, **ABOUT}, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    return [line.split() for line in lines if line.strip() and "───" not in line]


def test_each_measure_has_a_line_and_the_machine_follows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = shown({"seconds": 0.5, "parts": {"first": 1, "second": [2, 3]}}, capsys)
    assert lines[0] == ["bench", "speed"]
    assert ["seconds", "0.50"] in lines
    assert ["parts", "first", "1"] in lines
    assert ["parts", "second", "2", "3"] in lines
    assert lines[-1] == ["cores", "2;", "python", "3.11"]


def test_things_with_the_same_measures_have_a_table_of_their_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    chair = {"object": "chair [b]7", "iou": 0.25, "size_m": [0.5, 1.0]}
    lines = shown({"views": 3, "objects": [chair, {**chair, "object": "lamp"}]}, capsys)
    assert lines[lines.index(["views", "3"]) + 1 :][:4] == [
        ["objects"],
        ["object", "iou", "size_m"],
        ["chair", "[b]7", "0.25", "0.50", "x", "1.00"],
        ["lamp", "0.25", "0.50", "x", "1.00"],
    ]
