"""Reports of unused words of a question."""

from __future__ import annotations

import pytest

from scenemind.language.loose import read_question
from scenemind.reasoning import Query, Router
from scenemind.reasoning.symbolic.loose_resolver import LooseResolver
from scenemind.reasoning.symbolic.scene import Scene
from tests.unit.reasoning.scene import ROOM, room_memory, snapshot_of

AT = LooseResolver(Scene(snapshot_of(ROOM)), Query(""))


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
    assert AT.unused_words(read_question(question)) == expected


def test_they_are_a_step_of_the_answer() -> None:
    query = Query("What color is the submarine?", "I wait.", policy="always_answer")
    answer = Router(room_memory()).ask(query, "symbolic")
    assert "could not use: submarine" in answer.steps
