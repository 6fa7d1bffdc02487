"""The examples that the model reads: their programs print what they are said to print."""

from __future__ import annotations

import re

import pytest

from scenemind.geometry import Pose
from scenemind.memory import MapObject
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.llm_tpc.turns import GiveAnswer, WriteProgram, read_turn
from scenemind.reasoning.programs import SceneApi, run_program
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.sandbox import Sandbox
from tests.unit.reasoning.scene import snapshot_of, thing

# Who asks stands at the origin and looks along +x; left is +y.
AT_ORIGIN = Viewpoint.of_body(Pose.identity())
_CHAIR = (0.5, 0.5, 0.9)
SCENES: dict[str, tuple[MapObject, ...]] = {
    "1": (
        thing(1, "bed", (0, 0, 0.3), (1.4, 2, 0.6)),
        thing(2, "chair", (0, 1.6, 0.45), _CHAIR),
        thing(3, "chair", (2.5, 0, 0.45), _CHAIR),
        thing(4, "chair", (0.2, 2.8, 0.45), _CHAIR),
        thing(5, "desk", (3.2, 0, 0.4), (0.8, 1.6, 0.8)),
        thing(6, "lamp", (0, -2, 0.7), (0.3, 0.3, 1.4)),
    ),
    "2": (
        thing(1, "couch", (-1, 0, 0.4), (0.8, 1.8, 0.8)),
        thing(2, "coffee table", (1.2, 0, 0.2), (0.6, 1.0, 0.4)),
        thing(3, "door", (0, 3, 1), (0.9, 0.1, 2)),
        thing(4, "trash can", (0, -1.5, 0.2), (0.3, 0.3, 0.4)),
    ),
    "3": (
        thing(1, "bookshelf", (2, 0, 1), (0.4, 1.2, 2)),
        thing(2, "cabinet", (-2, 0, 0.5), (0.5, 1, 1)),
        thing(3, "plant", (-2, 0.2, 1.2), (0.3, 0.3, 0.4), color="dark green"),
        thing(4, "plant", (0, 2.5, 0.5), (0.4, 0.4, 1.0), color="green"),
        thing(5, "window", (0, -3, 1.5), (1, 0.1, 1)),
    ),
}
_EXAMPLES = dict(
    re.findall(
        r"^Example (\d)\n(.*?)\n(?=^Example|^Here)",
        read_prompt("scenemind.reasoning.llm_tpc", "examples"),
        re.DOTALL | re.MULTILINE,
    )
)


@pytest.mark.parametrize("number", sorted(SCENES))
def test_an_example_is_true(sandbox: Sandbox, number: str) -> None:
    api = SceneApi(snapshot_of(SCENES[number], None), AT_ORIGIN)
    listed = ", ".join(f'{count} "{name}"' for name, count in sorted(api.categories.items()))
    intro, *turns = re.split(r"^(?=Thought:)", _EXAMPLES[number], flags=re.MULTILINE)
    assert sorted(re.findall(r'\d "[^"]*"', intro)) == sorted(listed.split(", "))
    for text in turns[:-1]:
        told = text.partition("Observation: ")[2].strip()
        turn = read_turn(text)
        assert isinstance(turn, WriteProgram)
        printed = run_program(sandbox, api, turn.program).text
        assert told.removeprefix("The program did not run to its end.\n") == printed
    last = read_turn(turns[-1])
    assert isinstance(last, GiveAnswer)
    known = [f"{t.label} {t.object_id}" for t in SCENES[number]]
    assert set(last.objects) <= set(known)


def test_there_is_an_example_for_each_scene() -> None:
    assert sorted(_EXAMPLES) == sorted(SCENES)
