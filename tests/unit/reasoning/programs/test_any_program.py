"""Programs that misuse what they find, on a real scene: each ends, and none is a bug of ours."""

from __future__ import annotations

import random

import pytest

from scenemind.config.reasoning import SandboxConfig
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.programs import SceneApi, run_program
from scenemind.reasoning.sandbox import Sandbox
from tests.unit.reasoning.sandbox.children import children_named
from tests.unit.reasoning.scene import room_memory
from tests.waiting import wait_until

SNAPSHOT = room_memory().snapshot()
assert SNAPSHOT.world_T_camera is not None
API = SceneApi(SNAPSHOT, Viewpoint.of_camera(SNAPSHOT.world_T_camera))

BUILTINS = (
    "dict", "filter", "float", "frozenset", "getattr", "hash", "id", "int", "isinstance", "iter",
    "len", "list", "map", "max", "min", "next", "object", "range", "repr", "set", "sorted", "str",
    "sum", "tuple", "type", "zip", "ObjectAttribute", "scene",
)  # fmt: skip
CALLS = (
    "filter(everything, 'chair')", "filter(lambda x: 1, [1])", "relate(everything, thing, 'on')",
    "relate_agent(everything, 'left')", "query_relation(thing, thing)",
    "query_relation_agent(thing)", "query_attribute(thing, 'lwh')",
    "query_attribute(thing, 'color', ['red'])", "query_state(thing, ['open'])", "building()",
    "sorted([3, 1], key=lambda x: -x)", "max([1, 2], key=lambda x: -x)", "map(lambda x: x, [1])",
)  # fmt: skip


@pytest.mark.parametrize("name", BUILTINS)
def test_a_program_may_have_variables_of_any_name(sandbox: Sandbox, name: str) -> None:
    calls = [call for call in CALLS if not call.startswith(f"{name}(")]
    program = f"everything = scene()\nthing = min(everything, key=lambda x: x.id)\n{name} = 3\n"
    observation = run_program(sandbox, API, program + "\n".join(f"print({c})" for c in calls))
    assert observation.error is None, observation.text
    assert len(observation.text.splitlines()) == len(calls)


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("x = scene().pop()\nx.id = 999\nrelate(scene(), x, 'on')", "take objects from scene()"),
        ("x = scene().pop()\nx.id = []\nquery_relation_agent(x)", "take objects from scene()"),
        ("x = ObjectAttribute((99, 'cup', (), (), ''))\nrelate({x}, x, 'on')", "from scene()"),
        ("_relate([1], [1], 3)", "must be a str"),
        ("_relate(3, [1], 'on')", "must be given in a set"),
        ("_relate([1], 4, 'on')", "must be given in a set"),
        ("_relate([1], [], 'on')", "must be one object"),
        ("_relate([1])", "missing"),
        ("_query_attribute(1, 3, [])", "must be a str"),
        ("_query_attribute(1, 'color', 3)", "must be a list of str"),
        ("_query_attribute(scene().pop(), 'color', [])", "take objects from scene()"),
        ("_categories(['cup'])", "must be a str"),
        ("filter(scene(), 'x ' * 10**5)", "at most 200 characters"),
        ("relate_agent(scene(), 'x ' * 10**5)", "at most 200 characters"),
        ("query_state(scene().pop(), ['red'] * 1000)", "at most 100 members"),
        ("query_relation_agent(scene().pop(), 3)", "must be a list of str, got int"),
        ("filter(scene, 'chair')", "must be a set of ObjectAttribute, got function"),
        ("query_attribute(scene().pop(), 'colour')", 'did you mean "color"?'),
    ],
)
def test_arguments_of_a_wrong_type_are_the_programs_error(
    sandbox: Sandbox, program: str, says: str
) -> None:
    observation = run_program(sandbox, API, program)
    assert observation.error is not None
    assert says in observation.text


def test_objects_that_are_given_many_times_count_once(sandbox: Sandbox) -> None:
    program = "relate(list(scene()) * 500, filter(scene(), 'table').pop(), 'on')"
    assert run_program(sandbox, API, program).text == "{<cup 2>, <laptop 3>}"


NAMES = ("x", "xs", "y", "xs.pop()", "scene()", "building()", "[x, y]", "{x}", "None", "3", "x.id")
WORDS = ("'chair'", "'cup'", "'on'", "'left'", "'closest'", "'between'", "'lwh'", "'color'", "'?'")
FUNCTIONS = (
    "filter", "relate", "relate_agent", "query_relation", "query_relation_agent",
    "query_attribute", "query_state", "len", "sorted", "list", "print", "max", "_relate", "_show",
    "ObjectAttribute", "set",
)  # fmt: skip
FRAMES = (
    "{}", "{}", "x = {}", "xs = {}", "print({})", "for x in {}:\n    y = x", "if {}:\n    del x",
    "while {}:\n    xs = {{x}}", "try:\n    {}\nexcept Exception as y:\n    print(y)",
    "def filter(a, b):\n    return {}", "x.id = {}", "x.category, x.xyz = {}, 3", "assert {}",
    "[{} for x in xs]", "sorted(xs, key=lambda x: {})", "raise ValueError({})", "scene = {}",
)  # fmt: skip


def call(chance: random.Random, depth: int = 0) -> str:
    """One of the functions with some arguments; now and then with too many or too few."""
    if depth > 2 or chance.random() < 0.3:
        return chance.choice(NAMES + WORDS)
    count = chance.choice((0, 1, 2, 2, 3, 3, 4))
    return f"{chance.choice(FUNCTIONS)}({', '.join(call(chance, depth + 1) for _ in range(count))})"


def fuzzed(chance: random.Random) -> str:
    lines = ["xs = scene()", "x = xs.pop()", "y = list(xs)[0]"]
    lines += [chance.choice(FRAMES).format(call(chance)) for _ in range(chance.randint(1, 4))]
    return "\n".join(lines)


def test_a_thousand_random_programs_on_a_scene_do_no_harm() -> None:
    chance = random.Random(7)
    others = set(children_named("monty"))
    ran = 0
    config = SandboxConfig(seconds=0.05, memory_mb=16, host_calls=50, workers=1)
    with Sandbox(config) as sandbox:
        for _ in range(1000):
            ran += sandbox.run(fuzzed(chance), API.of_sandbox).error is None
        observation = run_program(sandbox, API, "len(scene())")
        assert observation.text == "10"
        wait_until(lambda: len(set(children_named("monty")) - others) == 1)
    wait_until(lambda: not set(children_named("monty")) - others)
    assert 50 < ran < 950  # else it would test one half alone
