"""A language model as reader: a sentence that the grammar does not read becomes a tree of it.

The model is asked once for the tree as JSON, and once more where that is of no use. Its tree is put
into words, and they are what is asked: a model can choose a question of the grammar about what was
said, and nothing else. The answer is computed from the scene, as for any other wording.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import cache
from typing import get_args

from scenemind.language import lexicon, trees
from scenemind.language.english import find_number, joined, normal, roots
from scenemind.language.nearest import grammar_words, thing_words
from scenemind.language.questions import parse_question
from scenemind.language.quoting import quoted, tame
from scenemind.language.time_expressions import Moment
from scenemind.language.tokens import NotUnderstoodError, tokenize
from scenemind.language.trees import Attribute, Question, Superlative
from scenemind.language.verbalization import moment_words, question_words
from scenemind.models import BadFormError, ChatMessage, ChatModel, ModelError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import ask_form, fill_prompt
from scenemind.reasoning.query import MOST_CHARACTERS
from scenemind.reasoning.symbolic.tree_form import QuestionForm, complaint_about_size

_MOST_LABELS = 300  # in a prompt
# Changes that are one to the grammar.
_CHANGES = {"removed": "missing", "ghost": "missing", "new": "added"}
# Failures of a question, and not of its reading.
_ENDS = ("cancelled", "too_late", "over_budget")


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
            form = ask_form(
                self._language,
                _messages(text, labels),
                QuestionForm,
                asking,
                "read",
                lambda found: _complaint(found, text, labels),
            )
        except ModelError as error:
            if error.kind in _ENDS:
                raise
            how = "has no reading of use" if isinstance(error, BadFormError) else "did not read it"
            asking.progress.note(f"{name} {how}: {tame(str(error), 200)}")
            return ""
        meant = question_words(form.question) if form.question else ""
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
        attributes=", ".join(get_args(Attribute)),
        superlatives=", ".join(get_args(Superlative)),
        uses=", ".join(sorted(set(lexicon.USES.values()))),
    )


def _complaint(form: QuestionForm, text: str, labels: Collection[str]) -> str | None:
    """Why a reading cannot be used; None where it can."""
    tree = form.question
    if tree is None:
        return None
    if too_large := complaint_about_size(tree):
        return too_large
    meant = question_words(tree)
    try:
        read = parse_question(meant)
    except NotUnderstoodError:
        return f"{quoted(meant)} is what that says, and it is no question that I can answer"
    if _gist(tree) != _gist(read):
        return f"{quoted(meant)} is how I would ask that, and it means something else"
    # Moments and widths are worked out of what was said: "half a metre" is 0.5 m.
    measures = [moment_words(moment) for moment in trees.parts_of(tree, Moment)]
    measures += [f"{fit.width_m or 0.0:g} m" for fit in trees.parts_of(tree, trees.FitsBetween)]
    foreign = _foreign_words(meant, text, (*labels, *measures))
    if foreign:
        words = joined([quoted(word) for word in foreign])
        return f"nobody said {words}, and no label has it: use the words of the sentence"
    return None


def _gist(question: Question) -> tuple[str, Counter[tuple[object, ...]]]:
    """What a question is about, without how it is said: which things, relations and ranks."""
    kind = type(question).__name__
    found: Counter[tuple[object, ...]] = Counter()
    for phrase in trees.noun_phrases(question):
        found[normal(phrase.noun), phrase.count] += phrase.noun not in ("", *lexicon.ANYTHING)
    for rank in trees.parts_of(question, trees.Rank):
        found[rank.superlative, rank.order, rank.negated] += 1
    for link in trees.parts_of(question, trees.Related):
        name = "farthest" if link.predicate == "far" else link.predicate
        found[name, 1, link.negated] += 1
    for attribute in trees.parts_of(question, trees.HasAttribute):
        found[attribute.key, attribute.negated] += 1
    match question:
        case trees.Identify():
            kind = "ListObjects"
        case trees.AskAttribute(key="size"):
            kind = "Size"
        case trees.Verify(subject=trees.NounPhrase(definite=False), condition=condition):
            kind = "Verify" if condition.negated else "Exists"  # "is a book not here" is neither
        case trees.Changed():
            kind = " ".join(sorted({_CHANGES.get(each, each) for each in question.kinds}))
    return kind, +found


def _foreign_words(meant: str, text: str, labels: Collection[str]) -> list[str]:
    """Words that stand neither in the sentence nor in a label nor in the grammar."""
    said = (token.word for words in (text, *labels) for token in tokenize(words))
    words_said = [*said]
    numbers = {str(find_number(word)) for word in words_said}
    known = numbers.union(*map(roots, (*words_said, *thing_words(), *grammar_words())))
    words = dict.fromkeys(token.word for token in tokenize(meant) if token.word[0].isalnum())
    return [word for word in words if roots(word).isdisjoint(known)]
