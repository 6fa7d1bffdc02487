"""Who answers a question, and who answers where a model fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from scenemind.reasoning.attempt import Attempt, attempt, in_place_of
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import Asking, AskMethod, GroundReply, MethodReply
from scenemind.reasoning.model_choice import ModelChoice, choose_model
from scenemind.reasoning.symbolic.reply import ABSENCE_CONFIDENCE
from scenemind.reasoning.types import CANCELLED, METHODS, Query

Reply = TypeVar("Reply", MethodReply, GroundReply)

# What needs a model beside it.
_NEED_MODEL = ("memtree", "vlm_grounder", "llm_tpc", "vadar", "ensemble", "synergai")
BUILT_METHODS = ("auto", "symbolic", *_NEED_MODEL)
"""Those of `METHODS` that this version has."""


class MethodChoice:
    """`auto` is `symbolic` where that is sure, else what suits the question of the methods that ask
    a model (`model_choice`), and the steps say why. It is sure of what is more likely right than
    not, so that "there is none", which rests on not having seen one, is looked at in frames too. A
    situation in words is for a model from the start: the grammar only guesses where that is.

    What breaks a method, such as a model that fails, makes `symbolic` answer in its place, and the
    answer is marked so. So too where frames do not show what the grammar could say, if only with
    little confidence; not for a strict question, which asks for what was seen.
    """

    def __init__(
        self,
        methods: Mapping[str, AskMethod],
        falls_back: bool,
        labels: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """
        Args:
            labels: of the objects of the map now.
        """
        self._methods = methods
        self._falls_back = falls_back
        self._labels = labels

    def answer(
        self,
        query: Query,
        name: str,
        asking: Asking,
        by_symbols: Callable[[], Reply],
        by_model: Callable[[AskMethod], Reply],
    ) -> Attempt[Reply]:
        """
        Args:
            name: one of `METHODS`.

        Raises:
            ReasoningError: there is no such method, or it needs a model and has none.
        """
        _check(name)
        if name == "symbolic":
            return attempt("symbolic", by_symbols)
        symbolic = None
        if name == "auto" and not _is_beyond_symbols(query):
            symbolic = attempt("symbolic", by_symbols)
            if symbolic.reply is not None and symbolic.reply.confidence > ABSENCE_CONFIDENCE:
                return symbolic
        picked = self._pick(query) if name == "auto" else ModelChoice(name, "")
        if picked is None:
            return symbolic or attempt("symbolic", by_symbols)
        chosen = self._methods.get(picked.method)
        if chosen is None:
            raise _unavailable(name)
        tried = attempt(chosen.name, lambda: _explained(by_model(chosen), picked))
        if tried.is_broken and asking.allowance.is_cancelled:
            return replace(tried, failure=CANCELLED)
        has_other = symbolic is not None and symbolic.reply is not None
        is_open = tried.is_broken or (has_other and _is_unseen(tried) and query.policy != "strict")
        if not (is_open and self._falls_back):
            return tried
        asking.report("fallback", tried.failure.text if tried.failure else "")
        return in_place_of(tried, symbolic or attempt("symbolic", by_symbols))

    def _pick(self, query: Query) -> ModelChoice | None:
        return choose_model(query, self._labels(), self._methods)


def _explained(reply: Reply, choice: ModelChoice) -> Reply:
    """With why this method was asked, where there was a choice."""
    if not choice.reason:
        return reply
    return replace(reply, steps=(f"asked {choice.method}: {choice.reason}", *reply.steps))


def _check(name: str) -> None:
    """
    Raises:
        ReasoningError: there is no such method.
    """
    if name not in METHODS:
        raise ReasoningError(
            "invalid_request",
            f'There is no method "{name}"; there are: {", ".join(BUILT_METHODS)}.',
        )


def _is_unseen(tried: Attempt[Reply]) -> bool:
    return tried.failure is not None and tried.failure.code == "not_found"


def _is_beyond_symbols(query: Query) -> bool:
    return bool(query.situation.strip()) and query.viewpoint is None


def _unavailable(name: str) -> ReasoningError:
    if name in _NEED_MODEL:
        way_out = "needs a model: name one (models.vision.model or models.language.model, --model)"
    else:
        way_out = "is not part of this version"
    return ReasoningError(
        "method_unavailable",
        f'The method "{name}" {way_out}; "symbolic" answers common questions without a model.',
    )
