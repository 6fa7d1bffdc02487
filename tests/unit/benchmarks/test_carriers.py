"""Counts of what carries things, on a scene drawn by hand."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from benchmarks.carriers import bench_carriers


def scene(cups: int) -> dict[str, object]:
    """A table with cups, on a floor."""
    table = {"id": 1, "label": "table", "center": [0.0, 0.0, 0.4], "size": [9.0, 1.0, 0.8]}
    floor = {"id": 2, "label": "floor", "center": [0.0, 0.0, 0.0], "size": [12.0, 4.0, 0.05]}
    rows = [
        {"id": 3 + k, "label": "cup", "center": [k - 3.0, 0.0, 0.86], "size": [0.1, 0.1, 0.1]}
        for k in range(cups)
    ]
    return {"objects": [table, floor, *rows]}


def test_counts_by_kind(tmp_path: Path) -> None:
    path = tmp_path / "scenes.json"
    path.write_text(json.dumps({"a": scene(6), "b": scene(5)}))
    found = bench_carriers(path)
    assert found["all"] == {"tables": 11, "floor": 2}
    assert found["kinds"] == {"cup": {"tables": 11}}  # tables are too few


def test_the_table_is_what_the_command_counts_in_the_shared_scenes(shared_data: Path) -> None:
    found = bench_carriers(shared_data / "annotations" / "scannet_objects.json.gz")
    counts = files("scenemind.memory.objects").joinpath("usual_carriers.json")
    table = json.loads(counts.read_text())
    assert found["all"] == table["all"]
    assert found["kinds"] == table["kinds"]
    assert found["held out"]["own"] > 0.3 > 0.0 > found["held out"]["another"]
