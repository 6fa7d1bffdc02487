"""Programs of ZSVG3D on a row of chairs between a desk and a bed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.config import RelationConfig
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.sources import ObjectsSource
from scenemind.evaluation.zsvg3d import RecordedPrograms
from scenemind.evaluation.zsvg3d.interpreter import Outcome, ProgramScene
from scenemind.evaluation.zsvg3d.syntax import parse_program
from scenemind.exchange import ObjectRow, scene_of_rows
from tests.unit.evaluation import made


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
        ("T=BED", 5),
    ],
)
def test_operators(scene: ProgramScene, line: str, best: int) -> None:
    outcome = run(scene, line)
    assert outcome.object_ids[0] == best
    assert outcome.unused == ()


def test_steps_add_up(scene: ProgramScene) -> None:
    near = "T=CLOSEST(targets=CHAIRS, anchors=DESK)"
    outcome = run(scene, near, "T=LEFT(targets=T, anchors=DESK)")
    assert outcome.object_ids[0] == 1


def test_what_is_not_known_is_told_and_left_out(scene: ProgramScene) -> None:
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
