"""The programs that LLM-TPC's paper prints, re-typed: Fig. 4, 7, S4, S5 and S11."""

# ruff: noqa: E501  (programs are as they were printed)

from __future__ import annotations

import math

import pytest

from scenemind.geometry import Pose
from scenemind.memory import MapObject
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.programs import Observation, SceneApi, run_program
from scenemind.reasoning.sandbox import Sandbox
from tests.unit.reasoning.scene import snapshot_of, thing

# The viewer stands at the origin and looks along +x; left is +y.
AT_ORIGIN = Viewpoint.of_body(Pose.identity())


def run(sandbox: Sandbox, program: str, *objects: MapObject) -> Observation:
    return run_program(sandbox, SceneApi(snapshot_of(objects, None), AT_ORIGIN), program)


def chair(object_id: int, x: float, y: float, color: str = "black") -> MapObject:
    return thing(object_id, "chair", (x, y, 0.45), (0.5, 0.5, 0.9), color=color)


def couch(object_id: int, x: float, y: float, color: str) -> MapObject:
    return thing(object_id, "couch", (x, y, 0.4), (0.9, 0.9, 0.8), color=color)


IRONING_BOARD = thing(3, "ironing board", (0.1, 2.0, 0.5), (0.4, 1.2, 0.9))


def test_which_way_to_the_ironing_board(sandbox: Sandbox) -> None:
    """Fig. 4: the first program has a wrong keyword, the second is right."""
    beginning = """
# Get object set in the scene
object_set = scene()

# Filter the ironing board from the objects in the scene
ironing_board_set = filter(object_set=object_set, category="ironing board")

# Determine the direction of the ironing board relative to my current position
"""
    wrong = beginning + "direction = query_relation_agent(object_set=ironing_board_set)\n"
    right = beginning + (
        "direction = query_relation_agent(object=ironing_board_set.pop())\n"
        'print(f"Direction of the ironing board relative to my current position: {direction}")\n'
    )
    failed = run(sandbox, wrong, IRONING_BOARD)
    assert failed.error is not None
    assert (
        "TypeError: query_relation_agent() got an unexpected keyword argument 'object_set'"
    ) in failed.text
    assert run(sandbox, right, IRONING_BOARD).text == (
        "Direction of the ironing board relative to my current position: ['left', \"9 o'clock\"]"
    )


SIT_DOWN = """
# Get object set in the scene
object_set = scene()

# Filter the chairs from the objects in the scene
chair_set = filter(object_set=object_set, category="chair")

# Find the chair that is within my reach
reachable_chair_set = relate_agent(object_set=chair_set, relation="{relation}")
"""


def test_where_to_sit_down(sandbox: Sandbox) -> None:
    """Fig. 7a: there is no relation "close"; "within reach" is one."""
    wrong = SIT_DOWN.format(relation="close") + (
        "# Determine the direction of the chair relative to my current position\n"
        "for chair in reachable_chair_set:\n"
        "    chair_direction = query_relation_agent(object=chair)\n"
    )
    right = SIT_DOWN.format(relation="within reach") + (
        "if len(reachable_chair_set) > 0:\n"
        "    # Determine the direction of the chair relative to my current position\n"
        "    for chair in reachable_chair_set:\n"
        "        chair_direction = query_relation_agent(object=chair)\n"
        '        print(f"Direction of the chair relative to my current position: '
        '{chair_direction}")\n'
        "else:\n"
        '    print("There are no chairs within my reach to sit down.")\n'
    )
    chairs = chair(1, 0.0, -0.8), chair(2, 3.0, 0.0)
    failed = run(sandbox, wrong, *chairs)
    assert failed.error is not None
    assert "relation must be one of" in failed.text
    assert "within reach" in failed.text
    assert 'not "close"' in failed.text
    assert run(sandbox, right, *chairs).text == (
        "Direction of the chair relative to my current position: ['right', \"3 o'clock\"]"
    )
    assert run(sandbox, right, chairs[1]).text == "There are no chairs within my reach to sit down."


