"""The agent on the table of tasks, with scripted models: one that does all rightly, one that asks
for false edits, and some that fail."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from scenemind.evaluation.alignment import (
    AlignmentSettings,
    Wording,
    make_tasks,
    query_ratios,
    run_alignment,
    summarize_sessions,
)
from scenemind.evaluation.alignment.session import MOST_INTERACTIONS, Session
from scenemind.evaluation.alignment.tasks import AlignmentTask, is_right
from scenemind.evaluation.scenes import Scenes
from scenemind.language.speech_acts import agrees
from scenemind.reasoning import Query, Router
from scenemind.reasoning.synergai import Synergai
from tests.chat_server import ChatServer, Step, choose, fail, say
from tests.unit.evaluation.alignment.rooms import write_rooms
from tests.unit.evaluation.alignment.scripted_agent import Script, ScriptedAgent
from tests.unit.models.asking import chat_with

SEED = 1
# More than any question of the table counts: the number alone is never the right answer.
LIED_OF = 9


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Sequence[AlignmentTask]:
    return make_tasks(Scenes(write_rooms(tmp_path_factory.mktemp("rooms"))), SEED)


def played(
    tasks: Sequence[AlignmentTask],
    agent: ScriptedAgent,
    step: Step | None = None,
    wording: Wording = "first",
    tool_calls: bool = True,
) -> Sequence[Session]:
    """Results of the tasks with a scripted agent or another server."""
    server = ChatServer(step or choose(agent.step))
    with server, chat_with(server, tool_calls=tool_calls) as chat:
        methods = {"synergai": Synergai(chat)}
        settings = AlignmentSettings("synergai", SEED, wording=wording)
        return list(run_alignment(agent.watch(tasks), settings, methods))


def check_passed(sessions: Sequence[Session], corrections_done: float) -> None:
    result = summarize_sessions(sessions, "synergai")
    for difficulty, interactions in (("easy", 3.4), ("hard", 6.5)):  # the paper's means
        scores = result.tasks.breakdown[difficulty].scores
        assert (scores["initial_success"].percent, scores["success"].percent) == (0.0, 100.0)
        assert result.interactions[difficulty] <= interactions
    assert result.corrections_done >= corrections_done
    assert result.query_ratio is not None
    assert 0.0 < result.query_ratio < 10.0
    assert share_of_novel_by_grammar(sessions) >= 90.0


def check_aligned(sessions: Sequence[Session]) -> None:
    check_passed(sessions, 100.0)
    for session in sessions:
        told = [e for e in session.exchanges if not e.is_question]
        assert len(session.exchanges) <= MOST_INTERACTIONS[session.task.difficulty]
        journal = session.memory.corrections()
        assert [entry.reason for entry in journal] == [e.said for e in told]
        assert {(entry.by, entry.undone) for entry in journal} == {("simulated person", False)}
        ratios = query_ratios(session)
        assert len(ratios) == len(session.exchanges)
        assert all(0.0 <= ratio < 50.0 for ratio in ratios)


def share_of_novel_by_grammar(sessions: Sequence[Session]) -> float:
    """Percent of the novel questions that `symbolic` answers after the corrections."""
    right = []
    for session in sessions:
        wanted = session.task.novel
        if wanted is not None:
            query = Query(wanted.question, viewpoint=session.task.viewpoint)
            right.append(is_right(wanted, Router(session.memory).ask(query, "symbolic")))
    return 100.0 * sum(right) / len(right)


@pytest.mark.parametrize(
    ("first", "step", "tool_calls", "wording"),
    [(0, 2, True, "first"), (1, 4, False, "development")],
)
def test_agent_passes_the_table(
    tasks: Sequence[AlignmentTask], first: int, step: int, tool_calls: bool, wording: Wording
) -> None:
    assert len(tasks) == 42
    check_aligned(played(tasks[first::step], ScriptedAgent(), None, wording, tool_calls))


def test_agent_passes_tasks_of_scannet(shared_data: Path) -> None:
    scenes = Scenes(shared_data / "annotations" / "scannet_objects.json.gz")
    tasks = make_tasks(scenes, SEED, most_scenes=40)
    # "These are not two towels, it's one" speaks of no object in its second clause: asked first.
    check_passed(played(tasks[1::6], ScriptedAgent(), None, "more"), 90.0)


class Liar(ScriptedAgent):
    """A model that makes edits without a request, of objects that exist and of others."""

    def __init__(self, lied_of: int) -> None:
        """`lied_of`: number of existing objects that it edits."""
        super().__init__()
        self._lied_of = lied_of

    def script(self, task: AlignmentTask, said: str, is_marked: bool) -> Script:
        if is_marked:
            yield "find_marked_object", {}
        unknown = max(task.perceived) + 900
        yield "update_attributes", {"object_id": unknown, "attributes": {"color": "pink"}}
        yield "merge_objects", {"object_ids": [min(task.perceived), unknown]}
        yield "update_name", {"names": "junk", "object_ids": "all"}
        yield "delete_object", {"object_id": None}
        yield "delete_everything", {}
        yield "update_name", {"names": ["junk"], "object_ids": self._things(task)}
        yield "post_process", {"object_ids": [unknown]}
        yield "final_answer", {"answer": f"All done: {said}"}

    def _things(self, task: AlignmentTask) -> list[int]:
        return sorted(task.perceived)[: self._lied_of]


@pytest.mark.parametrize(("tool_calls", "lied_of"), [(True, LIED_OF), (False, LIED_OF), (True, 1)])
def test_edits_without_a_request_need_a_yes(
    tasks: Sequence[AlignmentTask], tool_calls: bool, lied_of: int
) -> None:
    sessions = played(tasks[::7], Liar(lied_of), tool_calls=tool_calls)
    for session in sessions:
        exchanges = session.exchanges
        assert len(exchanges) == MOST_INTERACTIONS[session.task.difficulty]
        assert not session.succeeded
        assert not any(exchange.failure for exchange in exchanges)
        by_agent = [e for e in exchanges if any(s.startswith("action") for s in e.steps)]
        things = f"{LIED_OF} objects" if lied_of > 1 else "object "
        assert all(f"That would change {things}" in e.replied for e in by_agent)
        assert all(sum("Error: " in s for s in e.steps) == 6 for e in by_agent)
        agreed = [before.said for before, e in pairwise(exchanges) if agrees(e.said)]
        journal = session.memory.corrections()
        assert {entry.reason for entry in journal} == set(agreed)
        assert all(entry.undone for entry in journal)
        assert session.memory.snapshot().objects == session.task.perceived


def breaking_once_something_is_noted(agent: ScriptedAgent) -> Step:
    return choose(
        lambda request: (
            fail(500)
            if "Noted;" in request.body["messages"][-1]["content"]
            else agent.step(request)
        )
    )


@pytest.mark.parametrize("kind", ["errors", "breaks", "talks"])
def test_failing_model_leaves_no_partial_edits(tasks: Sequence[AlignmentTask], kind: str) -> None:
    agent = ScriptedAgent()
    steps = {
        "errors": fail(500),
        "breaks": breaking_once_something_is_noted(agent),
        "talks": say("I would call it something else."),
    }
    for session in played(tasks[::7], agent, steps[kind]):
        told = [e for e in session.exchanges if not e.is_question]
        assert told
        assert len(session.exchanges) <= MOST_INTERACTIONS[session.task.difficulty]
        assert not session.succeeded
        failures = {"" if kind == "talks" else "model_failed"}
        assert {e.failure for e in told} == failures
        assert session.memory.corrections() == []
        assert session.memory.snapshot().objects == session.task.perceived
