"""What a client asks the reasoning node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geometry_msgs.msg import Pose

from scenemind_interfaces import action, srv
from scenemind_ros.pending_goal import OnFeedback, PendingGoal
from scenemind_ros.service_caller import ServiceCaller


class QuestionCaller(ServiceCaller):
    """Questions, phrases and corrections in words; see `SceneMindClient`."""

    def ask(
        self,
        question: str,
        *,
        situation: str = "",
        viewpoint: Pose | None = None,
        marked_object_ids: Sequence[int] = (),
        method: str = "auto",
        policy: str = "balanced",
        dialogue_id: str = "",
        timeout_s: float | None = None,
    ) -> srv.Ask.Response:
        """The answer to a question.

        Args:
            viewpoint: the asking agent's head (x forward, z up).
            policy: where nothing that was seen answers it: balanced, strict or always_answer.
            dialogue_id: any name: questions and corrections of one talk, in which "it" means what
                was spoken of; empty: it stands alone.
            timeout_s: what the answer may take; None: as every answer.
        """
        return self.call(
            srv.Ask,
            timeout_s,
            question=question,
            situation=situation,
            marked_object_ids=list(marked_object_ids),
            method=method,
            policy=policy,
            dialogue_id=dialogue_id,
            timeout=self.limit(timeout_s),
            **viewpoint_fields(viewpoint),
        )

    def start_asking(
        self,
        question: str,
        *,
        situation: str = "",
        viewpoint: Pose | None = None,
        marked_object_ids: Sequence[int] = (),
        method: str = "auto",
        policy: str = "balanced",
        dialogue_id: str = "",
        timeout_s: float | None = None,
        on_feedback: OnFeedback | None = None,
    ) -> PendingGoal:
        """As `ask`, for who does something else meanwhile, wants to hear of progress
        (action.Ask.Feedback), or may cancel."""
        return self.send_goal(
            action.Ask,
            on_feedback,
            question=question,
            situation=situation,
            marked_object_ids=list(marked_object_ids),
            method=method,
            policy=policy,
            dialogue_id=dialogue_id,
            timeout=self.limit(timeout_s),
            **viewpoint_fields(viewpoint),
        )

    def ground(
        self,
        query: str,
        *,
        viewpoint: Pose | None = None,
        marked_object_ids: Sequence[int] = (),
        method: str = "auto",
        policy: str = "balanced",
        dialogue_id: str = "",
        timeout_s: float | None = None,
    ) -> srv.Ground.Response:
        """The objects that a phrase means, best first; see `ask` for a dialogue."""
        return self.call(
            srv.Ground,
            timeout_s,
            query=query,
            marked_object_ids=list(marked_object_ids),
            method=method,
            policy=policy,
            dialogue_id=dialogue_id,
            timeout=self.limit(timeout_s),
            **viewpoint_fields(viewpoint),
        )

    def start_grounding(
        self,
        query: str,
        *,
        viewpoint: Pose | None = None,
        marked_object_ids: Sequence[int] = (),
        method: str = "auto",
        policy: str = "balanced",
        dialogue_id: str = "",
        timeout_s: float | None = None,
        on_feedback: OnFeedback | None = None,
    ) -> PendingGoal:
        """As `ground`, with feedback (action.Ground.Feedback) and cancel; see `start_asking`."""
        return self.send_goal(
            action.Ground,
            on_feedback,
            query=query,
            marked_object_ids=list(marked_object_ids),
            method=method,
            policy=policy,
            dialogue_id=dialogue_id,
            timeout=self.limit(timeout_s),
            **viewpoint_fields(viewpoint),
        )

    def align(
        self,
        instruction: str,
        *,
        marked_object_ids: Sequence[int] = (),
        dialogue_id: str = "",
        speaker: str = "",
        timeout_s: float | None = None,
    ) -> srv.Align.Response:
        """Correct the memory in plain words; see `ask` for a dialogue.

        Args:
            speaker: who says it, for the journal; empty: a person.
        """
        return self.call(
            srv.Align,
            timeout_s,
            instruction=instruction,
            marked_object_ids=list(marked_object_ids),
            dialogue_id=dialogue_id,
            speaker=speaker,
            timeout=self.limit(timeout_s),
        )

    def start_aligning(
        self,
        instruction: str,
        *,
        marked_object_ids: Sequence[int] = (),
        dialogue_id: str = "",
        speaker: str = "",
        timeout_s: float | None = None,
        on_feedback: OnFeedback | None = None,
    ) -> PendingGoal:
        """As `align`, with feedback (action.Align.Feedback) and cancel: what is cancelled has
        changed nothing, and where it is too late for that, the result says what was done."""
        return self.send_goal(
            action.Align,
            on_feedback,
            instruction=instruction,
            marked_object_ids=list(marked_object_ids),
            dialogue_id=dialogue_id,
            speaker=speaker,
            timeout=self.limit(timeout_s),
        )

    def choose_key_frames(
        self,
        question: str,
        *,
        object_ids: Sequence[int] = (),
        selector: str = "",
        count: int = 3,
        timeout_s: float | None = None,
    ) -> srv.SelectKeyFrames.Response:
        """Stored images for a question, chosen by the reasoning node's language model (MemTree3D),
        with its reasons, and the objects that matter.

        Args:
            object_ids: what "this" and "these" mean.
            selector: tree, objects, uniform, retrieval or detector; empty: the node's own.
        """
        return self.call(
            srv.SelectKeyFrames,
            timeout_s,
            of="reasoning",
            question=question,
            object_ids=list(object_ids),
            selector=selector,
            k=count,
            timeout=self.limit(timeout_s),
        )


def viewpoint_fields(pose: Pose | None) -> dict[str, Any]:
    return {} if pose is None else {"viewpoint": pose, "has_viewpoint": True}
