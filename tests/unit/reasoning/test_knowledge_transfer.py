"""Corrections in words are used by every method at once, and on a map that is made anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from scenemind.config import SceneMindConfig
from scenemind.config.reasoning import SandboxConfig
from scenemind.memory import Memory
from scenemind.reasoning import Query, Router
from scenemind.reasoning.programs import SceneApi, run_program
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vlm_grounder.view_preselection import candidates_of_class
from tests.unit.viewer.room import map_room


@dataclass(frozen=True, slots=True)
class Aligned:
    """
    Attributes:
        renamed: id of the couch that is called a hammock now.
        moved: id of the lamp that is on it, as a person says.
    """

    memory: Memory
    renamed: int
    moved: int


@pytest.fixture(scope="module")
def aligned() -> Iterator[Aligned]:
    with Memory.create(None, SceneMindConfig()) as memory:
        map_room(memory)
        ids = {thing.label: i for i, thing in memory.snapshot().objects.items()}
        couch, lamp = ids["couch"], ids["lamp"]
        router = Router(memory)
        for said in (
            "the couch is a hammock and it belongs to Anna",
            f"object {couch} is made of rope",
            "the lamp is on the hammock",
        ):
            done = router.align(Query(said), by="Ada")
            assert done.failure is None, done.response
        yield Aligned(memory, couch, lamp)


def test_questions_in_words(aligned: Aligned) -> None:
    router = Router(aligned.memory)
    assert [o.object_id for o in router.ground(Query("Anna's hammock")).objects] == [
        aligned.renamed
    ]
    assert "rope" in router.ask(Query("what is the hammock made of?")).text
    on_it = router.ask(Query("what is on the hammock?"))
    assert aligned.moved in [o.object_id for o in on_it.objects]
    assert router.ask(Query("how many couches are there?")).objects == ()


def test_programs_on_the_scene(aligned: Aligned) -> None:
    api = SceneApi(aligned.memory.snapshot(), None)
    program = "print(filter(scene(), 'hammock'))"
    with Sandbox(SandboxConfig(seconds=2.0)) as sandbox:
        observation = run_program(sandbox, api, program)
    assert observation.error is None, observation.text
    assert f"<hammock {aligned.renamed}>" in observation.text
    assert "couch" not in {thing.label for thing in aligned.memory.snapshot().objects.values()}


def test_the_tree_that_models_read(aligned: Aligned) -> None:
    text = aligned.memory.tree_json().text
    assert '"hammock' in text
    assert '"couch' not in text


def test_frames_that_are_chosen_by_name(aligned: Aligned) -> None:
    index, objects = aligned.memory.frame_index(), aligned.memory.snapshot().objects
    found = candidates_of_class(index, {"hammock"}, objects, 0.2)
    assert set(found.object_ids.tolist()) == {aligned.renamed}
    assert aligned.renamed not in candidates_of_class(index, {"couch"}, objects, 0.2).object_ids


def test_a_map_that_is_made_anew(aligned: Aligned) -> None:
    with Memory.create(None, SceneMindConfig()) as again:
        map_room(again)
        replayed = again.import_corrections(aligned.memory.export_corrections())
        assert len(replayed.applied) == len(aligned.memory.corrections())
        (hammock,) = Router(again).ground(Query("the hammock made of rope")).objects
        before = aligned.memory.snapshot().objects[aligned.renamed]
        assert hammock.box.center == pytest.approx(before.box.center, abs=0.05)
        assert hammock.attributes["owner"] == "Anna"
