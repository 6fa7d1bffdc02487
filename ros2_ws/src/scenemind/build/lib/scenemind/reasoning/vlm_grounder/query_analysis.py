"""Query analysis (VLM-Grounder, section 3.1): the target class, its conditions, and the labels of
the memory that mean the class.

The paper's code compares strings, then WordNet's synsets, then asks a model about each pair.
Here a thesaurus of things in rooms knows kinds and compounds as well, vectors of words come
before the model, and the model names labels with the analysis, in one call.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from scenemind.language.english import joined, normal
from scenemind.language.quoting import quoted, tame
from scenemind.language.vocabulary import LONGEST_NAME, LabelIndex, Vocabulary
from scenemind.memory.finding.finder import LabelMeanings
from scenemind.memory.tree.tree_json import displayed_label
from scenemind.models import ChatMessage, ChatModel, ask_for
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.types import PerceptionError
from scenemind.reasoning.method import Asking, Progress
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.query import Query
from scenemind.reasoning.vlm_grounder.targets import QueryAnalysis, StoredScene

_log = logging.getLogger(__name__)

UNKNOWN = "unknown"
"""The target class of a query that names none."""
LONGEST_SAID = 600  # characters of a person's words, in prompts
_PROMPTS = "scenemind.reasoning.vlm_grounder"
_LONGEST_CLASS, _LONGEST_FACT, _MOST_FACTS = 60, 200, 12
_MOST_PROMPTED = 200  # labels in a prompt
_MOST_LABELS, _MOST_COLORS = 12, 2
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
    labels: list[str]

    def analysis(self) -> QueryAnalysis:
        """The analysis in plain words of bounded length."""
        name = normal(tame(self.target_class, _LONGEST_CLASS)).strip(" .")
        return QueryAnalysis(
            UNKNOWN if name in _NO_CLASSES else name,
            _plain(self.attributes),
            _plain(self.conditions),
            self.wants_all,
            tuple(self.labels[:_MOST_LABELS]),
        )


def analyze_query(
    query: Query, scene: StoredScene, model: ChatModel, asking: Asking
) -> QueryAnalysis:
    """Query analysis (section 3.1): the target class, the grounding conditions, and the labels that
    a detector may have given to such a thing.

    Raises:
        ModelError: the model failed, or neither of two replies is of use.
    """
    progress = asking.progress
    progress.report("analyze")
    question = fill_prompt(
        _PROMPTS,
        "analyze_question",
        query=quoted(query.text, LONGEST_SAID),
        names=named_labels(scene),
    )
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


def named_labels(scene: StoredScene) -> str:
    """The labels that a detector gave or the map has, the most frequent first: those of the map
    with the number of their objects and the commonest colours, '"chair" (4, black)'."""
    things = list(scene.snapshot.objects.values())
    counts = Counter(thing.label for thing in things)
    seen = Counter(scene.index.labels[n] for n in scene.index.detection_labels.tolist())
    order = sorted(known_labels(scene), key=lambda name: (-counts[name], -seen[name], name))
    mapped, unmapped = [], []
    for label in order[:_MOST_PROMPTED]:
        if not counts[label]:
            unmapped.append(quoted(label))
            continue
        colors = Counter(t.attributes.get("color", "") for t in things if t.label == label)
        shown = [tame(color) for color, _ in colors.most_common(_MOST_COLORS) if color]
        mapped.append(f"{quoted(label)} ({', '.join((str(counts[label]), *shown))})")
    told = [", ".join(mapped), f"not mapped: {', '.join(unmapped)}" if unmapped else ""]
    return "; ".join(filter(None, told)) or "none"


def known_labels(scene: StoredScene) -> frozenset[str]:
    """The labels that a detector gave in stored frames or the map has."""
    return frozenset((*scene.index.labels, *(t.label for t in scene.snapshot.objects.values())))


def _plain(facts: Iterable[str]) -> tuple[str, ...]:
    plain = (tame(fact, _LONGEST_FACT) for fact in facts)
    return tuple(filter(None, plain))[:_MOST_FACTS]


def _in_words(analysis: QueryAnalysis) -> str:
    count = "all that fit" if analysis.wants_all else "one object"
    facts = joined([quoted(fact) for fact in (*analysis.attributes, *analysis.conditions)])
    said = f", of which is said {facts}" if facts else ""
    return f"{count} of the class {quoted(analysis.target_class)} is looked for{said}"


FoundBy = Literal["words", "meaning", "model"]


@dataclass(frozen=True, slots=True)
class LabelMatch:
    """Labels of a memory that mean a class, the best first; none: no label does.

    Attributes:
        by: by words, vectors of words, or a model's guess.
    """

    labels: tuple[str, ...]
    by: FoundBy


def match_labels(
    analysis: QueryAnalysis,
    labels: Collection[str],
    encoder: TextEncoder | None,
    progress: Progress,
) -> LabelMatch:
    """The labels that mean the class: by words, else by vectors, else as the model guessed.

    Args:
        encoder: of words; None: no vectors are compared.
    """
    name = analysis.target_class
    match = LabelMatch(tuple(matched_by_words(name, labels)), "words")
    if not match.labels:
        match = LabelMatch(tuple(_by_meaning(name, labels, encoder, progress)), "meaning")
    if not match.labels:
        match = LabelMatch(_spelled_as(analysis.labels, labels), "model")
    found = named_some(match.labels)
    how = {"words": "is there as", "meaning": "means about the same as", "model": "may be"}
    progress.note(
        f"{quoted(name)} {how[match.by]} {found}"
        if match.labels
        else f"no label of the memory means {quoted(name)}, says the model"
    )
    return match


def _by_meaning(
    target_class: str, labels: Collection[str], encoder: TextEncoder | None, progress: Progress
) -> list[str]:
    if encoder is None:
        return []
    names = [label for label in labels if len(label) <= LONGEST_NAME]
    try:
        alike = LabelMeanings().similar(target_class, names, encoder)
    except PerceptionError as error:
        _log.warning("labels are compared without word vectors: %s", error)
        progress.note(f"no vectors of words: {error}")
        return []
    return sorted(alike, key=lambda label: -alike[label])


def _spelled_as(written: Iterable[str], labels: Iterable[str]) -> tuple[str, ...]:
    """The labels that a model wrote; what it invented is left out."""
    known = {_spelled(label): label for label in labels}
    chosen = dict.fromkeys(map(_spelled, written))
    return tuple(known[name] for name in chosen if name in known)


def matched_by_words(target_class: str, labels: Collection[str]) -> list[str]:
    """Labels that are the class, a synonym, a compound or a subclass of it, best first; without
    any, labels that it is often confused with.

    The last word of a name alone decides nothing: a game table is no dining table.
    """
    vocabulary, index, wanted = Vocabulary.load(), LabelIndex(labels), normal(target_class)
    found = vocabulary.strict(wanted, index) or vocabulary.loose(wanted, index)
    return [match.label for match in found]


def _spelled(label: str) -> str:
    """One spelling for a label, for its quoted form in a prompt, and for a model's spelling."""
    return normal(displayed_label(label))


def named_some(labels: Sequence[str]) -> str:
    """The first labels in quotes, in words."""
    more = [f"{len(labels) - _MOST_NAMED} more labels"] if len(labels) > _MOST_NAMED else []
    return joined([*map(quoted, labels[:_MOST_NAMED]), *more])
