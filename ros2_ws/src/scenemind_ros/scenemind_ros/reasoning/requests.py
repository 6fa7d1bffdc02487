"""Questions, phrases and corrections: their answers and topics in the reasoning node."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, TypeVar

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from scenemind.composition import Reasoner
from scenemind.memory import Correction, KeyFrame, MapObject, MemoryAccess, MemorySnapshot
from scenemind.memory.occupancy.approach import ApproachPose
from scenemind.models import Models, ModelStatus, Usage
from scenemind.reasoning import Alignment, Query, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.reasoning.method import Asking, Attempt, Progress, attempt
from scenemind.reasoning.query import check_sentence
from scenemind.reasoning.stored_frames import Selection
from scenemind_interfaces.msg import Answer, Error, SceneObjectArray
from scenemind_interfaces.msg import KeyFrame as KeyFrameMsg
from scenemind_ros.conversions import (
    KEY_FRAMES,
    answer_to_msg,
    box_to_msg,
    check_frame_count,
    correction_to_msg,
    drawn_header,
    evidence_to_msg,
    failure_to_msg,
    fill_selection,
    grounded_objects_to_msg,
    header_to_msg,
    markers_to_msg,
    object_to_markers,
    objects_to_msg,
    query_from_msg,
    timeout_from_msg,
    usage_to_msg,
)
from scenemind_ros.conversions.floor import approach_wish, fill_approach
from scenemind_ros.errors import RosError, diagnostic_status
from scenemind_ros.optional_ros import vision_msgs
from scenemind_ros.parameters import EARLIER_VISIT, ReasoningParameters
from scenemind_ros.qos import LATCHED
from scenemind_ros.reasoning.memory_access import PinnedMemory, RobotMemory
from scenemind_ros.reasoning.serving import BoundedWork, ServiceCaller


class AnswerPublisher:
    """Latched publishers for late subscribers. `~/detections` only if vision_msgs is installed."""

    def __init__(self, node: Node) -> None:
        self._answers = node.create_publisher(Answer, "~/answers", LATCHED)
        self._boxes = node.create_publisher(SceneObjectArray, "~/boxes", LATCHED)
        self._markers = node.create_publisher(MarkerArray, "~/markers", LATCHED)
        self._detections = (
            node.create_publisher(vision_msgs.Detection3DArray, "~/detections", LATCHED)
            if vision_msgs is not None
            else None
        )

    def publish_answer(self, answer: Answer) -> None:
        self._answers.publish(answer)

    def publish_objects(self, things: Sequence[MapObject], stamp: int, frame: str) -> None:
        """Publish the objects of an answer, best first; `stamp` in ns, that of the newest frame."""
        drawn = drawn_header(frame)
        self._boxes.publish(objects_to_msg(things, stamp, frame))
        markers = (marker for thing in things for marker in object_to_markers(thing, drawn))
        self._markers.publish(markers_to_msg(markers, drawn))
        if self._detections is not None and vision_msgs is not None:
            header = header_to_msg(stamp, frame)
            self._detections.publish(_detections_to_msg(vision_msgs, things, header))


def _detections_to_msg(messages: ModuleType, things: Sequence[MapObject], header: Header) -> Any:
    """A vision_msgs/Detection3DArray; `messages` is the module vision_msgs.msg."""
    array = messages.Detection3DArray(header=header)
    for thing in things:
        detection = messages.Detection3D(header=header, id=str(thing.object_id))
        box = box_to_msg(thing.box)
        detection.bbox.center, detection.bbox.size = box.center, box.size
        hypothesis = messages.ObjectHypothesisWithPose()
        hypothesis.hypothesis.class_id = thing.label
        hypothesis.hypothesis.score = float(thing.confidence)
        hypothesis.pose.pose = box.center
        detection.results.append(hypothesis)
        array.detections.append(detection)
    return array


# A model call without time left ends by itself, and something else may answer then.
_GRACE_S = 0.4
Result = TypeVar("Result")


class ReasoningRequests:
    """Handlers of requests: each fills a response; the caller turns exceptions into error codes.

    Thread-safe. Words from people and labels from perception are data: none of them is executed or
    formatted into code.
    """

    def __init__(
        self,
        memory: RobotMemory,
        reasoner: Reasoner,
        parameters: ReasoningParameters,
        publisher: AnswerPublisher,
        world_frame: Callable[[], str],
    ) -> None:
        """`world_frame` tells the frame that the memory's positions are in."""
        self._memory = memory
        self._reasoner = reasoner
        self._parameters = parameters
        self._publisher = publisher
        self._world_frame = world_frame
        self._dialogues = Dialogues(parameters.synergai.dialogues, parameters.synergai.turns)
        self._work = BoundedWork(parameters.parallel_requests, parameters.waiting_requests)

    @property
    def running(self) -> int:
        """Number of requests in work, including abandoned ones that still run."""
        return self._work.running

    @property
    def waiting(self) -> int:
        """Number of requests that wait for a place."""
        return self._work.waiting

    def close(self, patience_s: float = 0.0) -> bool:
        """Cancel what is in work, take no more; whether all of it has ended in time."""
        return self._work.close(patience_s)

    def ask(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """A question (Ask service or action)."""
        query, method = query_from_msg(request), request.method or "auto"
        answer, snapshot = self._reason(
            query,
            lambda memory, asking: self._router(memory).ask(query, method, asking),
            self._timeout_s(request),
            caller,
            _same("ask", query, method, self._timeout_s(request)),
        )
        if self._is_of_earlier_visit():
            answer = answer.of_earlier_visit()
        caller.report("answer", "\n".join(answer.steps), answer.key_frames)
        response.answer = answer_to_msg(answer, snapshot.stamp_ns, self._world_frame())
        response.error = response.answer.error
        response.evidence = self._shown(answer.key_frames, request)
        response.success = answer.failure is None
        self._publisher.publish_answer(response.answer)
        self._publisher.publish_objects(answer.objects, snapshot.stamp_ns, self._world_frame())

    def ground(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """Ground a phrase that refers to objects (Ground service or action)."""
        query, method = query_from_msg(request), request.method or "auto"
        grounding, snapshot = self._reason(
            query,
            lambda memory, asking: self._router(memory).ground(query, method, asking),
            self._timeout_s(request),
            caller,
            _same("ground", query, method, self._timeout_s(request)),
        )
        if self._is_of_earlier_visit():
            grounding = grounding.of_earlier_visit()
        caller.report("answer", grounding.reasoning, grounding.key_frames)
        response.error = failure_to_msg(grounding.failure)
        response.objects = grounded_objects_to_msg(grounding)
        response.reasoning = grounding.reasoning
        response.method = grounding.method
        response.seconds = float(grounding.seconds)
        response.fallback = grounding.fallback
        response.usage = usage_to_msg(grounding.usage)
        response.evidence = self._shown(grounding.key_frames, request)
        response.success = grounding.failure is None
        self._publisher.publish_objects(grounding.objects, snapshot.stamp_ns, self._world_frame())

    def align(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """A sentence that corrects the memory (Align service or action): a cancel comes before or
        after the whole write."""
        query = query_from_msg(request)

        def align(memory: MemoryAccess, asking: Asking) -> tuple[Alignment, int, list[Correction]]:
            done = self._router(memory).align(query, query.by, asking)
            made = set(done.correction_ids)
            journal = self._memory.corrections() if made else []
            edits = [entry for entry in journal if entry.correction_id in made]
            return done, self._memory.snapshot().revision, edits

        # All steps in one slot: a memory in another process answers while the node has free
        # threads.
        (done, revision, edits), _ = self._reason(query, align, self._timeout_s(request), caller)
        caller.report("answer", "\n".join(done.steps))
        response.error = failure_to_msg(done.failure)
        response.response = done.response
        response.success = done.failure is None
        response.revision = int(revision)
        response.edits = [correction_to_msg(entry) for entry in edits]
        response.object_ids = list(done.object_ids)
        response.method = done.method
        response.steps = list(done.steps)
        response.usage = usage_to_msg(done.usage)

    def select_key_frames(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """Frames for a question (SelectKeyFrames service)."""
        k = int(request.k) or KEY_FRAMES
        check_frame_count(k)
        if not request.question.strip() or request.cue_object_ids or request.location_ids:
            raise RosError(
                "key frames are chosen for a question here; frames of given objects and locations"
                " are chosen by the mapping node's service of the same name"
            )
        query = query_from_msg(request)
        name = request.selector or self._reasoner.usual_selector
        start = time.monotonic()

        def select(memory: MemoryAccess, asking: Asking) -> tuple[Attempt[Selection], Usage]:
            def choose() -> Selection:
                check_sentence(query)
                return self._reasoner.selector(name).select(query, memory, k, asking)

            return attempt(name, choose), asking.allowance.used

        (tried, usage), _ = self._reason(query, select, self._timeout_s(request), caller)
        response.selector = name
        response.seconds = time.monotonic() - start
        response.usage = usage_to_msg(usage)
        response.error = failure_to_msg(tried.failure)
        response.success = tried.failure is None
        if tried.reply is not None:
            fill_selection(tried.reply, self._parameters.camera_frame, response)

    def get_approach_pose(self, request: Any, response: Any, caller: ServiceCaller) -> None:
        """Where to stand to look at what a phrase means, or at an object."""
        query = Query(request.phrase or f"object {request.object_id}", policy="strict")

        def choose(memory: MemoryAccess, asking: Asking) -> tuple[MapObject, list[ApproachPose]]:
            snapshot = memory.snapshot()
            if request.phrase:
                found = self._router(memory).ground(query, "auto", asking)
                if found.failure is not None:
                    raise RosError(found.failure.text, failure_to_msg(found.failure).code)
                thing = found.objects[0]
            elif request.object_id in snapshot.objects:
                thing = snapshot.objects[request.object_id]
            else:
                raise RosError(
                    f"there is no object {request.object_id} in the map", Error.NOT_FOUND
                )
            wish = approach_wish(request, snapshot.world_T_camera)
            return thing, self._memory.approach_poses(thing.object_id, *wish)

        (thing, poses), snapshot = self._reason(query, choose, self._timeout_s(request), caller)
        header = header_to_msg(snapshot.stamp_ns, self._world_frame())
        fill_approach(thing, poses, header, response)
        response.success = True
        self._publisher.publish_objects([thing], snapshot.stamp_ns, self._world_frame())

    def _reason(
        self,
        query: Query,
        step: Callable[[MemoryAccess, Asking], Result],
        timeout_s: float,
        caller: ServiceCaller,
        same: Hashable = None,
    ) -> tuple[Result, MemorySnapshot]:
        """Result of a step of reasoning, and the snapshot behind it.

        Args:
            same: what callers with the same question have in common; None: nobody shares it.

        Raises:
            RosError: see `BoundedWork.run`; CANCELLED only if nothing was or will be written.
        """
        allowance = self._reasoner.allowance(timeout_s)

        def work() -> tuple[Result, MemorySnapshot]:
            memory = PinnedMemory(self._memory)
            _check_marked(query, memory.snapshot())
            return step(memory, Asking(allowance, Progress(caller.listener))), memory.snapshot()

        caller.report("reason")
        is_cancelled = caller.is_cancelled if caller.can_cancel else None
        return self._work.run(work, timeout_s, allowance.cancel, is_cancelled, _GRACE_S, same)

    def _router(self, memory: MemoryAccess) -> Router:
        return self._reasoner.router(
            memory, falls_back=self._parameters.falls_back, dialogues=self._dialogues
        )

    def _is_of_earlier_visit(self) -> bool:
        """Whether positions are not in the robot's world, as their frame says."""
        return self._world_frame().endswith(EARLIER_VISIT)

    def _timeout_s(self, request: Any) -> float:
        return timeout_from_msg(request, self._parameters.timeout_s)

    def _shown(self, key_frames: Iterable[KeyFrame], request: Any) -> list[KeyFrameMsg]:
        camera_frame = self._parameters.camera_frame
        return evidence_to_msg(key_frames, camera_frame, with_images=request.evidence_images)


def _same(kind: str, query: Query, method: str, timeout_s: float) -> Hashable:
    """Equal for requests with the same answer; None in a dialogue, where each sentence counts."""
    if query.dialogue_id:
        return None
    pose = None if query.viewpoint is None else query.viewpoint.matrix().tobytes()
    return (kind, method, timeout_s, query.text, query.situation, pose, query.marked_object_ids,
            query.policy, query.by)  # fmt: skip


def _check_marked(query: Query, snapshot: MemorySnapshot) -> None:
    unknown = [i for i in query.marked_object_ids if i not in snapshot.objects]
    if unknown:
        raise RosError(
            f"the request names objects {', '.join(map(str, unknown))}, which the memory does not"
            f" have (it has {len(snapshot.objects)} objects): see QueryObjects and MarkObject",
            Error.MEMORY_REFUSED,
        )


_PERIOD_S = 1.0


class ReasoningDiagnostics:
    """Publisher of one message per second, until closed."""

    def __init__(
        self, node: Node, requests: ReasoningRequests, models: Models, parallel_requests: int
    ) -> None:
        self._node = node
        self._requests = requests
        self._models = models
        self._parallel_requests = parallel_requests
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        # A steady clock also runs if use_sim_time waits for a missing /clock.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(_PERIOD_S, self._publish, clock=steady)

    def close(self) -> None:
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)

    def _publish(self) -> None:
        message = DiagnosticArray(status=list(self._parts()))
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def _parts(self) -> Iterator[DiagnosticStatus]:
        models = self._models.status()
        running, waiting = self._requests.running, self._requests.waiting
        problems = [f"{waiting} wait for a place: raise parallel_requests"] if waiting else []
        limit = self._parallel_requests
        values = {"running": running, "waiting": waiting, "limit": limit, "models": len(models)}
        yield diagnostic_status(self._node, "requests", values, problems)
        for model in models:
            yield self._model(model)

    def _model(self, model: ModelStatus) -> DiagnosticStatus:
        used = model.used_today
        values: dict[str, object] = {
            "model": model.model,
            "endpoint": model.endpoint,
            "calls": model.calls,
            **{f"failed_{kind}": count for kind, count in model.failures.items()},
            "in_flight": model.in_flight,
            "waiting": model.waiting,
            "calls_today": used.calls,
            "prompt_tokens_today": used.prompt_tokens,
            "cached_tokens_today": used.cached_tokens,
            "reply_tokens_today": used.reply_tokens,
        }
        if model.has_price:
            values["cost_today"] = used.cost
        problems = [] if model.is_ready else [model.state]
        problems += [model.trouble] if model.trouble else []
        return diagnostic_status(self._node, f"{model.role} model", values, problems)
