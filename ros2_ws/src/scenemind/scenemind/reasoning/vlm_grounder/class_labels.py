"""Which labels of a memory mean the class that a query asks for (VLM-Grounder, section 3.1).

The paper's code compares strings, then WordNet's synsets, then asks a model about each pair. Here a
thesaurus of things in rooms knows kinds and compounds as well, vectors of words come before the
model, and the model is asked once about all labels.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence

from pydantic import BaseModel, ConfigDict

from scenemind.memory.finding.meanings import LabelMeanings
from scenemind.memory.tree.tree_lines import label_shown
from scenemind.models import BadFormError, ChatMessage, ChatModel, ask_for
from scenemind.perception.errors import PerceptionError
from scenemind.perception.protocols import TextEncoder
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.types import Query
from scenemind.reasoning.vlm_grounder.query_analysis import LONGEST_SAID
from scenemind.words.english import joined, normal
from scenemind.words.label_index import LONGEST_NAME, LabelIndex
from scenemind.words.quoting import quoted
from scenemind.words.vocabulary import Vocabulary

_log = logging.getLogger(__name__)

_PROMPTS = "scenemind.reasoning.vlm_grounder"
_MOST_TOLD = 400  # labels that the model is told
_MOST_NAMED = 6  # labels in a step


class LabelChoice(BaseModel):
    """What a model takes for other words for the class."""

    model_config = ConfigDict(extra="forbid")

    labels: list[str]


class LabelMatcher:
    """Thread-safe: nothing of a query is kept."""

    def __init__(self, model: ChatModel, encoder: TextEncoder | None = None) -> None:
        """
        Args:
            model: tells what words and vectors do not.
            encoder: of words; None: there are no vectors.
        """
        self._model = model
        self._encoder = encoder

    def match(
        self,
        target_class: str,
        labels: Collection[str],
        query: Query,
        asking: Asking,
        steps: list[str],
    ) -> frozenset[str]:
        """Those of the labels that mean the class: by words, else by vectors, else the model is
        asked, twice at most; maybe none.

        Args:
            steps: gets how they were found.

        Raises:
            ModelError: the model failed, or neither reply has the form.
        """
        if not labels:
            return frozenset()
        how, found = "is there as", matched_by_words(target_class, labels)
        if not found:
            how, found = "means about the same as", self._by_meaning(target_class, labels, steps)
        if not found:
            how, found = "may mean", self._by_model(target_class, labels, query, asking, steps)
        steps.append(
            f"{quoted(target_class)} {how} {_named(found)}"
            if found
            else f"no label of the memory means {quoted(target_class)}, says {self._model.name}"
        )
        return frozenset(found)

    def _by_meaning(
        self, target_class: str, labels: Collection[str], steps: list[str]
    ) -> list[str]:
        if self._encoder is None:
            return []
        names = [label for label in labels if len(label) <= LONGEST_NAME]
        try:
            alike = LabelMeanings().similar(target_class, names, self._encoder)
        except PerceptionError as error:
            _log.warning("labels are compared without vectors of words: %s", error)
            steps.append(f"no vectors of words: {error}")
            return []
        return sorted(alike, key=lambda label: -alike[label])

    def _by_model(
        self,
        target_class: str,
        labels: Collection[str],
        query: Query,
        asking: Asking,
        steps: list[str],
    ) -> list[str]:
        told = {_spelled(label): label for label in sorted(labels)[:_MOST_TOLD]}

        def complaint(choice: LabelChoice) -> str | None:
            unknown = [quoted(name) for name in choice.labels if _spelled(name) not in told]
            return f"there is no label {', '.join(unknown[:_MOST_NAMED])}" if unknown else None

        question = fill_prompt(
            _PROMPTS,
            "choose_labels_question",
            labels=", ".join(map(quoted, told.values())),
            target_class=quoted(target_class),
            query=quoted(query.text, LONGEST_SAID),
        )
        system = ChatMessage("system", read_prompt(_PROMPTS, "choose_labels"))
        try:
            choice = ask_for(
                self._model,
                [system, ChatMessage("user", question)],
                LabelChoice,
                asking.allowance,
                complaint,
                on_repair=lambda wrong: steps.append(f"labels were asked for again: {wrong}"),
            )
        except BadFormError as error:
            if not isinstance(error.form, LabelChoice):
                raise
            choice = error.form  # some may be right
        chosen = dict.fromkeys(map(_spelled, choice.labels))
        return [told[name] for name in chosen if name in told]


def matched_by_words(target_class: str, labels: Collection[str]) -> list[str]:
    """Labels that are the class, another word for it, a compound or a kind of it, best first; where
    there are none, those that it is often mixed up with, else those of what is left of the name
    without its first words ("chair" for "office chair")."""
    vocabulary, index, wanted = Vocabulary.load(), LabelIndex(labels), normal(target_class)
    words = wanted.split(" ")
    shorter = (" ".join(words[first:]) for first in range(1, len(words)))
    for found in (
        vocabulary.strict(wanted, index),
        vocabulary.loose(wanted, index),
        *(vocabulary.strict(name, index) for name in shorter),
    ):
        if found:
            return [match.label for match in found]
    return []


def _spelled(label: str) -> str:
    """One spelling for a label, its quoted form in a prompt, and a model's way to write it."""
    return normal(label_shown(label))


def _named(labels: Sequence[str]) -> str:
    more = [f"{len(labels) - _MOST_NAMED} more labels"] if len(labels) > _MOST_NAMED else []
    return joined([*map(quoted, labels[:_MOST_NAMED]), *more])
