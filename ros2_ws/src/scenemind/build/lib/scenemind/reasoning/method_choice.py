"""The choice of the method that answers a question, and of the fallback where a model fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from scenemind.memory import MemoryAccess, SceneMemoryError
from scenemind.models import ModelError
from scenemind.reasoning.method import (
    Asking,
    AskMethod,
    Attempt,
    GroundReply,
    MethodReply,
    attempt,
    in_place_of,
)
from scenemind.reasoning.method_cases import Action, Case, case_of
from scenemind.reasoning.query import CANCELLED, METHODS, Query, ReasoningError
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE

_log = logging.getLogger(__name__)

Reply = TypeVar("Reply", MethodReply, GroundReply)


class MethodChoice:
    """The method for a question, and its fallbacks.

    `auto` is `symbolic` where its answer is more likely right than not, else the method with a
    model that suits the question (`method_cases.yaml`), as the steps say. "There is none" is looked
    at in frames too. A situation in words goes to a model at once, as the grammar only guesses the
    place; so do the cases that say so.

    If a method is broken, such as by a model that fails, the next one of the case answers; a phrase
    that a program does not find on the map is looked for in pictures. At last `symbolic` answers,
    also for a method that was named. The answer is marked as a fallback. `symbolic` answers too
    where frames do not show what it answered with little confidence, but not for strict questions,
    which ask for what was seen.
    """

    def __init__(
        self, methods: Mapping[str, AskMethod], falls_back: bool, memory: MemoryAccess
    ) -> None:
        """
        Args:
            memory: that questions are about.
        """
        self._methods = methods
        self._falls_back = falls_back
        self._memory = memory

    def answer(
        self,
        query: Query,
        name: str,
        action: Action,
        asking: Asking,
        by_symbols: Callable[[], Reply],
        by_model: Callable[[AskMethod], Reply],
    ) -> Attempt[Reply]:
        """Answer by a method, or by its fallback.

        Args:
            name: one of `METHODS`.
            by_symbols: answers by `symbolic`.
            by_model: answers by another method.

        Raises:
            ReasoningError: there is no such method, or no model for it.
        """
        if name not in METHODS:
            known = ", ".join(METHODS)
            text = f'There is no method "{name}"; there are: {known}.'
            raise ReasoningError("invalid_request", text)
        if name not in ("auto", "symbolic", *self._methods):
            raise _unavailable(name)
        case = self._case(query, action) if name == "auto" else Case("", (name,), "")
        chosen = [self._methods[method] for method in case.methods if method in self._methods]
        symbolic = None
        if not (chosen and (name != "auto" or case.is_first or _is_beyond_symbols(query))):
            symbolic = attempt("symbolic", by_symbols)
            is_sure = symbolic.reply and symbolic.reply.confidence > ABSENCE_CONFIDENCE
            if is_sure or not chosen:
                return symbolic
        reason = case.reason if len(chosen) > 1 else ""
        tried = attempt(
            chosen[0].name, lambda: _explained(by_model(chosen[0]), chosen[0].name, reason)
        )
        for other in chosen[1:]:
            # A program searches the map; pictures show what is not on it.
            may_be_seen = other.name == "vlm_grounder" and action == "ground" and _is_unseen(tried)
            goes_on = self._falls_back and (tried.is_broken or may_be_seen)
            if not (goes_on and _may_go_on(asking)):
                break
            asking.progress.report("fallback", tried.failure.text if tried.failure else "")
            tried = in_place_of(tried, attempt(other.name, partial(by_model, other)))
        if tried.is_broken and asking.allowance.is_cancelled:
            return replace(tried, failure=CANCELLED)
        is_unseen = _is_unseen(tried) and name == "auto" and query.policy != "strict"
        if not (self._falls_back and (tried.is_broken or is_unseen)):
            return tried
        symbolic = symbolic or attempt("symbolic", by_symbols)
        if not tried.is_broken and symbolic.reply is None:
            return tried
        asking.progress.report("fallback", tried.failure.text if tried.failure else "")
        return in_place_of(tried, symbolic)

    def _case(self, query: Query, action: Action) -> Case:
        if not self._methods:
            return Case("", (), "")
        try:
            return case_of(query, self._memory, action)
        except SceneMemoryError as error:  # which the methods report
            _log.warning("cannot tell what the map knows: %s", error)
            return Case("", tuple(self._methods), "")


def _explained(reply: Reply, method: str, reason: str) -> Reply:
    """The reply with the reason for the choice of its method."""
    if not reason:
        return reply
    return replace(reply, steps=(f"asked {method}: {reason}", *reply.steps))


def _may_go_on(asking: Asking) -> bool:
    """There is time and budget for another method."""
    try:
        asking.allowance.check()
    except ModelError:
        return False
    return True


def _is_unseen(tried: Attempt[Reply]) -> bool:
    return tried.failure is not None and tried.failure.code == "not_found"


def _is_beyond_symbols(query: Query) -> bool:
    return bool(query.situation.strip()) and query.viewpoint is None


def _unavailable(name: str) -> ReasoningError:
    return ReasoningError(
        "method_unavailable",
        f'The method "{name}" needs a model: name one (models.vision.model or'
        ' models.language.model, --model); "symbolic" answers common questions without a model.',
    )
