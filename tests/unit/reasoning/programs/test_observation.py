"""The observation that the author of a program gets."""

from __future__ import annotations

import pytest

from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.programs import SceneApi, run_program
from scenemind.reasoning.programs.observation import NOTHING_PRINTED
from scenemind.reasoning.sandbox import Sandbox
from tests.unit.reasoning.scene import room_memory


@pytest.fixture
def api() -> SceneApi:
    snapshot = room_memory().snapshot()
    assert snapshot.world_T_camera is not None
    return SceneApi(snapshot, Viewpoint.of_camera(snapshot.world_T_camera))


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("print('a')\nprint('b')", "a\nb"),
        ("x = 3\nx + 1", "4"),
        ("('é',\n  2)", "('é', 2)"),
        ("print('once')", "once"),
        ("x = []\nx.append(3)", NOTHING_PRINTED),
        ("if True:\n    3", NOTHING_PRINTED),
        ("", NOTHING_PRINTED),
        ("# only words", NOTHING_PRINTED),
        ("relate_agent(scene(), 'closest')", "{<dining table 1>}"),
    ],
)
def test_output_and_last_value_are_shown(
    sandbox: Sandbox, api: SceneApi, program: str, text: str
) -> None:
    assert run_program(sandbox, api, program).text == text


def test_syntax_that_only_the_sandbox_takes_is_looked_through_as_well(
    sandbox: Sandbox, api: SceneApi
) -> None:
    """f-strings like these are of Python 3.12."""
    program = """words = f"{'\\n'.join(['a', 'b'])}"
print(words)
print(words.length)
print(words.size)"""
    observation = run_program(sandbox, api, program)
    assert observation.error is not None
    assert "It printed: a\nb" in observation.text
    assert "no attribute 'length'" in observation.text


def test_a_crash_shows_earlier_output_and_the_whole_traceback(
    sandbox: Sandbox, api: SceneApi
) -> None:
    program = """def side(x):
    return relate(scene(), x, 'beneath it')

print('so far')
side(scene().pop())"""
    observation = run_program(sandbox, api, program)
    assert observation.error is not None
    assert observation.text.startswith(
        "It printed: so far\n"
        "Traceback (most recent call last):\n"
        "  line 5, in <module>: side(scene().pop())\n"
        "  line 2, in side: return relate(scene(), x, 'beneath it')\n"
        "ValueError: relation must be one of "
    )


def test_all_mistakes_of_a_program_are_told_at_once(sandbox: Sandbox, api: SceneApi) -> None:
    program = "chairs = filter(object_set=scene(), kind='chair')\nprint(chairs[0])\nprint(tables)"
    text = run_program(sandbox, api, program).text
    assert "unexpected keyword argument 'kind'" in text
    checked = text.partition("A checker finds in the whole program:")[2]
    assert "program:2:" in checked
    assert "`tables` used when not defined" in checked


def test_a_call_that_lacks_something_is_told_with_its_line(sandbox: Sandbox, api: SceneApi) -> None:
    """The interpreter tells the line of the function alone, which is none of the program's."""
    text = run_program(sandbox, api, "x = scene().pop()\nprint(query_state(x))").text
    assert "missing 1 required positional argument: 'candidate_states'" in text
    assert "program:2:" in text


def test_correct_lines_are_not_reported(sandbox: Sandbox, api: SceneApi) -> None:
    """The checker complains of each of these lines, and all but the last are right."""
    program = """
nearest = None
for thing in scene():
    nearest = thing
print(nearest.category, list(map(str, [1])), getattr(nearest, "id") > 0)
print(relate(list(scene()), nearest, "on"))
print(query_relation_agent(nearest, ("left", "right")))
counts = {"cup": 2}
print(max(counts, key=lambda x: counts[x]), filter(lambda x: x > 1, [1, 2]))
print(table)
print("more")
"""
    text = run_program(sandbox, api, program).text
    assert text.endswith(
        "line 10, in <module>: print(table)\nNameError: name 'table' is not defined"
    )
    checked = sandbox.check(program, api.of_sandbox)
    assert checked is not None
    assert len(checked.text.splitlines()) > 4


def test_one_mistake_is_not_told_twice(sandbox: Sandbox, api: SceneApi) -> None:
    text = run_program(sandbox, api, "print(sofas)").text
    assert text == (
        "Traceback (most recent call last):\n"
        "  line 1, in <module>: print(sofas)\n"
        "NameError: name 'sofas' is not defined"
    )


def test_observation_has_the_objects_of_the_program(sandbox: Sandbox, api: SceneApi) -> None:
    program = """
relate(scene(), filter(scene(), "table").pop(), "on")
print(relate_agent(scene(), "closest"))
"""
    assert run_program(sandbox, api, program).object_ids == (1, 2, 3)
    assert run_program(sandbox, api, "print(3)").object_ids == ()


@pytest.mark.parametrize(
    ("program", "says", "seconds"),
    [
        ("for _ in range(1000):\n    relate_agent(scene(), 'left')", "many calls of the API", 60.0),
        ("while True:\n    pass", "a loop that does not end", 1.0),
        ("x = []\nwhile True:\n    x.append('long' * 1000)", "too much memory", 60.0),
        ("def f():\n    yield 3", "write it in a simpler way", 60.0),
    ],
)
def test_error_explains_the_limit(
    sandbox: Sandbox, api: SceneApi, program: str, says: str, seconds: float
) -> None:
    assert says in run_program(sandbox, api, program, seconds=seconds).text


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("scene().pop().color", "query_attribute() and query_state() tell the rest"),
        ("scene().pop()['lwh']", "query_attribute() and query_state() tell the rest"),
        ("scene()[0]", "take one of them with pop()"),
        ("scene().category", "take one of them with pop()"),
        ("counts = {'cup': 2}\nmax(counts, key=counts.get)", "write lambda x: counts.get(x)"),
        ("sorted(['b', 'A'], key=str.lower)", "but not handed on"),
    ],
)
def test_how_objects_and_sets_are_used_is_told(
    sandbox: Sandbox, api: SceneApi, program: str, says: str
) -> None:
    assert says in run_program(sandbox, api, program).text


def test_a_program_that_crashed_is_not_run_again_to_be_checked(
    sandbox: Sandbox, api: SceneApi
) -> None:
    program = "print('ran')\nx = [query_relation_agent(o) for o in scene()]\n[1].append(*x)"
    assert "It printed: ran\n" in run_program(sandbox, api, program).text
    assert len(api.take_spoken_of()) == 0


def test_output_of_a_loop_does_not_hide_the_error(sandbox: Sandbox, api: SceneApi) -> None:
    text = run_program(sandbox, api, "while True:\n    print('again and again')").text
    assert len(text) < 3500
    assert "more characters)" in text
    assert text.endswith("the program printed more than 8000 characters")
