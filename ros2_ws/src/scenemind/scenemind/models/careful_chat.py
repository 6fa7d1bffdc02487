"""Asking a model that costs money and may fail, with care."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from scenemind.models.allowance import Allowance
from scenemind.models.backoff import Backoff
from scenemind.models.breaker import Outcome
from scenemind.models.chat import ChatMessage, ChatModel, ChatReply, OnText, Tool
from scenemind.models.endpoint import Endpoint
from scenemind.models.errors import FailureKind, ModelError
from scenemind.models.ledger import Ledger
from scenemind.models.usage import Usage

_log = logging.getLogger(__name__)

# The server did not answer, and may yet when it is asked again.
_MAY_YET_SUCCEED = frozenset[FailureKind](
    ("unreachable", "overloaded", "server_failed", "too_late")
)
# Who waited for less of a call's deadline cannot tell a slow server from one that is ill.
_FAIR_SHARE = 0.5
_SAYS_NOTHING = frozenset[FailureKind](("cancelled", "closed", "over_budget"))


class CarefulChat:
    """A `ChatModel` around one that makes a single try a call: it waits for a turn, tries again
    what may yet succeed, leaves a server alone that fails on and on, and keeps to the day's budget.
    """

    def __init__(
        self,
        chat: ChatModel,
        endpoint: Endpoint,
        ledger: Ledger,
        backoff: Backoff,
        retries: int,
        call_deadline_s: float,
    ) -> None:
        """
        Args:
            chat: spends of the allowance what its replies used.
            endpoint: shared by all models of one server.
            ledger: shared by all models.
            call_deadline_s: a single try of `chat` takes no longer, and less only where the
                question ends before.
        """
        self._chat = chat
        self._endpoint = endpoint
        self._ledger = ledger
        self._backoff = backoff
        self._retries = retries
        self._call_deadline_s = call_deadline_s
        self._lock = threading.Lock()  # of the two below
        self._calls = 0
        self._failures: Counter[FailureKind] = Counter()

    @property
    def name(self) -> str:
        return self._chat.name

    @property
    def calls(self) -> int:
        """Single tries so far."""
        return self._calls

    @property
    def failures(self) -> dict[FailureKind, int]:
        """Single tries that failed, by kind."""
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
        """See `ChatModel`. A server that is left alone: overloaded, or resting."""
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
        """The reply, or how the call failed.

        Raises:
            ModelError: there was no call.
        """
        gate, breaker = self._endpoint.gate, self._endpoint.breaker
        self._ledger.check()  # these two so that nobody waits for a turn in vain
        breaker.check()
        with gate.turn(allowance), breaker.watching() as note:
            self._ledger.check()  # who had a turn before may have spent the rest of the day
            left_s = allowance.left_s
            try:
                reply = self._chat.ask(messages, allowance, schema, on_text, tools)
            except ModelError as error:
                note(self._outcome(error, left_s), str(error))
                if error.retry_after_s:
                    gate.hold(error.retry_after_s)
                self._count(error.usage, error.kind)
                return error
            note("well", "")
            self._count(reply.usage)
            return reply

    def _prepare_retry(
        self, error: ModelError, tries: int, pause_s: float, allowance: Allowance
    ) -> None:
        """Wait as long as the next try must.

        Raises:
            ModelError: there is to be no other.
        """
        wait_s, left_s = error.retry_after_s or pause_s, allowance.left_s
        is_last = tries > self._retries or self._endpoint.breaker.is_open
        remarks = [f"asked {tries} times"] if tries > 1 else []
        if error.kind in _MAY_YET_SUCCEED and not is_last and left_s > 0.0:
            if wait_s < left_s:
                _log.info("%s: %s; again in %.3g s", self.name, error, wait_s)
                if not error.retry_after_s:  # else the gate is held
                    self._endpoint.gate.pause(wait_s, allowance)
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
        """What a failure says of the server, with so much time at the beginning of the call."""
        if error.kind in _SAYS_NOTHING or error.retry_after_s:  # the gate keeps to the latter
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
