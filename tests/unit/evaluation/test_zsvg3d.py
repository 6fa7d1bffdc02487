"""Recorded programs of ZSVG3D, parsed and run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.sources import ObjectsSource
from scenemind.evaluation.zsvg3d import (
    Outcome,
    Phrase,
    ProgramScene,
    RecordedPrograms,
    Reference,
    Statement,
    parse_program,
)
from scenemind.exchange import ObjectRow, scene_of_rows
from tests.unit.evaluation import made


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        ("BOX0=LOC(object='blue chair')", Statement("BOX0", "LOC", (Phrase("blue chair"),))),
        (
            "TARGET=CLOSEST(targets=BOX0, anchors=[BOX1, BOX2])",
            Statement(
                "TARGET", "CLOSEST", (Reference("BOX0"),), (Reference("BOX1"), Reference("BOX2"))
            ),
        ),
        (
            "TARGET=LEFT(targets=BOX0, anchors='door')",
            Statement("TARGET", "LEFT", (Reference("BOX0"),), (Phrase("door"),)),
        ),
        (
            "TARGET=MAX(data=CALC_SIZE(targets=BOX0))",
            Statement("TARGET", "MAX", (Reference("BOX0"),)),
        ),
        (
            "TARGET=RIGHT(targets=LOC(object='table'), anchors=BOX0)",
            Statement("TARGET", "RIGHT", (Phrase("table"),), (Reference("BOX0"),)),
        ),
        ("TARGET=BOX1", Statement("TARGET", "", (Reference("BOX1"),))),
    ],
)
def test_statements(line: str, statement: Statement) -> None:
    assert parse_program(line).statements == (statement,)


@pytest.mark.parametrize(
    "line", ["TARGET", "if DIST1 < DIST2:", "BOX1=LOC(object='wall')[3]", "__import__('os')", "A=1"]
)
def test_other_lines_are_reported(line: str) -> None:
    program = parse_program(f"BOX0=LOC(object='chair')\n{line}\n")
    assert program.unread == (line,)
    assert len(program.statements) == 1


@given(st.text(max_size=80))
def test_any_text_is_data(text: str) -> None:
    program = parse_program(text)
    assert len(program.statements) + len(program.unread) <= len(text.splitlines())


def thing(
    number: int, label: str, x: float, y: float, z: float = 0.5, side: float = 0.5
) -> ObjectRow:
    return ObjectRow(id=number, label=label, center=(x, y, z), size=(side, side, side))


# From the middle of the room, (0, 0), the desk is ahead along +y and the chairs' row runs along x.
ROWS = [
    thing(0, "floor", 0, 0, 0.0, 8.0),
    thing(1, "chair", -1.5, 2.5),
    thing(2, "chair", 0.0, 1.5),
    thing(3, "chair", 1.5, 2.5, side=0.7),
    thing(4, "desk", 0.0, 2.5, side=0.8),
    thing(5, "bed", 3.0, 2.5, side=1.5),
    thing(6, "picture", 0.0, 2.5, 2.0),
]


@pytest.fixture(scope="module")
def scene() -> ProgramScene:
    return ProgramScene(scene_of_rows(ROWS, RelationConfig()), RelationConfig())


def run(scene: ProgramScene, *lines: str) -> Outcome:
    start = ("CHAIRS=LOC(object='chair')", "DESK=LOC(object='desk')", "BED=LOC(object='bed')")
    return scene.run(parse_program("\n".join((*start, *lines))))


@pytest.mark.parametrize(
    ("line", "best"),
    [
        ("T=CLOSEST(targets=CHAIRS, anchors=BED)", 3),
        ("T=FARTHEST(targets=CHAIRS, anchors=BED)", 1),
        ("T=LEFT(targets=CHAIRS, anchors=DESK)", 1),
        ("T=RIGHT(targets=CHAIRS, anchors=DESK)", 3),
        ("T=FRONT(targets=CHAIRS, anchors=DESK)", 2),
        ("T=LEFT(targets=CHAIRS)", 1),
        ("T=RIGHT(targets=CHAIRS)", 3),
        ("T=MID(targets=CHAIRS)", 2),
        ("T=BETWEEN(targets=CHAIRS, anchors=[DESK, BED])", 3),
        ("T=BETWEEN(targets=DESK, anchors=CHAIRS)", 4),
        ("T=MAX(data=CALC_SIZE(targets=CHAIRS))", 3),
        ("T=HIGHER(targets=LOC(object='picture'), anchors=DESK)", 6),
        ("T=SECOND_FROM_LEFT(targets=CHAIRS)", 2),
        ("T=NOT_CLOSEST(targets=CHAIRS, anchors=BED)", 1),
        ("T=FRONT_RIGHT(targets=CHAIRS)", 2),
        ("T=CLOSEST(targets=CHAIRS, anchors='bed')", 3),
        ("T=OPPOSITE(targets=CHAIRS, anchors=BED)", 1),
        # An anchor is not between itself and another one.
        ("T=BETWEEN(targets=LOC(object='chair'), anchors=[BED, CHAIRS])", 3),
        ("T=BED", 5),
    ],
)
def test_operators(scene: ProgramScene, line: str, best: int) -> None:
    outcome = run(scene, line)
    assert outcome.object_ids[0] == best
    assert outcome.unused == ()


def test_nearest_of_several_related_things_is_best() -> None:
    """Both lamps are on the left of the desk, as seen from the middle of the room."""
    rows = [thing(1, "desk", 0.0, 2.0), thing(2, "lamp", -3.0, 2.0), thing(3, "lamp", -1.0, 2.0)]
    rows.append(thing(4, "floor", 0, 0, 0.0, 8.0))
    room = ProgramScene(scene_of_rows(rows, RelationConfig()), RelationConfig())
    program = "L=LOC(object='lamp')\nD=LOC(object='desk')\nT=LEFT(targets=L, anchors=D)"
    assert room.run(parse_program(program)).object_ids[:2] == (3, 2)


def test_steps_add_up(scene: ProgramScene) -> None:
    near = "T=CLOSEST(targets=CHAIRS, anchors=DESK)"
    outcome = run(scene, near, "T=LEFT(targets=T, anchors=DESK)")
    assert outcome.object_ids[0] == 1


def test_unknown_operators_are_reported_and_left_out(scene: ProgramScene) -> None:
    outcome = run(scene, "T=WIGGLE(targets=CHAIRS)", "nonsense(", "T=CLOSEST(targets=T, anchors=X)")
    assert outcome.unused == ("nonsense(", "WIGGLE", "X", "CLOSEST")
    assert set(outcome.object_ids) == {1, 2, 3}
    assert outcome.tied == 3


def test_a_program_that_names_nothing(scene: ProgramScene) -> None:
    assert scene.run(parse_program("T=LOC(object='zeppelin')")).object_ids == ()
    assert scene.run(parse_program("T=LOC(object='a')")).object_ids == ()


@pytest.mark.parametrize(("benchmark", "least"), [("nr3d", 50.0), ("scanrefer", 50.0)])
def test_the_recorded_programs(shared_data: Path, benchmark: str, least: float) -> None:
    """On Nr3D that is more than any object of the right class gives (37.6)."""
    folder = shared_data / "annotations"
    scenes = Scenes(folder / "scannet_objects.json.gz")
    programs = RecordedPrograms(ObjectsSource(scenes))
    found = made.evaluated(benchmark, folder / "zsvg3d", scenes, programs, 300)
    accuracy = found.scores["accuracy"].percent
    assert accuracy is not None
    assert accuracy > least
