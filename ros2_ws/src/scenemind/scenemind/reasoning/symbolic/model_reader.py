"""A language model as reader: a sentence that the grammar does not read, said in its words.

The model is shown how the grammar asks, and says the sentence like that. The grammar reads what it
says: a model can choose a question about what was said, and nothing else. The answer is computed
from the scene, as for any other wording.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import get_args

from pydantic import BaseModel, ConfigDict

from scenemind.language import lexicon, trees
from scenemind.language.english import find_number, joined, roots
from scenemind.language.questions import read_text
from scenemind.language.quoting import quoted, tame
from scenemind.language.spelling import grammar_words, thing_words
from scenemind.language.time_expressions import find_moment
from scenemind.language.tokens import NotUnderstoodError, tokenize
from scenemind.models import BadFormError, ChatMessage, ChatModel, ModelError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import ask_form, fill_prompt
from scenemind.reasoning.query import MOST_CHARACTERS

_MOST_LABELS = 300  # in a prompt
_PLAIN = re.compile(r"[A-Za-z0-9,.:?' -]{1,240}")
# Failures of a question, and not of its reading.
_ENDS = ("cancelled", "too_late", "over_budget")


class _Said(BaseModel):
    """The sentence as a question of the grammar; None: it asks nothing that a map can answer."""

    model_config = ConfigDict(extra="forbid")

    question: str | None


class ModelReader:
    """Reads sentences by a language model; may be asked from several threads at once."""

    def __init__(self, language: ChatModel) -> None:
        self._language = language

    def read(self, text: str, labels: Collection[str], asking: Asking) -> str:
        """The question of the grammar that a sentence means, in words; empty where the model finds
        none, or is of no use. What it did is noted among the steps.

        Args:
            labels: of the map's objects.

        Raises:
            ModelError: the question was cancelled, or its allowance is used up.
        """
        name = self._language.name
        asking.progress.report("read")
        try:
            said = ask_form(
                self._language,
                _messages(text, labels),
                _Said,
                asking,
                "read",
                lambda said: _complaint(said.question, text, labels),
            )
        except ModelError as error:
            if error.kind in _ENDS:
                raise
            how = "has no reading of use" if isinstance(error, BadFormError) else "did not read it"
            asking.progress.note(f"{name} {how}: {tame(str(error), 200)}")
            return ""
        meant = said.question or ""
        as_what = f'as "{meant}"' if meant else "as nothing that a map can answer"
        asking.progress.note(f"read by {name} {as_what}")
        return meant


def _messages(text: str, labels: Collection[str]) -> list[ChatMessage]:
    known = sorted(labels)
    listed = ", ".join(quoted(label) for label in known[:_MOST_LABELS]) or "none"
    asked = f"Labels of the map: {listed}.\nSentence: {quoted(text, MOST_CHARACTERS)}"
    return [ChatMessage("system", _instructions()), ChatMessage("user", asked)]


@cache
def _instructions() -> str:
    return fill_prompt(
        "scenemind.reasoning.symbolic",
        "read",
        predicates=", ".join(lexicon.PREDICATES),
        superlatives=", ".join(get_args(trees.Superlative)),
    )


def _complaint(meant: str | None, text: str, labels: Collection[str]) -> str | None:
    """Why a reading cannot be used; None where it can."""
    if meant is None:
        return None
    if not _PLAIN.fullmatch(meant):
        return "the question is to be one short line of plain English, or null"
    try:
        said = read_text(meant)
    except NotUnderstoodError as error:
        return f"the parser does not read {quoted(meant)}: {error}"
    if beside := "; ".join((*said.remarks, *said.missed)):
        return f"the parser reads {quoted(meant)} without {quoted(beside)}: say it in one question"
    # Moments and widths are worked out of what was said: "half a metre" is 0.5 m.
    words = [token.word for token in tokenize(meant.rstrip("?. "))]
    moment = find_moment(words)
    measures = [] if moment is None else words[moment.start :]
    fits = trees.parts_of(said.question, trees.FitsBetween)
    measures += [f"{fit.width_m or 0.0:g} m" for fit in fits]
    foreign = _foreign_words(meant, (text, *labels, *measures))
    if foreign:
        unsaid = joined([quoted(word) for word in foreign])
        return f"nobody said {unsaid}, and no label has it: use the words of the sentence"
    return None


def _foreign_words(meant: str, known_texts: Collection[str]) -> list[str]:
    """Words that stand neither in what is known nor in the grammar."""
    said = [token.word for words in known_texts for token in tokenize(words)]
    numbers = {str(find_number(word)) for word in said}
    known = numbers.union(*map(roots, (*said, *thing_words(), *grammar_words())))
    words = dict.fromkeys(token.word for token in tokenize(meant) if token.word[0].isalnum())
    return [word for word in words if roots(word).isdisjoint(known)]
