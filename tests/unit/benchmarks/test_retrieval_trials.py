"""The benchmark of visual retrieval with models of known vision."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.retrieval_trials import (
    COLORS,
    Card,
    Outcome,
    Retrieved,
    Step,
    VisualRetrieval,
    compare,
    deal_cards,
    scores_of,
    steps_of,
)
from scenemind.config import ChatModelConfig, ModelsConfig
from scenemind.evaluation import EvaluationError
from scenemind.models import Allowance, open_models
from scenemind.models.chat import FailureKind, Usage
from scenemind.reasoning.vlm_grounder.stitching import Layout
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, fail, say
from tests.chat_server import Step as ServerStep
from tests.unit.benchmarks.sheet_reader import (
    dull_picture,
    honest,
    jpegs_of,
    liar,
    read_pairs,
)

LONGEST_PX = 2048
TWO_BY_TWO, EIGHT_BY_TWO = Layout(2, 2), Layout(8, 2)


def asked(
    *answers: ServerStep,
    steps: tuple[Step, ...],
    ledger: Path | None = None,
    **settings: object,
) -> tuple[list[Outcome], list[Request]]:
    """Results of the steps, and the requests that the server got."""
    with ChatServer(*answers) as server:
        vision = ChatModelConfig(model="seer", endpoint=server.endpoint)
        config = ModelsConfig.from_nested({"vision": vision.model_dump(), "retries": 0, **settings})
        with open_models(config, ledger) as models:
            assert models.vision is not None
            benchmark = VisualRetrieval(
                models.vision, [dull_picture()], LONGEST_PX, 0, lambda: models.allowance(20.0)
            )
            return [benchmark.ask(step) for step in steps], server.requests


def test_a_model_that_sees_everything_recalls_everything() -> None:
    steps = steps_of([TWO_BY_TWO, Layout(2, 4), EIGHT_BY_TWO], [1, 2], 1)
    outcomes, requests = asked(say(honest), steps=steps)
    assert [outcome.recalled for outcome in outcomes] == [step.pictures for step in steps]
    assert [score.recall for score in scores_of(outcomes)] == [1.0] * 6
    assert [len(request.pictures) for request in requests] == [1, 2] * 3
    assert all(outcome.seconds > 0.0 and outcome.usage.calls == 1 for outcome in outcomes)


def test_sheets_reach_the_model_as_large_as_they_were_drawn() -> None:
    _, (request,) = asked(say(honest), steps=steps_of([EIGHT_BY_TWO], [1], 1))
    (jpeg,) = jpegs_of(request)
    sheet = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert sheet.shape == (LONGEST_PX, 682, 3)


def test_a_model_that_lies_of_colours_recalls_nothing() -> None:
    (outcome,), _ = asked(say(liar), steps=steps_of([TWO_BY_TWO], [2], 1))
    assert outcome.failure is None
    (score,) = scores_of([outcome])
    assert (score.recall, score.wrong) == (0.0, 8)


def test_a_model_that_sees_half_recalls_half() -> None:
    def half(request: Request) -> str:
        return json.dumps({"photographs": read_pairs(request)[::2]})

    outcomes, _ = asked(say(half), steps=steps_of([TWO_BY_TWO], [1, 2], 2))
    assert [score.recall for score in scores_of(outcomes)] == [0.5, 0.5]


def test_failures_are_counted_and_lower_no_recall() -> None:
    outcomes, _ = asked(say(honest), fail(500), steps=steps_of([TWO_BY_TWO], [1], 6))
    assert [outcome.failure for outcome in outcomes] == [None, "server_failed"] * 3
    (score,) = scores_of(outcomes)
    assert (score.requests, score.failed) == (6, {"server_failed": 3})
    assert (score.pictures, score.recalled, score.recall) == (12, 12, 1.0)


def test_no_recall_without_answers() -> None:
    outcomes, _ = asked(fail(400, "no pictures"), steps=steps_of([TWO_BY_TWO], [1], 2))
    (score,) = scores_of(outcomes)
    assert score.failed == {"rejected": 2}
    assert score.recall is None
    assert score.seconds is None


def test_spent_budget_ends_the_requests(tmp_path: Path) -> None:
    steps = steps_of([TWO_BY_TWO], [1], 3)
    ledger = tmp_path / "ledger.sqlite"
    outcomes, requests = asked(say(honest), steps=steps, ledger=ledger, day_tokens=10)
    assert [outcome.failure for outcome in outcomes] == [None, "over_budget", "over_budget"]
    assert len(requests) == 1


def test_no_request_is_sent_while_the_server_rests() -> None:
    answers = (fail(500), say(honest), say(honest))
    outcomes, _ = asked(*answers, steps=steps_of([TWO_BY_TWO], [1], 3), rest_after=1, rest_s=0.05)
    assert [outcome.failure for outcome in outcomes] == ["server_failed", None, None]


def test_requests_are_equal_for_one_step_and_differ_between_trials() -> None:
    steps = (Step(TWO_BY_TWO, 1, 0), Step(TWO_BY_TWO, 1, 0), Step(TWO_BY_TWO, 1, 1))
    _, (first, again, other) = asked(say(honest), steps=steps)
    assert first.pictures == again.pictures != other.pictures


def test_steps_go_trial_by_trial() -> None:
    steps = steps_of([TWO_BY_TWO, EIGHT_BY_TWO], [1, 6], 3)
    assert len(steps) == len(set(steps)) == 12
    assert {(step.layout, step.sheets) for step in steps[:4]} == {
        (layout, sheets) for layout in (TWO_BY_TWO, EIGHT_BY_TWO) for sheets in (1, 6)
    }
    assert steps[3].pictures == 96


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ([("00003", "blue")], 1),
        ([("00003", "yellow")], 0),
        ([("00003", "yellow"), ("00003", "blue")], 1),  # one of them is enough
        ([("00003", "blue"), ("00003", "blue")], 1),
        ([(" 3 ", "Blue")], 1),
        ([("00004", "blue")], 0),
        ([], 0),
    ],
)
def test_recall_is_that_of_supplement_b(said: list[tuple[str, str]], right: int) -> None:
    pairs = [Retrieved(id=card_id, color=color) for card_id, color in said]
    assert compare([Card("00003", "blue", b"")], pairs)[0] == right


def test_the_papers_example_of_recall() -> None:
    """Figure 3 and supplement B: four pictures, of which 00003 was read with a wrong colour."""
    truth = ("red", "green", "white", "blue")
    cards = [Card(f"{number:05d}", color, b"") for number, color in enumerate(truth)]
    said = [Retrieved(id=card.card_id, color=card.color) for card in cards[:3]]
    assert compare(cards, [*said, Retrieved(id="00003", color="yellow")]) == (3, 1)


def test_model_that_names_all_colours_gets_no_recall() -> None:
    said = [Retrieved(id="00003", color=color) for color in COLORS]
    assert compare([Card("00003", "blue", b"")], said) == (1, 5)


def test_blocks_have_their_colour_and_leave_the_corner_to_the_id() -> None:
    cards = deal_cards([dull_picture()], 120, np.random.default_rng(0))
    assert len({card.card_id for card in cards}) == 120
    assert {card.color for card in cards} == set(COLORS)
    dull = cv2.imdecode(np.frombuffer(dull_picture(), np.uint8), cv2.IMREAD_COLOR).astype(int)
    for card in cards:
        image = cv2.imdecode(np.frombuffer(card.jpeg, np.uint8), cv2.IMREAD_COLOR)
        changed = np.abs(image - dull).max(2) > 12
        assert not changed[:110, :280].any()
        rows, columns = np.nonzero(changed)
        middle = image[round(rows.mean()), round(columns.mean())].astype(int)
        assert np.abs(middle - COLORS[card.color]).max() < 12


def test_pictures_come_again_only_when_all_have_come() -> None:
    widths = range(200, 205)
    pictures = [dull_picture(width, 150) for width in widths]
    cards = deal_cards(pictures, 12, np.random.default_rng(0))
    shown = [
        cv2.imdecode(np.frombuffer(card.jpeg, np.uint8), cv2.IMREAD_COLOR).shape[1]
        for card in cards
    ]
    assert sorted(shown[:5]) == sorted(shown[5:10]) == list(widths)


def test_impossible_numbers_of_pictures_are_refused() -> None:
    with pytest.raises(EvaluationError, match="there are 1000 ids"):
        deal_cards([dull_picture()], 1001, np.random.default_rng(0))
    with pytest.raises(EvaluationError, match="no JPEG or PNG"):
        deal_cards([b"no picture"], 1, np.random.default_rng(0))
    with pytest.raises(EvaluationError, match=r"63x600 .*need 64 pixels"):
        deal_cards([dull_picture(63, 600)], 1, np.random.default_rng(0))


@pytest.mark.parametrize("size", [(64, 64), (64, 900), (900, 64)])
def test_small_pictures_have_room_for_their_block(size: tuple[int, int]) -> None:
    for card in deal_cards([dull_picture(*size)], 30, np.random.default_rng(0)):
        image = cv2.imdecode(np.frombuffer(card.jpeg, np.uint8), cv2.IMREAD_COLOR)
        off = np.abs(image.astype(int) - COLORS[card.color]).max(2)
        assert (off < 60).any()


def test_a_request_of_more_pictures_than_ids_is_refused_before_the_first() -> None:
    assert steps_of([Layout(2, 2), Layout(5, 5)], [1, 40], 1)
    with pytest.raises(EvaluationError, match="41 sheets of 5x5 would have 1025 pictures"):
        steps_of([Layout(2, 2), Layout(5, 5), Layout(3, 3)], [1, 41, 2], 1)


def test_time_is_that_of_answered_requests() -> None:
    numbers = count()

    def outcome(seconds: float, failure: FailureKind | None = None) -> Outcome:
        return Outcome(Step(TWO_BY_TWO, 1, next(numbers)), 4, 0, seconds, Usage(), failure)

    (score,) = scores_of([outcome(1.0), outcome(3.0), outcome(99.0, "too_late"), outcome(2.0)])
    assert score.seconds == 2.0


def test_an_allowance_is_asked_for_with_each_request() -> None:
    with ChatServer(say(honest)) as server:
        config = ModelsConfig(vision=ChatModelConfig(model="seer", endpoint=server.endpoint))
        given: list[Allowance] = []

        def allow() -> Allowance:
            given.append(Allowance(20.0))
            return given[-1]

        with open_models(config) as models:
            assert models.vision is not None
            benchmark = VisualRetrieval(models.vision, [dull_picture()], 1024, 0, allow)
            for step in steps_of([TWO_BY_TWO], [1], 2):
                benchmark.ask(step)
    assert len(given) == 2
    assert all(allowance.used.calls == 1 for allowance in given)
