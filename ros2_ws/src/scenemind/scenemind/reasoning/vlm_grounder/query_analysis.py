"""What a query asks for, told by a language model (VLM-Grounder, section 3.1: query analysis)."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from scenemind.models import ChatMessage, ChatModel, ask_for
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.types import Query
from scenemind.reasoning.vlm_grounder.types import QueryAnalysis
from scenemind.words.english import joined, normal
from scenemind.words.quoting import quoted, tame

UNKNOWN = "unknown"
"""The class of what no word of a query names."""
LONGEST_SAID = 600  # characters of what a person says
_PROMPTS = "scenemind.reasoning.vlm_grounder"
_LONGEST_CLASS, _LONGEST_FACT, _MOST_FACTS = 60, 200, 12
# Words for anything say no more than none.
_NO_CLASSES = frozenset(
    ("", UNKNOWN, "none", "n/a", "thing", "object", "something", "anything", "item", "any", "place")
)


class AnalysisForm(BaseModel):
    """The paper's answer (Table 6), and whether several objects are wanted."""

    model_config = ConfigDict(extra="forbid")

    target_class: str
    attributes: list[str]
    conditions: list[str]
    wants_all: bool

    def analysis(self) -> QueryAnalysis:
        """In plain words of bounded length."""
        name = normal(tame(self.target_class, _LONGEST_CLASS)).strip(" .")
        return QueryAnalysis(
            UNKNOWN if name in _NO_CLASSES else name,
            _plain(self.attributes),
            _plain(self.conditions),
            self.wants_all,
        )


def analyze(query: Query, model: ChatModel, asking: Asking, steps: list[str]) -> QueryAnalysis:
    """Ask the model, twice at most.

    Args:
        steps: gets what was found, and what had to be asked again.

    Raises:
        ModelError: the model failed, or neither reply is of use.
    """
    asking.report("analyze")
    question = fill_prompt(_PROMPTS, "analyze_question", query=quoted(query.text, LONGEST_SAID))
    form = ask_for(
        model,
        [ChatMessage("system", read_prompt(_PROMPTS, "analyze")), ChatMessage("user", question)],
        AnalysisForm,
        asking.allowance,
        on_repair=lambda complaint: steps.append(f"the analysis was asked for again: {complaint}"),
    )
    analysis = form.analysis()
    steps.append(_told(analysis))
    asking.report("analyze", steps[-1])
    return analysis


def _plain(facts: Iterable[str]) -> tuple[str, ...]:
    plain = (tame(fact, _LONGEST_FACT) for fact in facts)
    return tuple(filter(None, plain))[:_MOST_FACTS]


def _told(analysis: QueryAnalysis) -> str:
    count = "all that fit" if analysis.wants_all else "one object"
    facts = joined([quoted(fact) for fact in (*analysis.attributes, *analysis.conditions)])
    said = f", of which is said {facts}" if facts else ""
    return f"{count} of the class {quoted(analysis.target_class)} is looked for{said}"
