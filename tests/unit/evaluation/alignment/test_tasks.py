"""The judgement of answers and edits."""

from __future__ import annotations

import pytest

from scenemind.evaluation.alignment.tasks import (
    AlignmentTask,
    PlantedError,
    TaskQuestion,
    is_right,
    is_true,
)
from scenemind.memory import Edit
from scenemind.reasoning import Answer, Query
from tests.unit.reasoning.scene import thing


def answer(text: str) -> Answer:
    return Answer(Query("?"), text, 0.9, (), (), "symbolic", 0.0)


@pytest.mark.parametrize(
    ("question", "truth", "text", "right"),
    [
        ("How many desks are there?", "one", "There is 1 desk: a desk (object 4).", True),
        ("How many desks are there?", "one", "There are 2 desks: object 1 and object 9.", False),
        ("How many red rugs?", "one", "No rugs are red in the memory (1 rug is known).", False),
        (
            "What is the color of the rug?",
            "grey",
            "The rug (object 2) is grey, people say.",
            True,
        ),
        ("What is the color of the rug?", "grey", "The rug (object 2) is blue.", False),
        ("What is the tv made of?", "plastic", "The tv (object 3) is made of plastic.", True),
        ("What is on the desk?", "monitor", "A monitor (object 19) is on the desk.", True),
        ("What is on the desk?", "desk", "A monitor (object 19) is on the desk.", False),
        ("What is on the desk?", "monitor", "A monitor and a lamp are on the desk.", False),
        ("What is under the lamp?", "desk", "The lamp (object 2) is on the desk (object 1).", True),
        ("Is the cup on the desk?", "yes", "Yes, the cup (object 3) is on the desk.", True),
        ("Is the cup on the desk?", "yes", "No, the cup (object 3) is not on the desk.", False),
        ("Is there a round table?", "yes", "Not for sure: I know of no round table.", False),
    ],
)
def test_the_strict_sense(question: str, truth: str, text: str, right: bool) -> None:
    assert is_right(TaskQuestion(question, (truth,)), answer(text)) is right


def task() -> AlignmentTask:
    """A map with errors: a toolbox (1) labelled lamp and red, a chair as two objects (2 and 5), two
    cups as one (3), a ghost (6), and a vase (4) that should stand on the toolbox."""
    true = {
        i: thing(i, label, (float(i), 0, 0), (0.3, 0.3, 0.3), color="blue")
        for i, label in ((1, "toolbox"), (2, "chair"), (3, "cup"), (4, "vase"))
    }
    errors = (
        PlantedError("label", 1, "toolbox", wrong="lamp", value="toolbox"),
        PlantedError("color", 1, "toolbox", wrong="red", value="blue"),
        PlantedError("twice", 2, "chair", second_id=5),
        PlantedError("joined", 3, "cup", second_id=8),
        PlantedError("ghost", 6, "cup"),
        PlantedError("relation", 4, "vase", anchor_id=1),
    )
    wanted = TaskQuestion("How many chairs are there?", ("one",))
    return AlignmentTask("t1", "scene", "numeric", "hard", wanted, None, errors, true, true)


@pytest.mark.parametrize(
    ("edit", "true"),
    [
        (Edit("rename", (1,), value="toolbox"), True),
        (Edit("rename", (1,), value="blue toolbox"), False),
        (Edit("rename", (2,), value="toolbox"), False),
        (Edit("rename", (5,), value="chair"), True),
        (Edit("rename", (6,), value="cup"), False),
        (Edit("set_attribute", (1,), "color", "blue"), True),
        (Edit("set_attribute", (1,), "color", "red"), False),
        (Edit("set_attribute", (1,), "material", "blue"), False),
        (Edit("merge", (5, 2)), True),
        (Edit("merge", (2, 5, 1)), False),
        (Edit("split", (3,), places=((0, 0, 0), (1, 0, 0))), True),
        (Edit("split", (2,), places=((0, 0, 0), (1, 0, 0))), False),
        (Edit("delete_object", (6,)), True),
        (Edit("delete_object", (5,)), False),
        (Edit("confirm", (1,)), True),
        (Edit("confirm", (6,)), False),
        (Edit("add_relation", (4, 1), "on"), True),
        (Edit("add_relation", (1, 4), "supports"), True),
        (Edit("add_relation", (1, 4), "on"), False),
        (Edit("add_relation", (4, 1), "near"), False),
        (Edit("delete_relation", (4, 1), "on"), False),
    ],
)
def test_person_agrees_to_true_statements_only(edit: Edit, true: bool) -> None:
    assert is_true(edit, task()) is true
