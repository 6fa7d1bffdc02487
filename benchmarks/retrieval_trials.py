"""VLM-Grounder's Visual-Retrieval benchmark: number of stitched images that a vision model can
read."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, median

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from scenemind.errors import EvaluationError
from scenemind.frames import FrameError
from scenemind.frames.images import decode_file
from scenemind.models import Allowance, ChatMessage, ChatModel, ModelError, Usage, ask_for
from scenemind.models.chat import FailureKind
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.vlm_grounder.measured_layouts import LayoutScore
from scenemind.reasoning.vlm_grounder.stitching import Layout, SheetPlan, draw_sheets

COLORS = {
    "red": (0, 0, 255),
    "green": (0, 160, 0),
    "blue": (255, 0, 0),
    "yellow": (0, 230, 255),
    "white": (255, 255, 255),
    "black": (0, 0, 0),
}
"""The paper's six colours (supplement B), BGR."""
MOST_CARDS = 1000
"""Ids are 00000 to 00999."""
LEAST_SIDE_PX = 64
"""Shortest side of a picture with space for its id and its block."""
_BLOCK_SHARE = 1 / 6  # side of a block, relative to the shorter side of its picture
_EDGE_SHARE, _EDGE = (
    1 / 12,
    (128, 128, 128),
)  # relative to a block's side: visible for white on white
_CORNER_SHARE = (0.45, 0.25)  # relative to width and height: place of the id
_JPEG_QUALITY = 95
_DIGITS = 5
HOPELESS: frozenset[FailureKind] = frozenset(
    ("no_key", "unreachable", "over_budget", "resting", "not_recorded", "cancelled", "closed")
)
"""Failures that do not depend on the request."""


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """A picture with an id and a coloured block.

    Attributes:
        card_id: five digits.
        color: of its block, one of `COLORS`.
        jpeg: JPEG file, without the id.
    """

    card_id: str
    color: str
    jpeg: bytes


