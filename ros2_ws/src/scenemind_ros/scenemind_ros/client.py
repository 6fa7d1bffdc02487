"""SceneMind for planners and scripts: plain calls that block until the answer arrives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose

from scenemind_interfaces import action, srv
from scenemind_interfaces.msg import Correction, KeyFrame, SceneGraph
from scenemind_ros.calls import OnFeedback, PendingGoal, ServiceCaller
from scenemind_ros.errors import RosError


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
        speaker: str = "",
        timeout_s: float | None = None,
    ) -> srv.Ask.Response:
        """The answer to a question.

        Args:
            viewpoint: the asking agent's head (x forward, z up).
            policy: behaviour without evidence for an answer: balanced, strict or always_answer.
            dialogue_id: any name for a conversation, in which "it" refers to the object of the last
                sentence; empty: no conversation.
            speaker: who asks, to whom "my cup" belongs; empty: not known.
            timeout_s: time limit of the answer; None: the client's usual limit.
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
            speaker=speaker,
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
        speaker: str = "",
        timeout_s: float | None = None,
        on_feedback: OnFeedback | None = None,
    ) -> PendingGoal:
        """Start `ask` without blocking, with feedback (action.Ask.Feedback) and cancel."""
        return self.send_goal(
            action.Ask,
            on_feedback,
            question=question,
            situation=situation,
            marked_object_ids=list(marked_object_ids),
            method=method,
            policy=policy,
            dialogue_id=dialogue_id,
            speaker=speaker,
            timeout=self.limit(timeout_s),
            **viewpoint_fields(viewpoint),
        )

    def ground(
        self,
        query: str,
        *,
        situation: str = "",
        viewpoint: Pose | None = None,
        marked_object_ids: Sequence[int] = (),
        method: str = "auto",
        policy: str = "balanced",
        dialogue_id: str = "",
        speaker: str = "",
        timeout_s: float | None = None,
    ) -> srv.Ground.Response:
        """The objects that a phrase means, best first; see `ask` for a dialogue."""
        return self.call(
            srv.Ground,
            timeout_s,
            query=query,
            situation=situation,
            marked_object_ids=list(marked_object_ids),
            method=method,
            policy=policy,
            dialogue_id=dialogue_id,
            speaker=speaker,
            timeout=self.limit(timeout_s),
            **viewpoint_fields(viewpoint),
        )

    def start_grounding(
        self,
        query: str,
        *,
        situation: str = "",
        viewpoint: Pose | None = None,
        marked_object_ids: Sequence[int] = (),
        method: str = "auto",
        policy: str = "balanced",
        dialogue_id: str = "",
        speaker: str = "",
        timeout_s: float | None = None,
        on_feedback: OnFeedback | None = None,
    ) -> PendingGoal:
        """Start `ground` with feedback (action.Ground.Feedback) and cancel; see `start_asking`."""
        return self.send_goal(
            action.Ground,
            on_feedback,
            query=query,
            situation=situation,
            marked_object_ids=list(marked_object_ids),
            method=method,
            policy=policy,
            dialogue_id=dialogue_id,
            speaker=speaker,
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
            speaker: author for the journal; empty: a person.
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
        """Start `align` without blocking, with feedback (action.Align.Feedback) and cancel. A
        cancelled correction changes nothing; if it was already written, the result reports it."""
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
        with its reasons, and the relevant objects.

        Args:
            object_ids: referents of "this" and "these".
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


_EMBEDDING_S = 600.0


class SceneMindClient(QuestionCaller):
    """Client of the running nodes' services.

    It has its own ROS context and thread. It works in any program, with or without
    rclpy, and in callbacks of other nodes::

        with SceneMindClient() as scenemind:
            scenemind.wait_ready(30.0)
            answer = scenemind.ask("how many chairs are there?").answer.text

    The requests of people (`ask`, `ground`, `align`, `undo`, `redo`, `choose_key_frames`,
    `set_vocabulary`) return the service's response, which carries `success` and `error`. The
    others return the requested data.
    All raise RosError if a node is missing (NODE_UNAVAILABLE) or does not respond in time
    (TIMEOUT).
    """

    def undo(self, *correction_ids: int) -> srv.UndoCorrection.Response:
        """Undo corrections; without a number, all that the newest sentence wrote."""
        return self.call(srv.UndoCorrection, correction_ids=correction_ids)

    def redo(self, *correction_ids: int) -> srv.RedoCorrection.Response:
        """Redo corrections; without a number, the sentence that
        was undone last."""
        return self.call(srv.RedoCorrection, correction_ids=correction_ids)

    def corrections(self, *, include_undone: bool = False) -> list[Correction]:
        """The journal, oldest first."""
        response = self.fetch(srv.ListCorrections, include_undone=include_undone)
        return list(response.corrections)

    def set_vocabulary(
        self, labels: Sequence[str], *, timeout_s: float = _EMBEDDING_S
    ) -> srv.SetVocabulary.Response:
        """Set the classes of an open-vocabulary detector; the response has those in force.

        New words may take minutes: the text encoder is loaded, and downloaded the first time.
        """
        return self.call(srv.SetVocabulary, timeout_s, labels=list(labels))

    def scene_graph(self) -> SceneGraph:
        """The current scene graph."""
        return self.fetch(srv.GetSceneGraph).scene_graph

    def mem_tree_json(self, token_budget: int = 8000) -> srv.GetMemTree.Response:
        """MemTree3D as text for a language model; see `json` and `json_reading`."""
        return self.fetch(srv.GetMemTree, token_budget=token_budget, only_json=True)

    def key_frames(
        self,
        question: str = "",
        *,
        object_ids: Sequence[int] = (),
        cue_object_ids: Sequence[int] = (),
        location_ids: Sequence[int] = (),
        count: int = 3,
    ) -> list[KeyFrame]:
        """Stored images that show the given objects, or those that a question names; best first.

        With cues or locations, as a language model picks them from `mem_tree_json`, one image per
        location, as MemTree3D selects.
        """
        response = self.fetch(
            srv.SelectKeyFrames,
            question=question,
            object_ids=list(object_ids),
            cue_object_ids=list(cue_object_ids),
            location_ids=list(location_ids),
            k=count,
        )
        return list(response.key_frames)

    def find(self, words: str, *, count: int = 10) -> srv.FindObjects.Response:
        """Objects by words, best first, with scores and reasons; without a language model."""
        return self.fetch(srv.FindObjects, words=words, count=count)

    def relate(
        self,
        relation: str,
        anchor_ids: Sequence[int] = (),
        *,
        target_ids: Sequence[int] = (),
        viewpoint: Pose | None = None,
    ) -> srv.Relate.Response:
        """Objects in a relation to an anchor; without an anchor, to the agent itself."""
        return self.fetch(
            srv.Relate,
            relation=relation,
            anchor_ids=list(anchor_ids),
            target_ids=list(target_ids),
            **viewpoint_fields(viewpoint),
        )

    def relations(
        self,
        object_id: int,
        anchor_ids: Sequence[int] = (),
        *,
        candidates: Sequence[str] = (),
        viewpoint: Pose | None = None,
    ) -> list[str]:
        """Relations between an object and an anchor; without one, the agent itself."""
        response = self.fetch(
            srv.QueryRelations,
            object_id=object_id,
            anchor_ids=list(anchor_ids),
            candidates=list(candidates),
            **viewpoint_fields(viewpoint),
        )
        return list(response.relations)

    def approach_poses(
        self,
        thing: int | str,
        purpose: str = "look",
        *,
        stand_off_m: float = 0.0,
        robot_radius_m: float = 0.0,
        robot: tuple[float, float] | None = None,
        anywhere: bool = False,
        count: int = 5,
        timeout_s: float | None = None,
    ) -> srv.GetApproachPose.Response:
        """Where to stand to look at a thing or to reach it; the best pose first.

        Args:
            thing: an object's id, or a phrase, which is grounded first.
            purpose: look or reach.
            stand_off_m: from the edge of the footprint to the side of the box; 0: the usual one.
            robot_radius_m: of the footprint; 0: 0.25 m.
            robot: x, y in map_frame; None: where the newest camera pose is.
            anywhere: also poses that the robot has no known way to.

        Raises:
            RosError: NOT_FOUND where no such pose is known.
        """
        x, y = robot or (0.0, 0.0)
        by_name = isinstance(thing, str)
        response = self.call(
            srv.GetApproachPose,
            timeout_s,
            of="reasoning" if by_name else "mapping",
            **({"phrase": thing} if by_name else {"object_id": thing}),
            purpose=purpose,
            stand_off_m=stand_off_m,
            robot_radius_m=robot_radius_m,
            robot=Point(x=x, y=y),
            has_robot=robot is not None,
            anywhere=anywhere,
            k=count,
            timeout=self.limit(timeout_s),
        )
        if not response.success:
            raise RosError(response.error.message, response.error.code)
        return response

    def changes(self, *, since: Time | None = None) -> srv.GetChanges.Response:
        """Changes since a stamp, or since the previous visit: on a first one none, with a note."""
        return self.fetch(srv.GetChanges, since=since or Time())

    def where_was(self, object_id: int, stamp: Time) -> srv.WhereWas.Response:
        """The place of an object at a stamp, by the observations until then."""
        return self.fetch(srv.WhereWas, object_id=object_id, stamp=stamp)

    def correct(self, corrections: Sequence[Correction]) -> list[Correction]:
        """Write entries to the journal, all or none; returns them with their numbers."""
        return list(self.fetch(srv.ApplyCorrections, corrections=list(corrections)).applied)

    def similar(self, correction: Correction, *, count: int = 20) -> srv.FindSimilar.Response:
        """Objects for which a correction of one object may also hold; changes nothing."""
        return self.fetch(srv.FindSimilar, correction=correction, count=count)

    def export_corrections(self) -> str:
        """The journal as text, for `import_corrections` into another map of the same place."""
        return str(self.fetch(srv.ExportCorrections).json)

    def import_corrections(
        self, text: str, *, by: str = "", preview: bool = False
    ) -> srv.ImportCorrections.Response:
        """Replay a journal: its objects are matched by place and properties."""
        return self.fetch(srv.ImportCorrections, json=text, by=by, preview=preview)
