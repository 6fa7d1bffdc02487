"""The protocol of language and vision models: messages, tools, replies, budgets and errors."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from scenemind.errors import SceneMindError

# Some servers leave out the opening tag.
_REASONING = re.compile(r"(?:\A|<think>)(?:(?!<think>).)*?</think>", re.DOTALL)
FailureKind = Literal[
    "no_key",  # the endpoint needs a key, and none is in the environment
    "unreachable",  # no server, or the connection broke, also in the middle of a reply
    "too_late",  # no complete reply before the deadline
    "overloaded",  # the server asks to retry later (429)
    "rejected",  # the server refuses the request (4xx): key, model or request is wrong
    "server_failed",  # 5xx
    "refused",  # the model declines to answer
    "bad_reply",  # a reply of the wrong form
    "over_budget",  # the tokens or the money of the question or of the day are spent
    "resting",  # the circuit breaker is open after repeated failures
    "not_recorded",  # a replay has no reply to this request
    "cancelled",  # by the caller
    "closed",  # on shutdown, while waiting
]
OnText = Callable[[str], None]
"""Receives a reply while it is written: the whole text so far, each time. The text may start anew
on a retry. It is called on a thread of the model and should return soon."""


class ChatModel(Protocol):
    """A language or vision model that continues a conversation. Thread-safe."""

    @property
    def name(self) -> str:
        """Name of the model, shown with its replies."""
        ...

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
        tools: Sequence[Tool] = (),
    ) -> ChatReply:
        """The model's next turn, within the allowance, from which the usage is subtracted.

        A cancelled allowance ends the call soon.

        Args:
            schema: JSON schema that the server is to enforce on the reply; see `ask_for`.
            on_text: receives the reply while it is written.
            tools: tools that it may call, in place of a schema. For a server without tool calls
                they are described in the prompt, and calls are parsed from the reply.

        Raises:
            ModelError: no usable answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model may call.

    Attributes:
        description: for the model: purpose, and when to use it.
        parameters: JSON schema of the arguments, an object.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool by a model.

    Attributes:
        call_id: identifies the call in the tool's answer.
        arguments: JSON as the model wrote it, unchecked.
    """

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation.

    Attributes:
        jpegs: pictures that follow the text, as JPEG files.
        sized: whether the pictures have their final size; else they are scaled down to the model's
            `image_px`.
        calls: tool calls of an assistant's turn.
        call_id: of a tool's turn: the call that it answers.
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    jpegs: tuple[bytes, ...] = ()
    sized: bool = False
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""

    def __post_init__(self) -> None:
        """
        Raises:
            ModelError: the text cannot be sent (rejected).
        """
        try:
            self.text.encode()
        except UnicodeEncodeError as error:
            raise ModelError(
                "rejected",
                f"a text for a model holds {self.text[error.start]!a}, which is no character: it"
                " may come from a terminal or a file that is not UTF-8",
            ) from error


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A reply: text, tool calls, or both.

    Attributes:
        model: name of the model as the server reports it.
        usage: of this call.
        seconds: from the request to the complete reply.
        calls: tool calls, in order.
    """

    text: str
    model: str
    usage: Usage
    seconds: float
    calls: tuple[ToolCall, ...] = ()


