"""Whatever a model says, what comes back is an answer with evidence or a failure."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.memory import Memory
from scenemind.models import Models
from scenemind.reasoning import POLICIES, Asking, Query, Router
from tests.chat_exchange import Request
from tests.chat_server import say

from .chair_row import asked_of, form_of, make_memory

QUESTION = "what would a child sit on?"

words = st.integers(-3, 9) | st.integers() | st.sampled_from(["chair", "chair 3", "4", "tv", ""])
words = words | st.text(max_size=8)
lists = st.lists(words, max_size=4)
places = st.fixed_dictionaries(
    {"location": st.integers(-2, 6), "key_objects": lists, "cue_objects": lists}
)
choices = st.fixed_dictionaries(
    {"think": st.text(max_size=30), "locations": st.lists(places, max_size=5)}
)
answers = st.fixed_dictionaries(
    {
        "think": st.text(max_size=30),
        "seen": st.booleans(),
        "answer": st.text(max_size=30) | st.just("It is red."),
        "confidence": st.floats(allow_nan=True, allow_infinity=True) | st.integers(),
        "pictures": st.lists(st.integers(-1, 5), max_size=4),
        "objects": lists,
    }
)
anything = st.text(max_size=60)


class Parrot:
    """Says what it is told to, by form."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}

    def __call__(self, request: Request) -> str:
        return self.said[form_of(request)]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with make_memory(tmp_path_factory.mktemp("memory") / "row") as memory:
        yield memory


@pytest.fixture(scope="module")
def talk(
    memory: Memory, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Router, Models, Parrot]]:
    parrot, folder = Parrot(), tmp_path_factory.mktemp("ledger")
    with asked_of(memory, folder, say(parrot), language={"call_deadline_s": 9.0}) as opened:
        yield opened[0], opened[1], parrot


@given(
    choice=choices.map(json.dumps) | anything,
    answer=answers.map(json.dumps) | anything,
    policy=st.sampled_from(POLICIES),
)
@settings(max_examples=40, deadline=None)
def test_nothing_that_a_model_says_breaks_an_answer(
    talk: tuple[Router, Models, Parrot], choice: str, answer: str, policy: str
) -> None:
    router, models, parrot = talk
    parrot.said = {"LocationChoice": choice, "FrameAnswer": answer}
    asking = Asking(models.allowance(20.0))
    got = router.ask(Query(QUESTION, policy=policy), "memtree", asking)  # type: ignore[arg-type]
    assert got.text.strip()
    assert got.text.isprintable()
    assert 0.0 <= got.confidence <= 1.0
    assert {thing.object_id for thing in got.objects} <= {1, 2, 3, 4}
    if got.failure is None and got.fallback:  # `symbolic` guesses where the model said nothing
        assert policy == "always_answer"
    elif got.failure is None:
        assert len({frame.location_id for frame in got.key_frames}) == len(got.key_frames) >= 1
    else:
        assert got.failure.code in ("model_failed", "not_found")
        assert not got.objects
        assert bool(got.key_frames) <= bool(got.steps)  # what was looked at is told