def deal_cards(pictures: Sequence[bytes], count: int, rng: np.random.Generator) -> tuple[Card, ...]:
    """Cards of random pictures; none is repeated before all were used.

    Args:
        pictures: files that OpenCV reads, see `decode_picture`.
        count: at most `MOST_CARDS`.

    Raises:
        EvaluationError: a picture cannot be used, or there are not enough ids.
    """
    if count > MOST_CARDS:
        raise EvaluationError(f"{count} pictures in one request: there are {MOST_CARDS} ids")
    rounds = [rng.permutation(len(pictures)) for _ in range(-(-count // len(pictures)))]
    chosen = np.concatenate(rounds)[:count].tolist()
    ids = rng.choice(MOST_CARDS, count, replace=False).tolist()
    colors = rng.choice(list(COLORS), count).tolist()
    return tuple(
        Card(f"{card_id:05d}", color, _with_block(pictures[picture], COLORS[color], rng))
        for picture, card_id, color in zip(chosen, ids, colors, strict=True)
    )


def decode_picture(picture: bytes) -> NDArray[np.uint8]:
    """A decoded picture (H, W, 3) uint8, BGR.

    Raises:
        EvaluationError: it cannot be decoded, or a side is shorter than `LEAST_SIDE_PX`.
    """
    try:
        image = decode_file(picture, cv2.IMREAD_COLOR)
    except FrameError as error:
        raise EvaluationError(f"a picture cannot be used: {error}") from error
    height, width = image.shape[:2]
    if min(height, width) < LEAST_SIDE_PX:
        raise EvaluationError(
            f"a picture of {width}x{height} cannot be used: an id and a block need"
            f" {LEAST_SIDE_PX} pixels"
        )
    return image


def _with_block(picture: bytes, bgr: tuple[int, int, int], rng: np.random.Generator) -> bytes:
    """A picture with its block, as JPEG.

    Raises:
        EvaluationError: the picture cannot be used.
    """
    image = decode_picture(picture)
    _draw_block(image, bgr, rng)
    _, jpeg = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY))
    return jpeg.tobytes()


def _draw_block(
    image: NDArray[np.uint8], bgr: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """Draw the block at a random place outside the id's corner."""
    height, width = image.shape[:2]
    side = round(_BLOCK_SHARE * min(height, width))
    edge = max(1, round(_EDGE_SHARE * side))
    left = int(rng.integers(0, width - side + 1))
    lowest = round(_CORNER_SHARE[1] * height) if left < _CORNER_SHARE[0] * width else 0
    top = int(rng.integers(lowest, height - side + 1))
    image[top : top + side, left : left + side] = _EDGE
    image[top + edge : top + side - edge, left + edge : left + side - edge] = bgr


class Retrieved(BaseModel):
    """One picture in the model's reply; an unknown colour is an error of this pair only."""

    model_config = ConfigDict(extra="forbid")

    id: str
    color: str


class Retrieval(BaseModel):
    """The model's reply."""

    model_config = ConfigDict(extra="forbid")

    photographs: list[Retrieved]


def retrieve(
    model: ChatModel, sheets: Sequence[bytes], allowance: Allowance
) -> Sequence[Retrieved]:
    """The pairs that the model reads from the sheets, which are sent in full size.

    Raises:
        ModelError: there is no valid reply.
    """
    asked = "Here is 1 sheet." if len(sheets) == 1 else f"Here are {len(sheets)} sheets."
    messages = [
        ChatMessage("system", read_prompt("benchmarks", "retrieve")),
        ChatMessage("user", asked, tuple(sheets), sized=True),
    ]
    return ask_for(model, messages, Retrieval, allowance).photographs


def compare(cards: Iterable[Card], said: Iterable[Retrieved]) -> tuple[int, int]:
    """The number of cards with a right pair of id and colour, and the number of wrong pairs.

    As in the paper (supplement B), a card counts as recalled when one of several pairs with its id
    is right; the second number reveals models that name everything.
    """
    truth = {(card.card_id, card.color) for card in cards}
    pairs = {(pair.id.strip().zfill(_DIGITS), pair.color.strip().lower()) for pair in said}
    return len(truth & pairs), len(pairs - truth)


@dataclass(frozen=True, slots=True)
class Step:
    """One request.

    Attributes:
        sheets: number of sheets, the paper's visual length.
        trial: from 0; each has other pictures, ids, colours and places.
    """

    layout: Layout
    sheets: int
    trial: int

    @property
    def pictures(self) -> int:
        return self.layout.cells * self.sheets


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a request.

    Attributes:
        recalled: number of pictures that were read correctly.
        wrong: number of wrong pairs of id and colour.
        seconds: until the answer, without drawing, with retries and repairs of its form.
        failure: code of the reason why there is no answer; None: there is one.
        message: the reason for people.
        rest_s: time for which the server must not be asked.
    """

    step: Step
    recalled: int
    wrong: int
    seconds: float
    usage: Usage
    failure: FailureKind | None = None
    message: str = ""
    rest_s: float = 0.0


def steps_of(layouts: Sequence[Layout], lengths: Sequence[int], trials: int) -> tuple[Step, ...]:
    """Requests by trial: a run that ends early has results for each layout.

    Raises:
        EvaluationError: a request would have more than `MOST_CARDS` pictures.
    """
    layout, sheets = max(layouts, key=lambda layout: layout.cells), max(lengths)
    if layout.cells * sheets > MOST_CARDS:
        raise EvaluationError(
            f"{sheets} sheets of {layout} would have {layout.cells * sheets} pictures, and there"
            f" are {MOST_CARDS} ids: fewer sheets, or smaller layouts"
        )
    return tuple(
        Step(layout, sheets, trial)
        for trial, layout, sheets in product(range(trials), layouts, lengths)
    )


class VisualRetrieval:
    """Requests for ids and colours on stitched sheets (VLM-Grounder, section 4.3, supplement B)."""

    def __init__(
        self,
        model: ChatModel,
        pictures: Sequence[bytes],
        longest_px: int,
        seed: int,
        allow: Callable[[], Allowance],
    ) -> None:
        """Prepare the requests.

        Args:
            pictures: files that `decode_picture` reads; at least one.
            longest_px: longer side of a sheet.
            allow: makes the allowance of each request.
        """
        self._model = model
        self._pictures = pictures
        self._longest_px = longest_px
        self._seed = seed
        self._allow = allow

    def ask(self, step: Step) -> Outcome:
        """Make one request, the same for the same step; waits while the server must not be asked.

        Raises:
            EvaluationError: a picture cannot be used, or there are fewer ids than pictures.
        """
        rng = np.random.default_rng((self._seed, step.trial, *step.layout, step.sheets))
        cards = deal_cards(self._pictures, step.pictures, rng)
        cells = step.layout.cells
        plans = [SheetPlan(step.layout, sheet * cells, cells) for sheet in range(step.sheets)]
        jpegs, ids = [card.jpeg for card in cards], [card.card_id for card in cards]
        sheets = draw_sheets(jpegs, ids, plans, self._longest_px)
        asked = self._asked(step, cards, sheets)
        if asked.failure == "resting" and asked.rest_s:
            time.sleep(asked.rest_s)
            asked = self._asked(step, cards, sheets)
        return asked

    def _asked(self, step: Step, cards: Sequence[Card], sheets: Sequence[bytes]) -> Outcome:
        allowance, started = self._allow(), time.perf_counter()
        try:
            said = retrieve(self._model, sheets, allowance)
        except ModelError as error:
            seconds, rest_s = time.perf_counter() - started, error.retry_after_s or 0.0
            return Outcome(step, 0, 0, seconds, allowance.used, error.kind, str(error), rest_s)
        seconds = time.perf_counter() - started
        recalled, wrong = compare(cards, said)
        return Outcome(step, recalled, wrong, seconds, allowance.used)


def scores_of(outcomes: Iterable[Outcome]) -> list[LayoutScore]:
    """Scores by layout and number of sheets, in order of first occurrence. Failed requests are
    counted by cause, and do not lower recall."""
    groups: dict[tuple[Layout, int], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.step.layout, outcome.step.sheets), []).append(outcome)
    return [_score(group) for group in groups.values()]


def _score(group: Sequence[Outcome]) -> LayoutScore:
    answered = [outcome for outcome in group if outcome.failure is None]
    step = group[0].step
    return LayoutScore(
        rows=step.layout.rows,
        columns=step.layout.columns,
        sheets=step.sheets,
        requests=len(group),
        failed=Counter(outcome.failure for outcome in group if outcome.failure),
        pictures=step.pictures * len(answered),
        recalled=sum(outcome.recalled for outcome in answered),
        wrong=sum(outcome.wrong for outcome in answered),
        seconds=median(outcome.seconds for outcome in answered) if answered else None,
        prompt_tokens=fmean(o.usage.prompt_tokens for o in answered) if answered else 0.0,
    )