def without_reasoning(text: str) -> str:
    """A reply's text without the reasoning (`<think>`) that some models write before the answer."""
    return _REASONING.sub("", text)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost of calls to models.

    Attributes:
        calls: replies received.
        prompt_tokens: cached ones included; 0, as all counts, where the server reports none.
        cached_tokens: prompt tokens that the provider had cached.
        cost: by the configured prices.
    """

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    reply_tokens: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.reply_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reply_tokens + other.reply_tokens,
            self.cost + other.cost,
        )


NOTHING_USED = Usage()


class Allowance:
    """Budget of one question (time, tokens, cost) and its cancellation, shared by all its calls.

    Thread-safe. The clock starts on construction. Tokens are known only after a reply: a question
    can exceed its limit by one call, and then gets no further one.
    """

    def __init__(self, seconds: float, tokens: int = 0, cost: float = 0.0) -> None:
        """
        Args:
            seconds: time limit.
            tokens, cost: limits for all calls together; 0: no limit.
        """
        self.seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._tokens = tokens
        self._cost = cost
        self._lock = threading.Lock()  # guards all that follows
        self._used = Usage()
        self._is_cancelled = False
        self._is_committed = False
        self._wakes: list[Callable[[], object]] = []

    @property
    def left_s(self) -> float:
        """Seconds left; negative when the time is up."""
        return self._deadline - time.monotonic()

    @property
    def used(self) -> Usage:
        with self._lock:
            return self._used

    @property
    def is_cancelled(self) -> bool:
        return self._is_cancelled

    def spend(self, usage: Usage) -> None:
        """Subtract the usage of a call."""
        with self._lock:
            self._used += usage

    def cancel(self) -> bool:
        """Cancel the question: running calls end soon, and no other begins.

        Returns:
            False where it is too late; see `committing`.
        """
        with self._lock:
            if self._is_committed:
                return False
            wakes = [] if self._is_cancelled else self._wakes.copy()
            self._is_cancelled = True
        for wake in wakes:
            wake()
        return True

    @contextmanager
    def committing(self) -> Iterator[None]:
        """Context of an action that a cancelled question must not leave behind, such as a write.

        A cancellation before it prevents the action; one during or after it comes too late. An
        action that raises is not committed.

        Raises:
            ModelError: the question was cancelled before.
        """
        with self._lock:
            if self._is_cancelled:
                raise _cancelled()
            self._is_committed = True
        try:
            yield
        except BaseException:
            with self._lock:
                self._is_committed = False
            raise

    def check_time(self) -> None:
        """Check cancellation and time, before work that calls no model.

        Raises:
            ModelError: cancelled, or too late.
        """
        if self._is_cancelled:
            raise _cancelled()
        if self.left_s <= 0.0:
            raise ModelError("too_late", f"the {self.seconds:g} s for the question are over")

    def check(self) -> None:
        """Check cancellation, time and budget, before a call of a model.

        Raises:
            ModelError: cancelled, too late, or over the budget.
        """
        self.check_time()
        used = self.used
        if self._tokens and used.tokens >= self._tokens:
            raise ModelError(
                "over_budget",
                f"the question has used {used.tokens} of its {self._tokens} tokens: ask something"
                " simpler, or raise models.question_tokens",
            )
        if self._cost and used.cost >= self._cost:
            raise ModelError(
                "over_budget",
                f"the question has cost {used.cost:.4g} of {self._cost:.4g}: ask something simpler,"
                " or raise models.question_cost",
            )

    def part(self, seconds: float) -> Allowance:
        """An allowance with a shorter time on the same budget."""
        return _Part(self, seconds)

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Context in which `wake` is called once on cancellation, on the thread that cancels.

        It is called at once where the question was cancelled before.
        """
        with self._lock:
            self._wakes.append(wake)
            was_cancelled = self._is_cancelled
        if was_cancelled:
            wake()
        try:
            yield
        finally:
            with self._lock:
                self._wakes.remove(wake)


class _Part(Allowance):
    """Part of another allowance: spends its budget, and ends with it."""

    def __init__(self, whole: Allowance, seconds: float) -> None:
        super().__init__(max(0.0, min(seconds, whole.left_s)))
        self._whole = whole

    @property
    def used(self) -> Usage:
        return self._whole.used

    @property
    def is_cancelled(self) -> bool:
        return self._whole.is_cancelled

    def spend(self, usage: Usage) -> None:
        self._whole.spend(usage)

    def cancel(self) -> bool:
        return self._whole.cancel()

    @contextmanager
    def committing(self) -> Iterator[None]:
        with self._whole.committing():
            yield

    def check_time(self) -> None:
        self._whole.check_time()
        if self.left_s <= 0.0:
            raise ModelError("too_late", f"the {self.seconds:.3g} s for a part are over")

    def check(self) -> None:
        self._whole.check()
        self.check_time()

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        with self._whole.waking(wake):
            yield


def _cancelled() -> ModelError:
    return ModelError("cancelled", "the question was cancelled")


class ModelError(SceneMindError, RuntimeError):
    """A model that cannot be called, or an unusable reply; the message names the remedy.

    Attributes:
        kind: cause, for counting and retrying.
        retry_after_s: pause that the server asks for; None: not given.
        usage: of an unusable reply, which costs as well.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        retry_after_s: float | None = None,
        usage: Usage = NOTHING_USED,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after_s = retry_after_s
        self.usage = usage
