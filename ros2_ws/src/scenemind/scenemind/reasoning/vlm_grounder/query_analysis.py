"""Query analysis (VLM-Grounder, section 3.1): the target class, its conditions, and the labels of
the memory that mean the class.

The paper's code compares strings, then WordNet's synsets, then asks a model about each pair.
Here a thesaurus of things in rooms knows kinds and compounds as well, vectors of words come
before the model, and the model is asked once about all labels.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from scenemind.language.english import joined, normal
from scenemind.language.quoting import quoted, tame
from scenemind.language.vocabulary import LONGEST_NAME, LabelIndex, Vocabulary
from scenemind.memory.finding.finder import LabelMeanings
from scenemind.memory.tree.tree_json import displayed_label
from scenemind.models import BadFormError, ChatMessage, ChatModel, ask_for
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.types import PerceptionError
from scenemind.reasoning.method import Asking, Progress
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.query import Query
from scenemind.reasoning.vlm_grounder.targets import QueryAnalysis

_log = logging.getLogger(__name__)

UNKNOWN = "unknown"
"""The target class of a query that names none."""
LONGEST_SAID = 600  # characters of a person's words, in prompts
_PROMPTS = "scenemind.reasoning.vlm_grounder"
_LONGEST_CLASS, _LONGEST_FACT, _MOST_FACTS = 60, 200, 12
_MOST_PROMPTED = 400  # labels in a prompt
_MOST_NAMED = 6  # labels in a step
_NO_CLASSES = frozenset(
    ("", UNKNOWN, "none", "n/a", "thing", "object", "something", "anything", "item", "any", "place")
)


class AnalysisForm(BaseModel):
    """The form of the reply (Table 6), with whether several objects are wanted."""

    model_config = ConfigDict(extra="forbid")

    target_class: str
    attributes: list[str]
    conditions: list[str]
    wants_all: bool

    def analysis(self) -> QueryAnalysis:
        """The analysis in plain words of bounded length."""
        name = normal(tame(self.target_class, _LONGEST_CLASS)).strip(" .")
        return QueryAnalysis(
            UNKNOWN if name in _NO_CLASSES else name,
            _plain(self.attributes),
            _plain(self.conditions),
            self.wants_all,
        )


def analyze_query(query: Query, model: ChatModel, asking: Asking) -> QueryAnalysis:
    """Query analysis (section 3.1): the target class and the grounding conditions.

    Raises:
        ModelError: the model failed, or neither of two replies is of use.
    """
    progress = asking.progress
    progress.report("analyze")
    question = fill_prompt(_PROMPTS, "analyze_question", query=quoted(query.text, LONGEST_SAID))
    form = ask_for(
        model,
        [ChatMessage("system", read_prompt(_PROMPTS, "analyze")), ChatMessage("user", question)],
        AnalysisForm,
        asking.allowance,
        on_repair=lambda complaint: progress.note(f"the analysis was asked for again: {complaint}"),
    )
    analysis = form.analysis()
    progress.note(_in_words(analysis))
    progress.report("analyze", progress.steps[-1])
    return analysis


def _plain(facts: Iterable[str]) -> tuple[str, ...]:
    plain = (tame(fact, _LONGEST_FACT) for fact in facts)
    return tuple(filter(None, plain))[:_MOST_FACTS]


def _in_words(analysis: QueryAnalysis) -> str:
    count = "all that fit" if analysis.wants_all else "one object"
    facts = joined([quoted(fact) for fact in (*analysis.attributes, *analysis.conditions)])
    said = f", of which is said {facts}" if facts else ""
    return f"{count} of the class {quoted(analysis.target_class)} is looked for{said}"


class LabelChoice(BaseModel):
    """The form of a reply: labels that mean the class."""

    model_config = ConfigDict(extra="forbid")

    labels: list[str]


class LabelMatcher:
    """Labels of a memory for a target class. Thread-safe: it keeps nothing of a query."""

    def __init__(self, model: ChatModel, encoder: TextEncoder | None = None) -> None:
        """
        Args:
            model: asked where neither words nor vectors match.
            encoder: of words; None: no vectors are compared.
        """
        self._model = model
        self._encoder = encoder

    def match(
        self,
        target_class: str,
        labels: Collection[str],
        query: Query,
        asking: Asking,
    ) -> frozenset[str]:
        """The labels that mean the class: by words, else by vectors, else by the model; may be
        none.

        Raises:
            ModelError: the model failed, or neither of two replies has the form.
        """
        progress = asking.progress
        if not labels:
            return frozenset()
        how, found = "is there as", matched_by_words(target_class, labels)
        if not found:
            how, found = "means about the same as", self._by_meaning(target_class, labels, progress)
        if not found:
            how, found = "may mean", self._by_model(target_class, labels, query, asking)
        progress.note(
            f"{quoted(target_class)} {how} {_named(found)}"
            if found
            else f"no label of the memory means {quoted(target_class)}, says {self._model.name}"
        )
        return frozenset(found)

    def _by_meaning(
        self, target_class: str, labels: Collection[str], progress: Progress
    ) -> list[str]:
        if self._encoder is None:
            return []
        names = [label for label in labels if len(label) <= LONGEST_NAME]
        try:
            alike = LabelMeanings().similar(target_class, names, self._encoder)
        except PerceptionError as error:
            _log.warning("labels are compared without word vectors: %s", error)
            progress.note(f"no vectors of words: {error}")
            return []
        return sorted(alike, key=lambda label: -alike[label])

    def _by_model(
        self,
        target_class: str,
        labels: Collection[str],
        query: Query,
        asking: Asking,
    ) -> list[str]:
        prompted = {_spelled(label): label for label in sorted(labels)[:_MOST_PROMPTED]}

        def complaint(choice: LabelChoice) -> str | None:
            unknown = [quoted(name) for name in choice.labels if _spelled(name) not in prompted]
            return f"there is no label {', '.join(unknown[:_MOST_NAMED])}" if unknown else None

        question = fill_prompt(
            _PROMPTS,
            "choose_labels_question",
            labels=", ".join(map(quoted, prompted.values())),
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
                check=complaint,
                on_repair=lambda wrong: asking.progress.note(
                    f"labels were asked for again: {wrong}"
                ),
            )
        except BadFormError as error:
            if not isinstance(error.form, LabelChoice):
                raise
            choice = error.form  # some may be right
        chosen = dict.fromkeys(map(_spelled, choice.labels))
        return [prompted[name] for name in chosen if name in prompted]


def matched_by_words(target_class: str, labels: Collection[str]) -> list[str]:
    """Labels that are the class, a synonym, a compound or a subclass of it, best first; without
    any, labels that it is often confused with, else those of the name without its first words
    ("chair" for "office chair")."""
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
    """One spelling for a label, for its quoted form in a prompt, and for a model's spelling."""
    return normal(displayed_label(label))


def _named(labels: Sequence[str]) -> str:
    more = [f"{len(labels) - _MOST_NAMED} more labels"] if len(labels) > _MOST_NAMED else []
    return joined([*map(quoted, labels[:_MOST_NAMED]), *more])