def test_the_color_of_the_table_in_front(sandbox: Sandbox) -> None:
    """Fig. 7b."""
    program = """
object_set = scene()
table_set = filter(object_set=object_set, category="table")

# Find the table in front of me
table_in_front_set = relate_agent(object_set=table_set, relation="front")

# Determine the color of the table in front of me
color_table_in_front = []
for table in table_in_front_set:
    color = query_attribute(object=table, attribute_type="color")
    color_table_in_front.append(color)
print(f"Color of the table in front of me: {color_table_in_front}")
"""
    tables = (
        thing(1, "table", (2, 0, 0.4), (1, 1, 0.8), color="brown"),
        thing(2, "table", (-2, 0, 0.4), (1, 1, 0.8), color="white"),
    )
    assert run(sandbox, program, *tables).text == "Color of the table in front of me: ['brown']"


def test_object_directly_behind(sandbox: Sandbox) -> None:
    """Fig. S5; it sorts by distance with a key that asks for it."""
    program = """
# Get object set in the scene
object_set = scene()

# Identify objects behind me
object_behind_set = relate_agent(object_set=object_set, relation="behind")

# Sort the objects behind me by distance
object_behind_by_distance = list(object_behind_set)
object_behind_by_distance.sort(key=lambda x: query_attribute(x, "distance"))

# Determine what object is directly behind me
category_behind_by_distance = [obj.category for obj in object_behind_by_distance][:3]
print(f"Objects directly behind me: {category_behind_by_distance}")
"""
    room = (
        chair(1, 1.5, 0.0),
        couch(2, -2.2, 0.8, "grey"),
        thing(3, "pillow", (-3.0, 0.0, 0.5), (0.4, 0.4, 0.2)),
        thing(4, "coffee table", (-1.0, 0.0, 0.2), (0.6, 0.9, 0.4)),
        thing(5, "lamp", (0.0, 2.5, 0.8), (0.3, 0.3, 1.6)),
    )
    assert run(sandbox, program, *room).text == (
        "Objects directly behind me: ['coffee table', 'couch', 'pillow']"
    )


def backpack_program(furniture: str) -> str:
    return f"""
# Get object set in the scene
object_set = scene()

# Filter the {furniture}s from the objects in the scene
{furniture}_set = filter(object_set=object_set, category="{furniture}")

# Find the left {furniture}
left_{furniture}_set = relate_agent(object_set={furniture}_set, relation="left")

# Query the color of the backpack on the left {furniture}
backpack_color = ""
for {furniture} in left_{furniture}_set:
    backpacks_on_{furniture} = relate(object_set=object_set, reference_object={furniture}, relation="on")
    for backpack in backpacks_on_{furniture}:
        if backpack.category == "backpack":
            backpack_color = query_attribute(object=backpack, attribute_type="color")
            break
print(f"The color of my backpack on the left {furniture} is: {{backpack_color}}")
"""


def test_the_backpack_on_the_left_desk(sandbox: Sandbox) -> None:
    """Fig. S11, above: what the person calls a desk is a table of the scene."""
    room = (
        thing(1, "table", (0, 2, 0.4), (1.2, 1, 0.8)),
        thing(2, "backpack", (0, 2, 0.95), (0.3, 0.3, 0.3), color="black"),
        thing(3, "window", (4, 0, 1.5), (0.1, 1, 1)),
    )
    failed = run(sandbox, backpack_program("desk"), *room)
    assert failed.error is not None
    assert 'category must be one of ["backpack", "table", "window"], not "desk"' in failed.text
    assert 'did you mean "table"?' in failed.text
    assert run(sandbox, backpack_program("table"), *room).text == (
        "The color of my backpack on the left table is: black"
    )


