"""A chat model with retries, rate limits, a circuit breaker and a daily budget."""

from __future__ import annotations

import logging
import random
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from scenemind.models.chat import (
    Allowance,
    ChatMessage,
    ChatModel,
    ChatReply,
    FailureKind,
    ModelError,
    OnText,
    Tool,
    Usage,
)
from scenemind.models.endpoint import Endpoint, Outcome
from scenemind.models.ledger import UsageLedger

_log = logging.getLogger(__name__)

_LONGEST_S = 30.0
_GROWTH = 3.0
# Transient failures of the server, worth a retry.
_MAY_YET_SUCCEED = frozenset[FailureKind](
    ("unreachable", "overloaded", "server_failed", "too_late")
)
# A timeout after a smaller share of the call's deadline says nothing about the server.
_FAIR_SHARE = 0.5
_NEUTRAL = frozenset[FailureKind](("cancelled", "closed", "over_budget"))


class ResilientChat:
    """A `ChatModel` that adds rate limiting, retries, a circuit breaker and the day's budget.

    The wrapped model makes a single attempt per call.
    """

    def __init__(
        self,
        chat: ChatModel,
        endpoint: Endpoint,
        ledger: UsageLedger,
        backoff: Backoff,
        retries: int,
        call_deadline_s: float,
    ) -> None:
        """
        Args:
            chat: the wrapped model, which subtracts the usage of its replies from the allowance.
            endpoint: shared by all models of one server.
            ledger: shared by all models.
            call_deadline_s: time limit of a single attempt of `chat`.
        """
        self._chat = chat
        self._endpoint = endpoint
        self._ledger = ledger
        self._backoff = backoff
        self._retries = retries
        self._call_deadline_s = call_deadline_s
        self._lock = threading.Lock()  # guards the next two
        self._calls = 0
        self._failures: Counter[FailureKind] = Counter()

    @property
    def name(self) -> str:
        return self._chat.name

    @property
    def calls(self) -> int:
        """Single attempts so far."""
        return self._calls

    @property
    def failures(self) -> dict[FailureKind, int]:
        """Failed attempts by kind."""
        with self._lock:
            return dict(self._failures)

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
        tools: Sequence[Tool] = (),
    ) -> ChatReply:
        """See `ChatModel`. While calls are held back or refused: overloaded, or resting."""
        pause_s: float | None = None
        for tries in count(1):
            outcome = self._try(messages, allowance, schema, on_text, tools)
            if isinstance(outcome, ChatReply):
                return outcome
            pause_s = self._backoff.next_s(pause_s)
            self._prepare_retry(outcome, tries, pause_s, allowance)
        raise AssertionError("counting does not end")

    def _try(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None,
        on_text: OnText | None,
        tools: Sequence[Tool],
    ) -> ChatReply | ModelError:
        """The reply, or the error of the call.

        Raises:
            ModelError: no call was made.
        """
        limiter, breaker = self._endpoint.limiter, self._endpoint.breaker
        self._ledger.check()  # these two before waiting for a turn in vain
        breaker.check()
        with limiter.turn(allowance), breaker.watching() as note:
            self._ledger.check()  # again: earlier turns may have spent the rest of the day
            left_s = allowance.left_s
            try:
                reply = self._chat.ask(messages, allowance, schema, on_text, tools)
            except ModelError as error:
                note(self._outcome(error, left_s), str(error))
                if error.retry_after_s:
                    limiter.hold(error.retry_after_s)
                self._count(error.usage, error.kind)
                return error
            note("well", "")
            self._count(reply.usage)
            return reply

    def _prepare_retry(
        self, error: ModelError, tries: int, pause_s: float, allowance: Allowance
    ) -> None:
        """Wait until the next attempt.

        Raises:
            ModelError: no further attempt is made.
        """
        wait_s, left_s = error.retry_after_s or pause_s, allowance.left_s
        is_last = tries > self._retries or self._endpoint.breaker.is_open
        remarks = [f"asked {tries} times"] if tries > 1 else []
        if error.kind in _MAY_YET_SUCCEED and not is_last and left_s > 0.0:
            if wait_s < left_s:
                _log.info("%s: %s; again in %.3g s", self.name, error, wait_s)
                if not error.retry_after_s:  # else the rate limiter holds all turns
                    self._endpoint.limiter.pause(wait_s, allowance)
                return
            remarks.append(
                f"it may be asked again in {round(wait_s, 1):g} s,"
                f" and the question has {round(left_s, 1):g} s left"
            )
        if not remarks:
            raise error
        text = "; ".join((str(error), *remarks))
        raise ModelError(error.kind, text, error.retry_after_s, error.usage) from error

    def _outcome(self, error: ModelError, left_s: float) -> Outcome:
        """Outcome of a failed call for the server's health, given the time that was left for the
        call."""
        if error.kind in _NEUTRAL or error.retry_after_s:  # the rate limiter handles the latter
            return "unknown"
        if error.kind == "too_late" and left_s < _FAIR_SHARE * self._call_deadline_s:
            return "unknown"
        return "ill" if error.kind in _MAY_YET_SUCCEED else "well"

    def _count(self, usage: Usage, failure: FailureKind | None = None) -> None:
        with self._lock:
            self._calls += 1
            if failure is not None:
                self._failures[failure] += 1
        self._ledger.add(self.name, usage)


class Backoff:
    """Exponential backoff with decorrelated jitter: callers that failed together retry apart.

    M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015. Thread-safe.
    """

    def __init__(self, first_s: float, seed: int | None = None) -> None:
        """
        Args:
            first_s: mean of the first pause.
            seed: of the jitter; None: random.
        """
        self._shortest_s = first_s / 2.0
        self._random = random.Random(seed)
        self._lock = threading.Lock()

    def next_s(self, last_s: float | None = None) -> float:
        """The pause that follows a pause of `last_s`; None: the first pause."""
        longest_s = _GROWTH * (self._shortest_s if last_s is None else last_s)
        with self._lock:
            return min(_LONGEST_S, self._random.uniform(self._shortest_s, longest_s))
