"""SceneMind for planners and scripts: plain calls that block until the answer is there."""

from __future__ import annotations

from collections.abc import Sequence

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose

from scenemind_interfaces import srv
from scenemind_interfaces.msg import Correction, KeyFrame, SceneGraph
from scenemind_ros.question_caller import QuestionCaller, viewpoint_fields

_EMBEDDING_S = 600.0


class SceneMindClient(QuestionCaller):
    """Calls the services of running nodes.

    It has a ROS context and a thread of its own, so it works in any program, whether that uses
    rclpy or not, also within callbacks of other nodes::

        with SceneMindClient() as scenemind:
            scenemind.wait_ready(30.0)
            answer = scenemind.ask("how many chairs are there?").answer.text

    What answers people (`ask`, `ground`, `align`, `undo`, `redo`, `choose_key_frames`,
    `set_vocabulary`) returns the service's response, which carries `success` and `error`. The
    others return what they fetch.
    All raise RosError when a node is not there (NODE_UNAVAILABLE) or does not respond in time
    (TIMEOUT).
    """

    def undo(self, correction_id: int = -1) -> srv.UndoCorrection.Response:
        """Take back one correction, the newest that stands when no id is given."""
        return self.call(srv.UndoCorrection, correction_id=correction_id)

    def redo(self, correction_id: int = -1) -> srv.RedoCorrection.Response:
        """Let a correction stand again, the one that was undone last when no id is given."""
        return self.call(srv.RedoCorrection, correction_id=correction_id)

    def corrections(self, *, include_undone: bool = False) -> list[Correction]:
        """The journal, oldest first."""
        response = self.fetch(srv.ListCorrections, include_undone=include_undone)
        return list(response.corrections)

    def set_vocabulary(
        self, labels: Sequence[str], *, timeout_s: float = _EMBEDDING_S
    ) -> srv.SetVocabulary.Response:
        """Let an open-vocabulary detector look for these; the response has what it looks for now.

        New words may take minutes: the text encoder is loaded, and the first time fetched.
        """
        return self.call(srv.SetVocabulary, timeout_s, labels=list(labels))

    def scene_graph(self) -> SceneGraph:
        """What is there now, and how it stands."""
        return self.fetch(srv.GetSceneGraph).scene_graph

    def mem_tree_json(self, token_budget: int = 8000) -> srv.GetMemTree.Response:
        """What was seen where, as text for a language model; see `json` and `json_reading`."""
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
        """Stored images that show the objects, or those that a question names; best first.

        With cues or locations, such as a language model picks them from `mem_tree_json`, one image
        a location, as MemTree3D selects.
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
        """Objects by words, best first, with scores and reasons; no sentence, no model."""
        return self.fetch(srv.FindObjects, words=words, count=count)

    def relate(
        self,
        relation: str,
        anchor_ids: Sequence[int] = (),
        *,
        target_ids: Sequence[int] = (),
        viewpoint: Pose | None = None,
    ) -> srv.Relate.Response:
        """Objects that stand in a relation to an anchor; without one, to the agent itself."""
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
        """Which relations hold of an object and an anchor; without one, the agent itself."""
        response = self.fetch(
            srv.QueryRelations,
            object_id=object_id,
            anchor_ids=list(anchor_ids),
            candidates=list(candidates),
            **viewpoint_fields(viewpoint),
        )
        return list(response.relations)

    def changes(self, *, since: Time | None = None) -> srv.GetChanges.Response:
        """What is different since a stamp, or since the visit before this one."""
        return self.fetch(srv.GetChanges, since=since or Time())

    def where_was(self, object_id: int, stamp: Time) -> srv.WhereWas.Response:
        """Where an object was at a stamp, as far as was known then."""
        return self.fetch(srv.WhereWas, object_id=object_id, stamp=stamp)

    def correct(self, corrections: Sequence[Correction]) -> list[Correction]:
        """Write entries to the journal, all or none; they come back with their numbers."""
        return list(self.fetch(srv.ApplyCorrections, corrections=list(corrections)).applied)

    def similar(self, correction: Correction, *, count: int = 20) -> srv.FindSimilar.Response:
        """Objects that a correction of one object may hold for as well; changes nothing."""
        return self.fetch(srv.FindSimilar, correction=correction, count=count)

    def export_corrections(self) -> str:
        """The journal as text, for `import_corrections` into another map of the same place."""
        return str(self.fetch(srv.ExportCorrections).json)

    def import_corrections(
        self, text: str, *, by: str = "", preview: bool = False
    ) -> srv.ImportCorrections.Response:
        """Replay a journal: its objects are found by where they stood and what they are."""
        return self.fetch(srv.ImportCorrections, json=text, by=by, preview=preview)
