"""Boxes made by hand that come with the project."""

from __future__ import annotations

from pathlib import Path

from scenemind.evaluation.map_truth import load_truth

REDKITCHEN = Path(__file__).parents[3] / "benchmarks" / "labels" / "redkitchen.json"


def test_things_stand_on_the_floor_or_on_the_table() -> None:
    truth = load_truth(REDKITCHEN)
    boxes = {one.id: one.turned_box for one in truth.objects}
    assert sum(one.counts for one in truth.objects) == 12
    table = boxes["table"]
    for name, box in boxes.items():
        if name.startswith("chair"):
            assert abs(box.bottom_z - table.bottom_z) < 0.02, name
        if name.startswith(("cup", "book_purple", "magazine_computer", "magazine_pioneer")):
            assert abs(box.bottom_z - table.top_z) < 0.03, name
            assert table.contains(box.corners()[4:], margin_m=0.15).all(), name
