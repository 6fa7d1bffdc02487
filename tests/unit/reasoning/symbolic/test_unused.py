"""Reports of unused words of a question."""

from __future__ import annotations

import pytest

from scenemind.language.loose import read_question
from scenemind.reasoning import Query, Router
from scenemind.reasoning.symbolic.refusals import unused_words
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scene
from tests.unit.reasoning.scene import ROOM, room_memory, snapshot_of

AT = Resolver(Scene(snapshot_of(ROOM)), Query(""), weighs=True)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What color is the sofa on my left?", ((), ())),
        ("What color is the submarine on my left?", (("submarine",), ())),
        ("How many cups are on the submarine?", (("submarine",), ())),
        ("What color is the sofa that smells strange?", ((), ("smells", "strange"))),
        ("Which way should I turn to sit?", ((), ())),
        ("What can I sleep on?", ((), ())),
    ],
)
def test_nouns_and_other_words_without_a_use(
    question: str, expected: tuple[tuple[str, ...], ...]
) -> None:
    unknown, unread = unused_words(read_question(question), AT)
    assert (tuple(unknown), tuple(unread)) == expected


def test_they_are_a_step_of_the_answer() -> None:
    query = Query("What color is the submarine?", "I wait.", policy="always_answer")
    answer = Router(room_memory()).ask(query, "symbolic")
    assert "could not use: submarine" in answer.steps
