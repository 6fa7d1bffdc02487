"""The chat of the browser view: questions and corrections, answered one after the other."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from scenemind.language.speech_acts import find_request, is_question
from scenemind.memory import KeyFrame, MapObject, MemoryAccess
from scenemind.reasoning import Alignment, Answer, Asking, Query
from scenemind.reasoning.query import ReasoningError, check_sentence
from scenemind.viewer.widgets import (
    Choice,
    ChoiceRows,
    OnChoose,
    bubble,
    escaped,
    newest_last,
    object_button,
    plain,
    small,
    strip,
    thumbnail,
)

if TYPE_CHECKING:
    import viser


_MOST_WAITING = 8
_MOST_TURNS = 30
_SHOWN_STEPS = 12
_SHOWN_FRAMES = 3
_SHOWN_OBJECTS = 8
_HEIGHT = "26vh"
_LONGEST = 80  # characters of a suggestion on its button
_QUEUED = "Other sentences came first: yours is answered after them."
_TOO_MANY = "Too many sentences are waiting for an answer: try again later."
_HINT = (
    "Ask (“where is the cup?”), correct (“object 3 is a stool”), or click an object and name it"
    " (“this is a toolbox”). “Undo that” reverts the last correction."
)
_log = logging.getLogger(__name__)
OnSentence = Callable[[str], object]
OnFailure = Callable[[str], object]
OnSay = Callable[[str], "int | None"]


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
        suggestion: a sentence that may be meant, where this one was not understood.
    """

    text: str
    objects: tuple[MapObject, ...] = ()
    key_frames: tuple[KeyFrame, ...] = ()
    steps: tuple[str, ...] = ()
    how: str = ""
    suggestion: str = ""


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
    try:
        check_sentence(Query(query.text))
    except ReasoningError as error:
        return Reply(str(error))
    request = find_request(query.text)
    if request is None and is_question(query.text):
        return _of_answer(answerer.ask(query, "auto", asking))
    aligned = answerer.align(replace(query, text=request or query.text), by, asking)
    if aligned.failure is None or aligned.failure.code != "not_understood":
        return _of_alignment(aligned, memory)
    answer = answerer.ask(query, "auto", asking)
    if answer.failure is not None and aligned.failure.suggestion:
        return _of_alignment(aligned, memory)
    return _of_answer(answer)


def _of_alignment(aligned: Alignment, memory: MemoryAccess) -> Reply:
    known = memory.snapshot().objects
    objects = tuple(known[i] for i in aligned.object_ids if i in known)
    how = f"{aligned.method}, {aligned.seconds:.2f} s"
    suggestion = aligned.failure.suggestion if aligned.failure else ""
    return Reply(aligned.response, objects, (), aligned.steps, how, suggestion)


def _of_answer(answer: Answer) -> Reply:
    how = f"{answer.method}, {answer.seconds:.2f} s"
    if answer.fallback:
        how += f"; not as asked: {answer.fallback}"
    suggestion = answer.failure.suggestion if answer.failure else ""
    return Reply(answer.text, answer.objects, answer.key_frames, answer.steps, how, suggestion)


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


class ChatPanel:
    """Folder with the dialogue, shared by all browsers; each browser has its own input line."""

    def __init__(
        self,
        gui: viser.GuiApi,
        on_say: OnSay,
        on_stop: Callable[[], object],
        on_mark: OnChoose,
        on_fly: OnChoose,
    ) -> None:
        """
        Args:
            on_say: called with the typed text; returns as `SentenceQueue.put`.
            on_mark: called with an object id. on_fly: called with a frame number.
        """
        self._on_say = on_say
        self._lock = threading.Lock()
        self._turns: deque[str] = deque(maxlen=_MOST_TURNS)
        self._folder = gui.add_folder("Talk")
        with self._folder:
            self._log = gui.add_html("")
            self._stage = gui.add_html("", visible=False)
            self._stop = gui.add_button("Stop", color="red", visible=False)
            self._meant = gui.add_button("", visible=False)
            self._pictures = gui.add_html("", visible=False)
            self._fly = ChoiceRows(gui, 1, on_fly)
            self._mark = ChoiceRows(gui, 1, on_mark)
        self._suggestion = ""
        self._stop.on_click(lambda _: on_stop())
        self._meant.on_click(lambda _: on_say(self._suggestion))
        self._show()

    def add_line(self, client: viser.ClientHandle) -> None:
        """Add an input line for a new browser."""
        with self._lock, self._folder:
            form = client.gui.add_form(None)
            with form:
                line = client.gui.add_text("Say", "")
                client.gui.add_button("Send").on_click(lambda _: form.submit())

        def send(_: object) -> None:
            text, line.value = line.value.strip(), ""
            before = self._on_say(text) if text else 0
            if before is None:
                client.add_notification("Refused", _TOO_MANY, auto_close_seconds=5.0)
            elif before:
                client.add_notification("Queued", _QUEUED, auto_close_seconds=5.0)

        form.on_submit(send)

    def add_sentence(self, text: str) -> None:
        """Show the sentence that is being answered."""
        self._turns.append(bubble(escaped(text), is_person=True))
        self._meant.visible = False
        self._show()

    def add_reply(self, reply: Reply) -> None:
        """Show the reply with its objects and key frames, and a button for its suggestion."""
        self._stop.visible = self._stage.visible = False
        self._suggestion, self._meant.label = reply.suggestion, plain(reply.suggestion, _LONGEST)
        self._meant.visible = bool(reply.suggestion)
        steps = "".join(f"<li>{escaped(step)}</li>" for step in reply.steps[:_SHOWN_STEPS])
        how = escaped(reply.how)
        if steps:
            how = f"<details><summary>{how}</summary><ol>{steps}</ol></details>"
        self._turns.append(bubble(escaped(reply.text), is_person=False) + small(how))
        self._show()
        self.show_pictures(reply.key_frames, [thing.object_id for thing in reply.objects])
        mentioned = reply.objects[:_SHOWN_OBJECTS]
        buttons = {object_button(o.label, o.object_id): o.object_id for o in mentioned}
        self._mark.show([Choice("Mentioned", buttons)])

    def show_pictures(self, frames: Sequence[KeyFrame], object_ids: Sequence[int]) -> None:
        """Show the key frames of an answer, with boxes around these objects."""
        files = [(frame, thumbnail(frame, object_ids)) for frame in frames[:_SHOWN_FRAMES]]
        pictures = [(f"frame {frame.frame_number}", file) for frame, file in files if file]
        self._pictures.visible = bool(pictures)
        self._pictures.content = strip([(file, name) for name, file in pictures])
        numbers = {f"frame {frame.frame_number}": frame.frame_number for frame, f in files if f}
        self._fly.show([Choice("Fly to", numbers)])

    def show_stage(self, stage: str, text: str) -> None:
        """Show the progress of the current answer."""
        self._stage.content = small(f"<i>{escaped(stage)}…</i> {escaped(text[-300:])}")
        self._stage.visible = self._stop.visible = True

    def _show(self) -> None:
        self._log.content = newest_last(tuple(self._turns) or (small(escaped(_HINT)),), _HEIGHT)
