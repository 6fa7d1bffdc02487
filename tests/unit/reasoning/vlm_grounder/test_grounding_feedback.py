"""Grounding and feedback: scripted models that are right, err, or invent objects."""

from __future__ import annotations

import base64
import json

import cv2
import numpy as np
import pytest

from scenemind.config import VlmGrounderConfig
from scenemind.models import ModelError
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.query import Policy
from tests.chat_server import FAULTS, Step, say
from tests.unit.reasoning.vlm_grounder.searching import (
    NONE,
    ONE,
    TWO,
    chosen,
    failure,
    image,
    images,
    most_calls,
    search,
    several,
)


def test_single_candidate_is_taken_without_a_question() -> None:
    found = search(image(ONE))
    assert found.ids == [1]
    assert found.targets[0].frame.frame_number == 20
    assert len(found.requests) == 1
    assert found.progress.steps == [
        "chose image 00001 (seen with 00001): it is there",
        "image 00001 shows one candidate, where it was seen",
    ]
    assert not found.targets[0].is_asked


def test_one_candidate_is_asked_about_where_that_is_wanted() -> None:
    found = search(image(ONE), chosen(0), asks_about_one=True)
    assert found.ids == [1]
    assert "marked 1 candidate with a thin box" in found.told[-1]


@pytest.mark.parametrize("at", [(900, 500), (250, 100), (), (1,), (float("1e9"), 0)])
def test_one_candidate_is_asked_about_where_the_model_saw_the_target_elsewhere(
    at: tuple[float, ...],
) -> None:
    found = search(image(ONE, at=at), chosen(0))
    assert found.ids == [1]
    assert found.targets[0].is_asked
    assert len(found.requests) == 2


def test_one_candidate_is_asked_about_where_its_label_was_guessed() -> None:
    assert len(search(image(ONE), chosen(0), by="model").requests) == 2


CORNER = [500, 0, 750, 500]


@pytest.mark.parametrize("shown", [NONE, TWO])
def test_what_has_no_mark_is_drawn_in_thousandths_of_the_image(shown: str) -> None:
    found = search(image(shown), chosen(-1, CORNER))
    (target,) = found.targets
    assert target.box_px == (80.0, 0.0, 120.0, 60.0)  # of 160 x 120
    assert target.is_drawn
    assert target.object_id is None
    assert target.not_objects == ({1, 2} if shown == TWO else set())
    assert len(found.requests) == 2
    marked = "nothing is marked" if shown == NONE else "marked 2 candidates"
    assert marked in found.told[-1]
    assert "give -1 as the ID" in found.told[-1]


def test_no_box_is_asked_for_once_and_then_the_image_does_not_show_it() -> None:
    found = search(image(TWO), chosen(-1), chosen(-1, CORNER))
    assert [target.is_drawn for target in found.targets] == [True]
    assert "neither an ID nor a box" in found.told[-1]
    found = search(image(TWO), chosen(-1), chosen(-1), image(ONE))
    assert found.ids == [1]
    assert found.retries == 1
    assert len(found.requests) == 4
    assert found.told[-1].startswith("So in image 00002 nothing was pointed at.")


OUT = [[500, 0, 750], [750, 0, 500, 500], [500, 0, 750, 1500], [-300, 0, 750, 500]]


@pytest.mark.parametrize("wrong", [*OUT, [500, 500, 500, 500], [1e300, 0, 1, 1]])
def test_a_box_that_is_not_in_the_image_costs_one_repair(wrong: list[float]) -> None:
    found = search(image(TWO), chosen(-1, wrong), chosen(0))
    assert found.ids == [1]
    assert "a box must be" in found.told[-1]
    found = search(image(TWO), chosen(-1, wrong), chosen(-1, wrong), image(ONE))
    assert found.ids == [1]
    assert len(found.requests) == 4


def test_of_the_sheets_those_stay_that_the_model_named() -> None:
    """Each call pays for all pictures again; after a retry all are there once more."""
    layouts = [(1, 1), (1, 2)]
    found = search(image(TWO), chosen(-1), chosen(-1), image(ONE), sheets=4, layouts=layouts)
    counts = [len(request.pictures) for request in found.requests]
    assert counts == [4, 2 + 1, 2 + 1, 4 + 1]  # the target's, the reference's, the marked image


def test_the_model_tells_several_candidates_apart_by_their_marks() -> None:
    found = search(image(TWO), chosen(1))
    assert found.ids == [2]
    assert [role for role, _ in found.turns] == ["system", "user", "assistant", "user"]
    assert "Here is image 00002" in found.told[1]
    assert "2 candidates" in found.told[1]
    assert len(found.requests[-1].pictures) == 1 + 1  # the sheet stays, the marked image is new
    assert [picture.title for picture in found.progress.pictures] == [
        "Image 00002 with its candidates"
    ]


