"""Output about an object and the whole map, as JSON and as tables."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot, Stay
from scenemind.reasoning.query import MEASURED, SAME_AS
from scenemind.report import terminal
from scenemind.report.terminal import object_counts, object_json, print_objects

# A square of 1 m that stands on its corner, seen from above.
CORNERS = np.array([(0, -1, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 2)], np.float32) / np.sqrt(2.0)
BEFORE = Stay(Box3D((5.0, 6.0, 7.0), (0.1, 0.2, 0.3)), 10, 20, 30)
THING = MapObject(
    object_id=3,
    label="stool",
    perceived_label="stool",
    attributes={"color": "red"},
    confidence=0.5,
    box=Box3D.from_bounds(CORNERS.min(axis=0), CORNERS.max(axis=0)),
    points=CORNERS,
    first_seen_ns=10,
    last_seen_ns=50,
    observation_count=4,
    track_ids=(1,),
    stays=(BEFORE,),
)


def test_object_has_its_rotation_and_earlier_places() -> None:
    told = json.loads(json.dumps(object_json(THING)))
    assert (told["size"][:2], told["yaw"]) == ([1.4142, 1.4142], 0.0)
    assert told["yaw_box"]["size"][:2] == pytest.approx([1.0, 1.0], abs=1e-3)
    assert abs(told["yaw_box"]["yaw"]) == pytest.approx(np.pi / 4, abs=1e-3)
    assert told["stays"] == [
        {
            "center": [5.0, 6.0, 7.0],
            "size": [0.1, 0.2, 0.3],
            "yaw": 0.0,
            "first_seen_ns": 10,
            "last_seen_ns": 20,
            "gone_ns": 30,
        }
    ]


def test_gone_objects_are_counted() -> None:
    assert object_counts(MemorySnapshot(1, 1, {3: THING}, (), None)) == "1 objects"
    gone = MemorySnapshot(1, 1, {}, (), None, {3: THING})
    assert object_counts(gone) == "0 objects, 1 gone"
    left = {3: THING, 4: replace(THING, object_id=4, label="person")}
    assert object_counts(replace(gone, gone=left)) == "0 objects, 1 gone"
    ghosts = {number: replace(THING, object_id=number, is_ghost=True) for number in (5, 6)}
    counted = object_counts(replace(gone, gone=ghosts))
    assert counted.startswith("0 objects, 2 probably never there (a detector named it")
    both = replace(gone, gone={3: THING, 5: ghosts[5]})
    assert object_counts(both).startswith("0 objects, 1 gone, 1 probably never there (")


def test_grounded_objects_are_shown_with_confidence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_objects([THING])
    heading, _, line, *_, legend = capsys.readouterr().out.strip().splitlines()
    assert (heading.split()[-1], line.split()[-1]) == ("confidence", "0.50")
    assert [part.split(":")[0] for part in legend.split("; ")] == ["seen", "confidence"]
    print_objects([THING], meant=(0.26,))
    heading, _, line, *_, legend = capsys.readouterr().out.strip().splitlines()
    assert (heading.split()[-1], line.split()[-1]) == ("meant", "0.26")
    assert [part.split(":")[0] for part in legend.split("; ")] == ["seen", "meant"]
    print_objects([])
    assert ":" not in capsys.readouterr().out  # nothing to explain


def test_measured_box_names_its_object(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measured = replace(THING, object_id=MEASURED, attributes={SAME_AS: "3"})
    print_objects([THING, measured, replace(measured, attributes={})])
    _, _, *lines = capsys.readouterr().out.strip().splitlines()[:5]
    assert [line.split("  ")[0] for line in map(str.strip, lines)] == ["3", "0", "0"]
    assert "stool (3, measured)" in lines[1]
    assert "stool (measured)" in lines[2]
    assert "measured" not in lines[0]


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (60, ["id", "label", "first", "second"]),
        (46, ["id", "label", "second"]),
        (25, ["id", "label"]),
    ],
)
def test_spare_columns_go_in_order_until_the_others_fit(
    width: int,
    shown: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(terminal, "_FILE_WIDTH", width)
    table = terminal.make_table("id", "label", "first", "second")
    table.add_row("7", "armchair", "a" * 12, "b" * 20)
    terminal.print_table(table, spare=("first", "second"))
    heading, _, row = capsys.readouterr().out.split("\n")[1:4]
    assert heading.split() == shown
    assert row.split()[:2] == ["7", "armchair"]


def test_an_id_is_never_wrapped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "_FILE_WIDTH", 16)
    table = terminal.make_table("id", "label")
    table.add_row("1234567", "armchair-with-cushions")
    terminal.print_table(table)
    words = capsys.readouterr().out.rpartition("─")[2].split()
    assert words[0] == "1234567"
    assert "".join(words[1:]) == "armchair-with-cushions"
