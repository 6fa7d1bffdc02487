"""The choice of the method that answers a question, and of the fallback where a model fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from scenemind.language.english import shown
from scenemind.language.referring.reader import read
from scenemind.language.trees import noun_phrases
from scenemind.language.vocabulary import Vocabulary
from scenemind.reasoning.method import (
    Asking,
    AskMethod,
    Attempt,
    GroundReply,
    MethodReply,
    attempt,
    in_place_of,
)
from scenemind.reasoning.query import CANCELLED, METHODS, Query, ReasoningError
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE

Reply = TypeVar("Reply", MethodReply, GroundReply)
_BY_FRAMES, _BY_PROGRAMS = "memtree", "llm_tpc"


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_SEEN = _any_of(
    "materials?|made (?:out )?of|textures?|patterns?|brands?|logos?|looks? like|depicts?|depicted|"
    "pictured|shown|reads?|says?|text|writing|written|printed|painted|title|wear(?:s|ing)?|"
    "open(?:ed)?|closed|shut|(?:turned|switched) o(?:n|ff)|on or off|lit|plugged|running|clean|"
    "dirty|messy|clutter(?:ed)?|tidy|empty|full|broken|damaged|folded|wet|ripe|doing|happening|occupied"
)
_COMPUTED = {
    "counts": _any_of("how many|number of|count"),
    "measures": _any_of(
        "how (?:far(?: apart)?|close|near|big|large|small|tall|high|long|wide|deep|thick)|distance|"
        "(?:big|large|small|tall|high|long|wide|deep) enough|"
        "height|width|length|depth|area|volume|met(?:er|re)s?|centimet(?:er|re)s?|cm"
    ),
    "compares": _any_of(
        "closest|nearest|farthest|furthest|largest|biggest|smallest|tallest|shortest|widest|"
        "longest|highest|lowest|leftmost|rightmost|(?:closer|nearer|farther|further|larger|bigger|"
        "smaller|taller|shorter|wider|longer|higher|lower|more|fewer|less)(?= .*than\\b)|"
        "closer|nearer"
    ),
}
# These may ask for objects that are on no map.
_IDENTITY = re.compile(r"\s*what\b", re.IGNORECASE)
_BY_VIEWPOINT = _any_of(
    "(?:my|your) (?:left|right|back|front|\\w+ o'?clock)|(?:behind|beside|in front of|near|to) me|"
    "o'?clock|which (?:direction|way)|(?:am|are|was) (?:i|we|you) (?:facing|standing|sitting)|"
    "if (?:i|you) (?:(?:turn|face|look|walk)(?:e?d)?|stand|stood|sit|sat)|"
    "(?:should|do|can|could) i (?:go|walk|turn (?:left|right|around))"
)


class MethodChoice:
    """The method for a question, and its fallback.

    `auto` is `symbolic` where its answer is more likely right than not, else the method with a
    model that suits the question (`choose_model`), as the steps say. "There is none" is looked at
    in frames too. A situation in words goes to a model at once, as the grammar only guesses the
    place.

    If a method is broken, such as by a model that fails, `symbolic` answers, and the answer is
    marked as a fallback. The same holds where frames do not show what `symbolic` answered with
    little confidence, but not for strict questions, which ask for what was seen.
    """

    def __init__(
        self,
        methods: Mapping[str, AskMethod],
        falls_back: bool,
        labels: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """
        Args:
            labels: gives the labels of the map's objects.
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
        asking.progress.report("fallback", tried.failure.text if tried.failure else "")
        return in_place_of(tried, symbolic or attempt("symbolic", by_symbols))

    def _pick(self, query: Query) -> ModelChoice | None:
        return choose_model(query, self._labels(), self._methods)


def _explained(reply: Reply, choice: ModelChoice) -> Reply:
    """The reply with the reason for the choice of its method."""
    if not choice.reason:
        return reply
    return replace(reply, steps=(f"asked {choice.method}: {choice.reason}", *reply.steps))


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


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A method with a model, and the reason for it; empty where there is no other."""

    method: str
    reason: str


def choose_model(
    query: Query, labels: Iterable[str], configured: Collection[str]
) -> ModelChoice | None:
    """The configured method that suits a question; None where none is configured.

    The choice is between `memtree`, which sees frames, and `llm_tpc`, which computes on the map;
    other methods are used only by name. It follows rules on the words of the question: no model is
    asked.

    Args:
        labels: of the map's objects.
        configured: names of methods.
    """
    there = [name for name in (_BY_FRAMES, _BY_PROGRAMS) if name in configured]
    if len(there) < 2:
        return ModelChoice(there[0], "") if there else None
    to_see = _SEEN.search(query.text)
    if to_see is not None:
        return ModelChoice(_BY_FRAMES, f'only pictures show "{shown(to_see[0])}"')
    if query.situation.strip() or _BY_VIEWPOINT.search(query.text):
        return ModelChoice(_BY_PROGRAMS, "it depends on where one stands")
    kind = next((kind for kind, words in _COMPUTED.items() if words.search(query.text)), None)
    rest = query.text if kind is None else _COMPUTED[kind].sub(" ", query.text)
    things = _things(rest, labels)
    if kind is None and sum(things.values()) > 1 and not _IDENTITY.match(query.text):
        kind = "relates"
    if kind is None:
        return ModelChoice(_BY_FRAMES, "it counts, measures and compares nothing of the map")
    first, is_known = next(iter(things.items()), ("", False))
    if not is_known:
        return ModelChoice(_BY_FRAMES, f'no object of the map is called "{shown(first)}"')
    return ModelChoice(_BY_PROGRAMS, f"it {kind} things of the map")


def _things(text: str, labels: Iterable[str]) -> dict[str, bool]:
    """The nouns of a text in their order -> whether the map has such an object."""
    phrase = read(text).phrase
    said = (*(each.noun for each in noun_phrases(phrase)), *phrase.unread)
    nouns = dict.fromkeys(filter(None, said))
    known = frozenset(labels)
    return {noun: bool(Vocabulary.load().match(noun, known)) for noun in nouns}
