"""A search on a made-up film, by a scripted model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import cv2
import numpy as np

from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Pose
from scenemind.memory import KeyFrame
from scenemind.models import ModelError
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import Progress
from scenemind.reasoning.query import Policy
from scenemind.reasoning.vlm_grounder.album import Album
from scenemind.reasoning.vlm_grounder.grounding_feedback import Conversation, TargetSearch
from scenemind.reasoning.vlm_grounder.measured_layouts import layouts_of
from scenemind.reasoning.vlm_grounder.targets import QueryAnalysis, Target
from scenemind.reasoning.vlm_grounder.view_preselection import ViewSelection, all_candidates
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, Step, say
from tests.unit.reasoning.memtree_qa.talk import asking, chat_with
from tests.unit.reasoning.vlm_grounder.film import CAMERA, Seen, Shot, index_of

# Image 0 shows nothing, 1 one chair, 2 two, and 3 three.
FILM = index_of(
    [
        Shot(1.0 * n, tuple(Seen("chair", i + 1, x_px=40.0 * (i + 1)) for i in range(n)))
        for n in range(4)
    ]
)
NONE, ONE, TWO = "00000", "00001", "00002"


def image(
    number: int | str, reasoning: str = "it is there", at: Sequence[float] = (250, 500)
) -> Step:
    """The first chair is seen in the middle of the left half."""
    said = {"reasoning": reasoning, "target_image_id": number, "reference_image_ids": [ONE]}
    said["target_place"] = list(at)
    return say(json.dumps(said))


def images(*numbers: int | str) -> Step:
    said = {"reasoning": "there", "target_image_ids": numbers, "reference_image_ids": []}
    return say(json.dumps(said))


def chosen(number: int | str, box: Sequence[float] = ()) -> Step:
    return say(json.dumps({"reasoning": "the left one", "object_id": number, "box": box}))


def several(*numbers: int | str, boxes: Sequence[Sequence[float]] = ()) -> Step:
    return say(json.dumps({"reasoning": "both", "object_ids": numbers, "boxes": boxes}))


@dataclass
class Found:
    """The result of a search.

    Attributes:
        turns: what the model was told, as it stood in the history of its last request.
    """

    targets: list[Target] = field(default_factory=list)
    error: Exception | None = None
    progress: Progress = field(default_factory=Progress)
    requests: list[Request] = field(default_factory=list)
    retries: int = 0

    @property
    def turns(self) -> list[tuple[str, str]]:
        messages = self.requests[-1].body["messages"]
        return [(m["role"], _text(m["content"])) for m in messages]

    @property
    def told(self) -> list[str]:
        return [text for role, text in self.turns if role == "user"]

    @property
    def ids(self) -> list[int | None]:
        return [target.object_id for target in self.targets]


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else content[0]["text"]


def search(
    *steps: Step,
    policy: Policy = "balanced",
    wants_all: bool = False,
    seconds: float = 20.0,
    damaged: int | None = None,
    by: Literal["words", "model"] = "words",
    **settings: Any,
) -> Found:
    """The steps in turn, the last one again and again.

    Args:
        damaged: number of an image that was not written to its end.
        by: how the label of the class was found.
    """
    config = VlmGrounderConfig(**settings)
    found, left = Found(), iter(steps)
    server = ChatServer(lambda exchange: next(left, steps[-1])(exchange))
    jpeg = cv2.imencode(".jpg", np.full((120, 160, 3), 99, np.uint8))[1].tobytes()
    frames = [
        KeyFrame(int(n), int(n), 0, CAMERA, Pose.identity(), jpeg) for n in FILM.frame_numbers
    ]
    if damaged is not None:
        frames[damaged] = replace(frames[damaged], jpeg=b"")
    question = replace(asking(seconds), progress=found.progress)
    with chat_with(server) as chat:
        conversation = Conversation(chat, "You find things.", question)
        album = Album.of(list(enumerate(frames)), layouts_of(config), config)
        conversation.tell("Find it.", album.sheets)
        rows, rest = np.arange(len(FILM)), np.zeros(len(FILM), np.bool_)
        candidates = all_candidates(FILM, 0.2)
        selection = ViewSelection(candidates, rows, rest, ("chair",), by, FILM)
        of_one = TargetSearch(
            conversation,
            album,
            selection,
            QueryAnalysis("chair", wants_all=wants_all),
            policy,
            config,
        )
        try:
            found.targets = of_one.targets()
        except (ReasoningError, ModelError) as error:
            found.error = error
    found.requests, found.retries = server.requests, of_one.retries
    return found


def failure(found: Found) -> tuple[str, str]:
    assert isinstance(found.error, ReasoningError)
    return found.error.failure.code, found.error.failure.text


def most_calls(config: VlmGrounderConfig, *, wants_all: bool) -> int:
    """The most calls of models for one query: the analysis, a question for an image and
    one for the objects in each, and one for each retry; each is repeated once where the reply is
    malformed."""
    images = 6 if wants_all else 1
    return 2 * (1 + 1 + images + config.retries)
