"""The chat of the browser view: questions and corrections, answered one after the other."""

from __future__ import annotations

import logging
import re
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Protocol

from scenemind.language import lexicon
from scenemind.language.speech_acts import find_request, is_question
from scenemind.memory import KeyFrame, MapObject, MemoryAccess, MemorySnapshot
from scenemind.reasoning import Alignment, Answer, Asking, Query, ReasoningFailure
from scenemind.reasoning.query import ReasoningError, check_sentence
from scenemind.viewer.colors import ClassColors
from scenemind.viewer.panels import Json, marked_json, picture_json
from scenemind.viewer.pictures import plain

_MOST_WAITING = 8
_MOST_TURNS = 30
_SHOWN_STEPS = 12
_SHOWN_FRAMES = 3
_SHOWN_OBJECTS = 8
_LONGEST = 2000
_MOST_OFFERS = 4
_DEFINITE = "|".join(sorted(lexicon.DEFINITE))
_FEW_WORDS = 3  # of a name without relations
_OBJECT, _QUOTED = re.compile(r"\bobject (\d{1,9})\b"), re.compile(r'"([^"]+)"')
_log = logging.getLogger(__name__)
OnSentence = Callable[[str], object]
OnFailure = Callable[[str], object]


class Answerer(Protocol):
    """Answers questions and applies corrections: a `Router`, or running nodes."""

    def ask(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Answer:
        """See `Router.ask`."""
        ...

    def align(self, query: Query, by: str, asking: Asking | None = None) -> Alignment:
        """See `Router.align`."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """The reply to a sentence.

    Attributes:
        objects: objects that the reply mentions, most relevant first.
        steps: steps of the method, in words.
        how: the method and its time.
        offers: sentences to say next, where this one was not understood or waits for a reply.
        asks_back: the offers answer a question back: they mean nothing after the next sentence.
    """

    text: str
    objects: tuple[MapObject, ...] = ()
    key_frames: tuple[KeyFrame, ...] = ()
    steps: tuple[str, ...] = ()
    how: str = ""
    offers: tuple[str, ...] = ()
    asks_back: bool = False


def reply_to(
    query: Query, answerer: Answerer, memory: MemoryAccess, by: str, asking: Asking
) -> Reply:
    """Apply a sentence as a correction unless it is a question; answer it as a question otherwise,
    or where it is no correction either.

    Args:
        by: author of corrections.

    Raises:
        SceneMemoryError: the memory does not answer.
    """
    scene = memory.snapshot()
    try:
        check_sentence(Query(query.text))
    except ReasoningError as error:
        return Reply(str(error), offers=next_steps(query.text, scene))
    request = find_request(query.text)
    if request is None and is_question(query.text):
        return _of_answer(answerer.ask(query, "auto", asking), scene)
    aligned = answerer.align(replace(query, text=request or query.text), by, asking)
    if aligned.failure is None or aligned.failure.code != "not_understood":
        return _of_alignment(aligned, memory.snapshot())
    answer = answerer.ask(query, "auto", asking)
    if answer.failure is not None and aligned.failure.suggestion:
        return _of_alignment(aligned, scene)
    return _of_answer(answer, scene)


def _of_alignment(aligned: Alignment, scene: MemorySnapshot) -> Reply:
    objects = tuple(scene.objects[i] for i in aligned.object_ids if i in scene.objects)
    how = f"{aligned.method}, {aligned.seconds:.2f} s"
    offers: tuple[str, ...] = ()
    if aligned.failure is not None:
        offers = next_steps(aligned.query.text, scene, aligned.failure)
        objects = objects or _candidates(aligned.failure, scene)
    elif aligned.asks_back:
        offers = _replies_to(aligned.response, objects)
    return Reply(aligned.response, objects, (), aligned.steps, how, offers, aligned.asks_back)


def _of_answer(answer: Answer, scene: MemorySnapshot) -> Reply:
    how = f"{answer.method}, {answer.seconds:.2f} s"
    if answer.fallback:
        how += f"; not as asked: {answer.fallback}"
    offers: tuple[str, ...] = ()
    objects = answer.objects
    if answer.failure is not None:
        offers = next_steps(answer.query.text, scene, answer.failure)
        objects = objects or _candidates(answer.failure, scene)
    return Reply(answer.text, objects, answer.key_frames, answer.steps, how, offers)


def _replies_to(question: str, objects: Sequence[MapObject]) -> tuple[str, ...]:
    """Replies to a question back: which of several objects, or yes and no."""
    if "Which" in question and len(objects) > 1:
        return tuple(f"object {thing.object_id}" for thing in objects[:_MOST_OFFERS])
    return ("yes", "no")


def _candidates(failure: ReasoningFailure, scene: MemorySnapshot) -> tuple[MapObject, ...]:
    """The objects that a refusal lists, where several fit."""
    if failure.code != "ambiguous":
        return ()
    listed = dict.fromkeys(int(number) for number in _OBJECT.findall(failure.text))
    return tuple(scene.objects[i] for i in listed if i in scene.objects)


def _by_number(text: str, failure: ReasoningFailure, things: Sequence[MapObject]) -> Iterator[str]:
    """The sentence again for each of several things that fit, with its number for the words that
    are too few: the refusal quotes them, perhaps as "the large plant" for "that big plant"."""
    for quoted in _QUOTED.findall(failure.text):
        words = quoted.split()
        found = re.search(re.escape(quoted), text, re.IGNORECASE)
        if found is None and len(words) <= _FEW_WORDS:
            found = re.search(
                rf"\b(?:{_DEFINITE}) (?:\w+ )?{re.escape(words[-1])}\b", text, re.IGNORECASE
            )
        if found is not None:
            for thing in things:
                yield f"{text[: found.start()]}object {thing.object_id}{text[found.end() :]}"
            return


def next_steps(
    text: str, scene: MemorySnapshot, failure: ReasoningFailure | None = None
) -> tuple[str, ...]:
    """Sentences that are understood, where one was not: the nearest one, the same of each thing
    that fits, the things that it names, and what is there."""
    words = text.casefold()
    labels = Counter(thing.label for thing in scene.objects.values())
    named = [label for label in labels if label.casefold() in words]
    common = [label for label, _ in labels.most_common()]
    steps: list[str] = []
    if failure is not None:
        steps += [failure.suggestion] if failure.suggestion else []
        steps += _by_number(text, failure, _candidates(failure, scene))
    steps += [f"where is the {label}?" for label in (named or common[:1])[:2]]
    steps += ["what do you see?"] if labels else []
    return tuple(dict.fromkeys(steps))[:_MOST_OFFERS]


class SentenceQueue:
    """Sentences of all browsers, answered in order on a thread of its own. Thread-safe."""

    def __init__(self, answer: OnSentence, on_failure: OnFailure) -> None:
        """
        Args:
            answer: called with each sentence on the queue's thread.
            on_failure: called with a message for people when `answer` raises; the error is logged.
        """
        self._answer = answer
        self._on_failure = on_failure
        self._lock = threading.Lock()
        self._waiting = 0  # including the sentence that is being answered
        self._pool = ThreadPoolExecutor(1, "talk")

    def put(self, text: str) -> int | None:
        """Add a sentence.

        Returns:
            The number of sentences before it; None: the queue is full, the sentence is refused.
        """
        with self._lock:
            before = self._waiting
            if before == _MOST_WAITING:
                return None
            self._waiting += 1
        self._pool.submit(self._answer, text).add_done_callback(self._end)
        return before

    def close(self) -> None:
        """Wait for the current answer; waiting sentences are dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _end(self, done: Future[object]) -> None:
        with self._lock:
            self._waiting -= 1
        if done.cancelled():
            return
        error = done.exception()
        if error is not None:
            _log.error("a sentence in the browser was not answered", exc_info=error)
            self._on_failure(f"That failed: {error}")


class Talk:
    """The dialogue, shared by all browsers. Thread-safe."""

    def __init__(self, colors: ClassColors, on_change: Callable[[Json], object]) -> None:
        """
        Args:
            on_change: called with what the page shows.
        """
        self._colors = colors
        self._on_change = on_change
        self._lock = threading.Lock()
        self._turns: deque[Json] = deque(maxlen=_MOST_TURNS)
        self._stage = ""
        self._count = 0
        self._tell()

    def add_sentence(self, text: str) -> None:
        """Show the sentence that is being answered."""
        with self._lock:
            self._add({"by": "person", "text": plain(text, _LONGEST)})
            self._stage = "looking"
            self._tell()

    def add_reply(self, reply: Reply) -> None:
        """Show the reply with its objects, pictures of its evidence and what to say next."""
        ids = [thing.object_id for thing in reply.objects]
        with self._lock:
            self._stage = ""
            self._add(
                {
                    "by": "scene",
                    "text": plain(reply.text, _LONGEST),
                    "how": plain(reply.how, _LONGEST),
                    "steps": [plain(step, _LONGEST) for step in reply.steps[:_SHOWN_STEPS]],
                    "objects": marked_json(reply.objects[:_SHOWN_OBJECTS], self._colors),
                    "pictures": [
                        picture_json(frame, ids) for frame in reply.key_frames[:_SHOWN_FRAMES]
                    ],
                    "offers": [plain(offer, _LONGEST) for offer in reply.offers],
                    "asks": reply.asks_back,
                }
            )
            self._tell()

    def show_stage(self, stage: str, text: str, frames: Sequence[KeyFrame] = ()) -> None:
        """Show the progress of the current answer."""
        with self._lock:
            self._stage = plain(f"{stage}… {text[-300:]}", _LONGEST)
            self._tell([picture_json(frame, []) for frame in frames[:_SHOWN_FRAMES]])

    def _add(self, turn: Json) -> None:
        self._count += 1
        self._turns.append({"number": self._count, **turn})

    def _tell(self, pictures: Sequence[Json] = ()) -> None:
        self._on_change(
            {"turns": list(self._turns), "stage": self._stage, "pictures": list(pictures)}
        )
