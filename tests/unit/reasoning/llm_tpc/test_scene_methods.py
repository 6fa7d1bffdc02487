"""Methods that are learned for programs on the scene, and the rooms they are tried in."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from scenemind.config import LearnedMethodsConfig
from scenemind.models import Allowance
from scenemind.reasoning.learned_methods.api_agent import ApiAgent, try_method
from scenemind.reasoning.learned_methods.library import source_of
from scenemind.reasoning.learned_methods.method_api import Signature
from scenemind.reasoning.llm_tpc.scene_methods import (
    LIVING_ROOM,
    OFFICE,
    Row,
    scene_methods,
    scene_of,
    scene_probes,
    standing,
)
from scenemind.reasoning.method import Asking
from scenemind.reasoning.programs import SceneApi, run_program
from scenemind.reasoning.sandbox import Sandbox
from tests.chat_server import ChatServer
from tests.unit.reasoning.learned_methods.talk import Author, method
from tests.unit.reasoning.memtree_qa.talk import chat_with

API = scene_methods()
NEAREST = method("_nearest", "ObjectAttribute", category="Category")
NEAREST_CODE = """def _nearest(category):
    things = filter(scene(), category)
    return min(things, key=lambda thing: query_attribute(thing, "distance")) if things else None"""
ON = method("_things_on", "Set[ObjectAttribute]", thing="ObjectAttribute")
ON_CODE = "def _things_on(thing):\n    return relate(scene(), thing, 'on')"
COUNT = method("_count_on", "int", thing="ObjectAttribute")
COUNT_CODE = "def _count_on(thing):\n    return len(_things_on(thing))"


def written(
    sandbox: Sandbox, author: Author, *wanted: Mapping[str, object], calls: int = 20
) -> tuple[ApiAgent, int]:
    """The agent when it is done, and how often the model was asked."""
    server = ChatServer(author.step)
    config, asking = LearnedMethodsConfig(calls=calls), Asking(Allowance(30.0))
    with chat_with(server) as chat:
        agent = ApiAgent(chat, sandbox, API, {}, config, asking)
        agent.implement([Signature.model_validate(signature) for signature in wanted])
    return agent, len(server.requests)


def test_good_ones_are_kept_at_their_first_try(sandbox: Sandbox) -> None:
    author = Author(
        methods={"_nearest": NEAREST_CODE, "_count_on": COUNT_CODE, "_things_on": ON_CODE}
    )
    agent, asked = written(sandbox, author, NEAREST, COUNT)
    assert list(agent.new) == ["_nearest", "_things_on", "_count_on"]
    assert asked == 3
    assert agent.refused == {}
    thing = agent.new["_things_on"].signature.parameters[0]
    assert (thing.name, thing.type) == ("thing", "ObjectAttribute")
    assert source_of(["_count_on"], agent.new).startswith(ON_CODE)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("def _nearest(category):\n    return [][0]", "IndexError"),
        (
            "def _nearest(category):\n    return filter(scene(), 'chairr')",
            "category must be one of",
        ),
        ("def _nearest(category):\n    return filter(category, scene())", "TypeError"),
        (
            "def _nearest(category):\n    return filter(scene(), category)",
            "must return ObjectAttri",
        ),
        ("def _nearest(category):\n    return {'object': 1}", "it must return ObjectAttribute"),
        ("def _nearest(category):\n    return 'chair 4'", "it must return ObjectAttribute"),
        ("def _nearest(category):\n    return _nearest(category)", "recursion"),
        ("def _nearest(category):\n    while True: pass", "time limit"),
        ("def _nearest(category):\n    return 'x' * 10**9", "memory limit"),
        ("def _nearest(category):\n    return _relate([1], [2], 'on')", "is not among"),
        ("def _nearest(category):\n    return open('/etc/passwd').read()", "Error"),
        ("from math import floor as filter\n" + NEAREST_CODE, "must not be called filter"),
        ("def filter(category):\n    return None", r"must be _nearest(category)"),
    ],
)
def test_one_that_crashes_lies_or_reaches_out_comes_back(
    sandbox: Sandbox, wrong: str, told: str
) -> None:
    author = Author(methods={"_nearest": [wrong, NEAREST_CODE]})
    agent, asked = written(sandbox, author, NEAREST)
    assert told in author.last_told[1]
    assert (list(agent.new), asked) == (["_nearest"], 2)


def test_one_that_lies_on_is_left_out_for_six_calls(sandbox: Sandbox) -> None:
    lie = "def _nearest(category):\n    return 'the nearest ' + category"
    agent, asked = written(sandbox, Author(methods={"_nearest": [lie] * 9}), NEAREST)
    assert (agent.new, asked) == ({}, 6)
    assert "it must return ObjectAttribute, and returned 'the nearest" in agent.refused["_nearest"]


def test_all_together_are_no_more_than_is_allowed(sandbox: Sandbox) -> None:
    names = [f"_m{i}" for i in range(9)]
    author = Author(methods={name: ["def x(): pass"] * 9 for name in names})
    wanted = [method(name, "int", category="Category") for name in names]
    agent, asked = written(sandbox, author, *wanted, calls=12)
    assert (agent.new, asked) == ({}, 12)
    assert set(agent.refused) == set(names)


def test_two_that_wait_for_each_other_are_told_so(sandbox: Sandbox) -> None:
    a = method("_a", "int", thing="ObjectAttribute")
    author = Author(
        methods={
            "_a": ["def _a(thing):\n    return _b(thing) + 1"],
            "_b": [
                "def _b(thing):\n    return _a(thing) - 1",
                "def _b(thing):\n    return len(relate(scene(), thing, 'near'))",
            ],
        }
    )
    agent, _ = written(sandbox, author, a)
    assert "_a calls _b calls _a, without end" in author.last_told[2]
    assert list(agent.new) == ["_b", "_a"]


def test_two_methods_that_do_the_same_are_kept_once(sandbox: Sandbox) -> None:
    """Though it asks for other things on its way."""
    closest = method("_closest", "ObjectAttribute", category="Category")
    twin = """def _closest(category):
    things = [thing for thing in scene() if thing.category == category]
    things = sorted(things, key=lambda thing: query_attribute(thing, "distance"))
    return things[0] if things else None"""
    author = Author(methods={"_nearest": NEAREST_CODE, "_closest": twin})
    agent, _ = written(sandbox, author, NEAREST, closest)
    assert list(agent.new) == ["_nearest"]
    assert agent.refused["_closest"] == "it does what _nearest does, which is used instead"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("relate(scene(), thing, 'on')", "relate(scene(), thing, 'near')"),
        ("relate(scene(), thing, 'left')", "relate(scene(), thing, 'right')"),
        ("{x for x in scene() if x.xyz[2] > thing.xyz[2]}", "relate(scene(), thing, 'above')"),
        # Nothing is behind itself: what was asked tells them apart.
        ("relate({thing}, thing, 'behind')", "relate({thing}, thing, 'inside')"),
    ],
)
def test_those_that_do_other_things_are_told_apart(sandbox: Sandbox, one: str, other: str) -> None:
    signature = Signature.model_validate(ON)
    behaviours = [
        try_method(sandbox, API, signature, f"def _things_on(thing):\n    return {code}", "")
        for code in (one, other)
    ]
    assert [trial.error for trial in behaviours] == ["", ""]
    assert behaviours[0].behaviour != behaviours[1].behaviour


def test_a_room_with_nothing_in_it_may_be_too_little(sandbox: Sandbox) -> None:
    farthest = Signature.model_validate(
        method("_two_nearest", "List[ObjectAttribute]", thing="ObjectAttribute")
    )
    code = """def _two_nearest(thing):
    others = sorted(scene() - {thing}, key=lambda x: query_attribute(x, "distance"))
    return [others[0], others[1]]"""
    assert try_method(sandbox, API, farthest, code, "").error == ""


def test_results_of_every_type_are_recognized(sandbox: Sandbox) -> None:
    values = {
        "ObjectAttribute": "thing",
        "Set[ObjectAttribute]": "{thing}",
        "List[ObjectAttribute]": "[thing]",
        "List[str]": "['a']",
        "str": "'a'",
        "float": "1.5",
        "int": "1",
        "bool": "True",
    }
    assert {*values, "Any"} == set(API.returns)
    for returns in values:
        form = method("_x", returns, thing="ObjectAttribute")
        for kind, value in values.items():
            source = f"def _x(thing):\n    return {value}"
            error = try_method(sandbox, API, Signature.model_validate(form), source, "").error
            fits = kind == returns or (kind, returns) == ("int", "float")
            assert (error == "") == fits, (returns, value)


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
                program = f"[type(_plain(value)).__name__ for value in ({call})]"
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
