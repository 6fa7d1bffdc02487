"""What a model is told of the scene and of who asks (LLM-TPC, Fig. S2 to S5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scenemind.memory import MemorySnapshot
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.models import ChatMessage
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.learned_methods.learned import told_of
from scenemind.reasoning.programs import SceneApi, documentation
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.types import Query
from scenemind.words.quoting import quoted

_PROMPTS = "scenemind.reasoning.llm_tpc"
_LONGEST_SAID = 500
_MOST_CATEGORIES = 200


def messages_of(
    query: Query, snapshot: MemorySnapshot, api: SceneApi, viewpoint: Viewpoint | None
) -> list[ChatMessage]:
    """The conversation up to the model's first turn. What stays the same between questions comes
    first, so that providers read it once.

    Raises:
        ReasoningError: all that was marked is gone.
    """
    task = fill_prompt(
        _PROMPTS,
        "task",
        documentation=documentation().strip(),
        examples=read_prompt(_PROMPTS, "examples"),
    )
    question = fill_prompt(
        _PROMPTS,
        "question",
        learned=told_of(api.declared),
        objects=_listed(api.categories),
        circumstances="\n".join(_circumstances(query, snapshot, viewpoint)),
        question=quoted(query.text, _LONGEST_SAID),
        policy=read_prompt(_PROMPTS, f"policy_{query.policy}"),
    )
    return [ChatMessage("system", task), ChatMessage("user", question.strip())]


def _listed(categories: Mapping[str, int]) -> str:
    """'2 "chair", 1 "table"'; of very many kinds the commonest."""
    commonest = sorted(categories, key=lambda name: -categories[name])[:_MOST_CATEGORIES]
    counts = [f"{categories[name]} {quoted(name)}" for name in sorted(commonest)]
    left_out = len(categories) - len(commonest)
    return ", ".join([*counts, f"{left_out} more kinds of things"] if left_out else counts)


def _circumstances(
    query: Query, snapshot: MemorySnapshot, viewpoint: Viewpoint | None
) -> Iterator[str]:
    if query.situation.strip():
        yield f"My situation: {quoted(query.situation, _LONGEST_SAID)}"
    if viewpoint is None:
        yield (
            "Where I stand is not known to the functions: relate_agent, query_relation_agent and"
            " the attribute distance cannot be used, nor left, right, front and behind."
        )
    elif not query.situation.strip():
        yield f"My situation: I stand at {viewpoint.describe()}, and the functions know it."
    if query.marked_object_ids:
        marked = [snapshot.objects[i] for i in query.marked_object_ids if i in snapshot.objects]
        if not marked:
            raise ReasoningError("not_found", "The marked object is not in the memory any more.")
        names = [f"{quoted(thing.label)} with id {thing.object_id}" for thing in marked]
        yield f"I point at: {', '.join(names)}"