def test_sheets_are_sent_as_they_were_drawn() -> None:
    """And not made smaller once more."""
    found = search(image(ONE), longest_px=1500)
    (sheet,) = found.requests[0].pictures
    jpeg = np.frombuffer(base64.b64decode(sheet.partition(",")[2]), np.uint8)
    drawn = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
    assert max(drawn.shape) == 4 * 120  # images are never enlarged


@pytest.mark.parametrize("absent", ["00099", "the sofa", "4"])
def test_an_image_that_does_not_exist_is_told_and_another_chosen(absent: str) -> None:
    found = search(image(absent), image(ONE))
    assert found.ids == [1]
    assert found.told[1].startswith(f"The image {absent} that you selected does not exist.")
    assert "the same JSON form" in found.told[1]
    said = json.loads(dict(found.turns)["assistant"])
    assert said["target_image_id"] == absent
    assert f"image {absent} does not exist" in found.progress.steps
    assert found.retries == 1


def test_an_image_that_shows_nothing_is_told_and_another_chosen() -> None:
    found = search(image(NONE), chosen(-1), chosen(-1), image(ONE))
    assert found.ids == [1]
    assert found.told[-1].startswith("So in image 00000 nothing was pointed at. Think again")
    assert found.progress.key_frames[0].frame_number == 20  # the latest first
    assert found.progress.key_frames[1].frame_number == 10


def test_a_damaged_image_cannot_be_looked_at_and_another_is_chosen() -> None:
    found = search(image(TWO), image(ONE), damaged=2)
    assert found.ids == [1]
    assert any(s.startswith("image 00002 cannot be looked at: ") for s in found.progress.steps)
    found = search(images(ONE, TWO), several(0), wants_all=True, damaged=2)
    assert found.ids == [1]
    code, _ = failure(search(image(TWO), damaged=2))
    assert code == "not_found"


@pytest.mark.parametrize("wrong", [2, "7", "left"])
def test_an_object_that_does_not_exist_costs_one_repair(wrong: int | str) -> None:
    found = search(image(TWO), chosen(wrong), chosen(0))
    assert found.ids == [1]
    assert f"there is no object with the ID {wrong} in the image" in found.told[2]
    assert "the IDs 0 to 1" in found.told[2]
    assert found.retries == 0
    assert len(found.requests) == 3


def test_everything_that_was_said_stays_in_the_history() -> None:
    twice = chosen(-1), chosen(-1)
    found = search(image("00044"), image(NONE), *twice, image(TWO), chosen(1))
    assert found.ids == [2]
    roles = [role for role, _ in found.turns]
    assert roles == ["system", *["user", "assistant"] * 4, "user"]
    assert ["does not exist" in found.told[1], "nothing was" in found.told[3]] == [True, True]
    assert found.retries == 2


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_a_model_that_names_absent_images_fails_after_the_retries(retries: int) -> None:
    found = search(image("00099"), retries=retries)
    code, text = failure(found)
    assert code == "model_failed"
    assert text.count("image 00099 does not exist") == len(found.requests) == 1 + retries


def none_in(number: str, times: int = 9) -> list[Step]:
    """A model that chooses an image, and twice nothing in it."""
    return [image(number), chosen(-1), chosen(-1)] * times


def test_a_model_that_points_at_nothing_finds_nothing() -> None:
    code, text = failure(found := search(*none_in(NONE)))
    assert code == "not_found"
    assert text.count("nothing was pointed at in image 00000") == 2
    assert len(found.requests) == 3 + 3 + 1
    assert {frame.frame_number for frame in found.progress.key_frames} == {10}


def test_a_model_that_names_absent_objects_fails_after_the_retries() -> None:
    found = search(*[image(TWO), chosen(5), chosen(5)] * 9)
    code, text = failure(found)
    assert code == "model_failed"
    assert text.count("nothing was pointed at in image 00002") == 2


@pytest.mark.parametrize("policy", ["strict", "balanced"])
def test_a_model_may_say_that_nothing_fits(policy: Policy) -> None:
    found = search(image("", "I see only sofas"), policy=policy)
    assert failure(found) == ("not_found", "Nothing that was filmed fits: I see only sofas")
    assert len(found.requests) == 1


def test_policy_always_answer_makes_the_model_guess() -> None:
    found = search(image(""), image(ONE), policy="always_answer")
    assert found.ids == [1]
    assert "give your best guess" in found.told[-1]


@pytest.mark.parametrize("policy", ["strict", "balanced", "always_answer"])
def test_nobody_is_made_to_name_a_candidate(policy: Policy) -> None:
    found = search(image(TWO), chosen(-1), chosen(-1), image(ONE), policy=policy)
    assert found.ids == [1]
    assert "give -1" in found.told[1]