@pytest.mark.parametrize(("other", "is_same"), [("dark grey", True), ("red", False)])
def test_whether_two_couches_have_one_color(sandbox: Sandbox, other: str, is_same: bool) -> None:
    """Fig. S11, below; the paper has a variable `couch_9_o'clock_set`, which is no name in any
    Python."""
    program = """
# Get object set in the scene
object_set = scene()

# Filter the couches from the objects in the scene
couch_set = filter(object_set=object_set, category="couch")

# Find the couch behind me
couch_behind_set = relate_agent(object_set=couch_set, relation="behind")

# Find the couch to my 9 o'clock
couch_9_oclock_set = relate_agent(object_set=couch_set, relation="9 o'clock")

# Determine if the colors of the couches behind me and to my 9 o'clock are the same
color_behind = query_attribute(object=couch_behind_set.pop(), attribute_type="color")
color_9_oclock = query_attribute(object=couch_9_oclock_set.pop(), attribute_type="color")
same_color = color_behind == color_9_oclock
print(f"The couch behind me {'is' if same_color else 'is not'} the same color as the couch to my 9 o'clock.")
"""
    couches = couch(1, -2.0, 0.0, "dark grey"), couch(2, 0.0, 2.0, other)
    word = "is" if is_same else "is not"
    assert run(sandbox, program, *couches).text == (
        f"The couch behind me {word} the same color as the couch to my 9 o'clock."
    )


def test_examples_of_the_papers_documentation(sandbox: Sandbox) -> None:
    """Fig. S4, all of its examples in one program."""
    program = """
object_set = scene()
table_set = filter(object_set=object_set, category="table")
table_left_set = relate_agent(object_set=table_set, relation="left")
objects_on_table = set()
for table in table_left_set:
    objects_on_table.update(relate(object_set=object_set, reference_object=table, relation="on"))
objects_on_table_category = []
for obj in objects_on_table:
    objects_on_table_category.append(obj.category)
print(f"Objects on top of the table on my left: {objects_on_table_category}")
direction = query_relation_agent(object=table)
print(f"I should go {' '.join(direction)} to reach the table.")
direction = query_relation_agent(object=table, candidate_relations=["front", "behind"])
print(f"Direction of the table relative to my current position: {' '.join(direction)}")
chair = filter(object_set=object_set, category="chair").pop()
relation = query_relation(object=chair, reference_object=table, candidate_relations=["left", "right"])
print(f"The chair is on the {' '.join(relation)} of the table")
lwh = query_attribute(object=chair, attribute_type="lwh")
print(lwh, lwh[0] * lwh[1])
distance = query_attribute(object=chair, attribute_type="distance")
print(distance)
color = query_attribute(object=chair, attribute_type="color", candidate_attribute_values=["brown", "black", "red"])
print(color)
shape = query_attribute(object=table, attribute_type="shape", candidate_attribute_values=["round", "square", "rectangular"])
material = query_attribute(object=table, attribute_type="material", candidate_attribute_values=["wood", "metal"])
print(shape, material)
state = query_state(object=table, candidate_states=["neat", "messy"])
print(state)
"""
    room = (
        thing(1, "table", (0, 2, 0.4), (1.2, 0.8, 0.8), shape="box-shaped", material="wooden",
              state="messy"),
        thing(2, "book", (-0.2, 2, 0.83), (0.2, 0.3, 0.05)),
        thing(3, "tray", (0.3, 2, 0.82), (0.3, 0.4, 0.04)),
        chair(4, 1.0, 2.0, color="dark brown"),
    )  # fmt: skip
    lines = run(sandbox, program, *room).text.splitlines()
    assert sorted(lines[0].partition(": ")[2].strip("[]").split(", ")) == ["'book'", "'tray'"]
    assert lines[1:] == [
        "I should go left 9 o'clock to reach the table.",
        "Direction of the table relative to my current position: ",
        "The chair is on the right of the table",
        "[0.5, 0.5, 0.9] 0.25",
        lines[5],
        "brown",
        "rectangular wood",
        "messy",
    ]
    assert float(lines[5]) == pytest.approx(math.hypot(0.75, 1.75), abs=0.2)
