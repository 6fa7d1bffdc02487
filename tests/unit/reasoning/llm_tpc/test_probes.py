"""The made-up scenes are as their drawing says, and every type of parameter has values in them."""

from __future__ import annotations

import pytest

from scenemind.reasoning.llm_tpc.probe_scenes import LIVING_ROOM, OFFICE, Row, scene_of, standing
from scenemind.reasoning.llm_tpc.probes import scene_probes
from scenemind.reasoning.llm_tpc.scene_methods import scene_methods
from scenemind.reasoning.programs import SceneApi, run_program
from scenemind.reasoning.sandbox import Sandbox

AT_THE_DESK = standing(0.0, -1.0, (0.0, 0.0))


@pytest.mark.parametrize(
    ("rows", "program", "answer"),
    [
        (OFFICE, "relate(scene(), filter(scene(), 'desk').pop(), 'on')", "{<laptop 2>, <mug 3>}"),
        (OFFICE, "relate(scene(), filter(scene(), 'cabinet').pop(), 'on')", "{<plant 5>}"),
        (OFFICE, "relate_agent(filter(scene(), 'chair'), 'left')", "{<chair 6>}"),
        (OFFICE, "relate_agent(filter(scene(), 'chair'), 'right')", "{<chair 7>}"),
        (OFFICE, "relate_agent(filter(scene(), 'chair'), 'closest')", "{<chair 6>}"),
        (OFFICE, "query_attribute(filter(scene(), 'mug').pop(), 'color')", "red"),
        (OFFICE, "query_state(filter(scene(), 'door').pop(), ['open', 'closed'])", "closed"),
        (LIVING_ROOM, "len(filter(scene(), 'chair'))", "3"),
        (LIVING_ROOM, "relate(scene(), filter(scene(), 'couch').pop(), 'on')", "{<pillow 2>}"),
        (LIVING_ROOM, "query_attribute(filter(scene(), 'tv').pop(), 'material')", "plastic"),
        (LIVING_ROOM, "filter(building(), 'wall')", "{<wall -2>}"),
    ],
)
def test_answers_in_the_scenes_are_known(
    sandbox: Sandbox, rows: tuple[Row, ...], program: str, answer: str
) -> None:
    api = SceneApi(scene_of(rows), AT_THE_DESK)
    assert run_program(sandbox, api, program).text == answer


def test_arguments_are_of_their_types(sandbox: Sandbox) -> None:
    kinds = {"Category": "str", "Relation": "str", "ObjectAttribute": "object"}
    for type_ in scene_methods().parameters:
        kind = kinds.get(type_, type_.partition("[")[0].lower())
        for probe in scene_probes([type_, type_]):
            for call in probe.calls:
                program = f"[type(_told(value)).__name__ for value in ({call})]"
                told = sandbox.run(program, probe.api).value
                # As plain data, objects and sets are dicts.
                expected = "dict" if kind in ("object", "set") else kind
                assert told == [expected] * 2, (type_, call)


def test_one_call_is_about_different_things(sandbox: Sandbox) -> None:
    for probe in scene_probes(["ObjectAttribute"] * 3):
        for call in probe.calls[: 0 if probe.is_bare else None]:
            assert sandbox.run(f"len({{{call}}})", probe.api).value == 3


def test_they_are_the_same_each_time() -> None:
    types = scene_methods().parameters
    once, again = ([p.calls for p in scene_probes(types)] for _ in range(2))
    assert once == again
    assert len({call for calls in once for call in calls}) == sum(map(len, once))