def test_several_objects_may_be_wanted() -> None:
    found = search(images(ONE, "00003"), several(0), several(2, 0), wants_all=True)
    assert found.ids == [1, 3, 1]  # who measures them sees that two are one
    assert [target.frame.frame_number for target in found.targets] == [20, 40, 40]


def test_one_of_several_may_be_named_without_brackets() -> None:
    said = {"reasoning": "that", "target_image_ids": TWO, "reference_image_ids": ONE}
    bare = say(json.dumps({"reasoning": "that", "object_ids": 1, "boxes": []}))
    found = search(say(json.dumps(said)), bare, wants_all=True)
    assert found.ids == [2]
    assert len(found.requests) == 2


def test_several_may_be_drawn_beside_those_with_marks() -> None:
    found = search(images(TWO), several(1, boxes=[CORNER]), wants_all=True)
    assert [(target.object_id, target.is_drawn) for target in found.targets] == [
        (2, False),
        (None, True),
    ]


def test_of_several_images_those_that_exist_are_looked_at() -> None:
    found = search(images(ONE, "00077", NONE), several(0), several(), wants_all=True)
    assert found.ids == [1]
    assert "left out image 00077, which does not exist" in found.progress.steps


@pytest.mark.parametrize("wrong", [several(9), say("The left one.")])
def test_an_image_that_the_model_fails_at_takes_nothing_from_the_others(wrong: Step) -> None:
    found = search(images(ONE, TWO), several(0), wrong, wants_all=True)
    assert found.ids == [1]
    assert search(images(TWO, ONE), wrong, wrong, several(0), wants_all=True).ids == [1]
    nothing = search(*[images(TWO, NONE), wrong, wrong] * 9, wants_all=True)
    assert failure(nothing)[0] == "model_failed"


def test_after_replies_of_a_wrong_form_turns_still_alternate() -> None:
    wrong = say("The left one.")
    found = search(images(TWO, "00003"), wrong, wrong, several(0), wants_all=True)
    assert found.ids == [1]
    assert [role for role, _ in found.turns] == ["system", "user", "assistant", "user"]
    assert "Here is image 00003" in found.told[-1]


def test_of_very_many_images_a_few_are_looked_at() -> None:
    found = search(images(*["00002", "00003"] * 20), several(0), wants_all=True)
    assert found.ids == [1, 1]
    assert len(found.requests) == 3


@pytest.mark.parametrize("wants_all", [False, True])
@pytest.mark.parametrize("policy", ["strict", "balanced", "always_answer"])
def test_whatever_a_model_says_calls_are_bounded(policy: Policy, wants_all: bool) -> None:
    """Two of the calls that a query may make are for the analysis."""
    rng = np.random.default_rng(7)
    replies: list[Step] = [say("Hm."), say('{"reasoning": "?"}')]
    if wants_all:
        replies += [images("00099"), images(NONE), images(TWO, "00003"), images(), several(9)]
        replies += [several()]
    else:
        replies += [image("00099"), image(NONE), image(TWO), image(""), chosen(9), chosen(-1)]
    config = VlmGrounderConfig()
    most = most_calls(config, wants_all=wants_all) - 2
    assert most_calls(config, wants_all=False) == 12
    for _ in range(6):
        steps = [replies[n] for n in rng.integers(0, len(replies), 60)]
        found = search(*steps, policy=policy, wants_all=wants_all)
        assert len(found.requests) <= most
        assert found.targets or isinstance(found.error, ReasoningError)


def test_a_reply_without_json_is_repeated_once_and_then_fails() -> None:
    found = search(say("It is the left one."), image(ONE))
    assert found.ids == [1]
    assert found.progress.steps[0].startswith("asked again: it is no JSON")
    found = search(image("00099"), say("It is the left one."))
    code, text = failure(found)
    assert code == "model_failed"
    assert "it is no JSON" in text
    assert "(tried: image 00099 does not exist)" in text
    assert len(found.requests) == 3


@pytest.mark.parametrize("fault", sorted(FAULTS.keys() - {"slow", "silent", "trickle"}))
def test_a_model_that_fails_is_an_error(fault: str) -> None:
    found = search(FAULTS[fault])
    assert found.error is not None
    assert "scripted" in str(found.error)


@pytest.mark.parametrize("fault", ["slow", "silent", "trickle"])
def test_a_model_that_takes_too_long_is_given_up(fault: str) -> None:
    found = search(image(NONE), FAULTS[fault], seconds=2.0)
    assert isinstance(found.error, ModelError)
    assert found.error.kind == "too_late"
    assert found.progress.key_frames  # evidence of how far it came
