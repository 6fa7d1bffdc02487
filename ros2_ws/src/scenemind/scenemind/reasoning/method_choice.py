"""Who answers a question, and who answers where a model fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from scenemind.reasoning.attempt import Attempt, attempt, in_place_of
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import AskMethod, Report
from scenemind.reasoning.types import METHODS, Query

Reply = TypeVar("Reply")

_BY_MODEL = "memtree"  # what `auto` asks


class MethodChoice:
    """`auto` is `symbolic` where that has an answer, else `memtree` where there is a model. A
    situation in words is for a model from the start: the grammar does not read it.

    A method that a model fails is answered by `symbolic`, and the answer is marked so. Not where
    who asked has cancelled, nor in a replay that was asked something new.
    """

    def __init__(self, methods: Mapping[str, AskMethod], falls_back: bool) -> None:
        self._methods = methods
        self._falls_back = falls_back

    def answer(
        self,
        query: Query,
        name: str,
        by_symbols: Callable[[], Reply],
        by_model: Callable[[AskMethod], Reply],
        report: Report,
    ) -> Attempt[Reply]:
        """
        Args:
            name: one of `METHODS`.

        Raises:
            ReasoningError: there is no such method, or it needs a model and has none.
        """
        _check(name)
        chosen = self._methods.get(_BY_MODEL if name == "auto" else name)
        if name == "symbolic" or (name == "auto" and chosen is None):
            return attempt("symbolic", by_symbols)
        if chosen is None:
            raise _unavailable(name)
        if name == "auto" and not _is_beyond_symbols(query):
            sure = attempt("symbolic", by_symbols)
            if sure.failure is None:
                return sure
            tried = attempt(chosen.name, lambda: by_model(chosen))
            return in_place_of(tried, sure) if tried.is_broken else tried
        tried = attempt(chosen.name, lambda: by_model(chosen))
        if tried.failure is None or not (tried.is_broken and self._falls_back):
            return tried
        report("fallback", tried.failure.text)
        return in_place_of(tried, attempt("symbolic", by_symbols))


def _check(name: str) -> None:
    """
    Raises:
        ReasoningError: there is no such method.
    """
    if name not in METHODS:
        raise ReasoningError(
            "invalid_request", f'There is no method "{name}"; there are: {", ".join(METHODS)}.'
        )


def _is_beyond_symbols(query: Query) -> bool:
    return bool(query.situation.strip()) and query.viewpoint is None


def _unavailable(name: str) -> ReasoningError:
    if name == _BY_MODEL:
        way_out = "needs a model: name one in models.vision.model or models.language.model"
    else:
        way_out = "is not part of this version"
    return ReasoningError(
        "method_unavailable",
        f'The method "{name}" {way_out}; "symbolic" answers common questions without a model.',
    )
