"""Services and actions of the reasoning node: deadlines, feedback, cancelling."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as StillRunning
from dataclasses import dataclass
from typing import Any, TypeVar

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node

from scenemind.memory import KeyFrame
from scenemind.reasoning.method import ProgressListener
from scenemind.reasoning.query import CANCELLED
from scenemind_interfaces.msg import Error
from scenemind_ros.conversions import evidence_to_msg
from scenemind_ros.errors import RosError, error_of
from scenemind_ros.qos import REQUESTS

Result = TypeVar("Result")
_CANCEL_POLL_S = 0.02
_MAYBE_WRITTEN = "its correction is written or about to be: see ListCorrections"
_CLOSED = "the reasoning node is no longer active"
THREADS = "reasoning"
"""Prefix of the names of its threads."""


@dataclass(eq=False)
class _Job:
    """Work that is waiting or running, for the callers that asked for the same."""

    done: Future[Any]
    cancel: Callable[[], bool]
    callers: int = 0


class BoundedWork:
    """Runner of a limited number of calls at a time; further ones wait for their turn.

    Callers have their own time limits. Those that wait for the same share one call.
    """

    def __init__(self, limit: int, waiting: int) -> None:
        """`limit` calls run at a time, for that many callers and `waiting` more."""
        self._limit, self._most = limit, limit + waiting
        self._pool = ThreadPoolExecutor(limit, thread_name_prefix=THREADS)
        # Guards all below; again on the same thread, where work ends at once.
        self._lock = threading.RLock()
        self._jobs: set[_Job] = set()
        self._shared: dict[Hashable, _Job] = {}
        self._callers = 0

    @property
    def running(self) -> int:
        """Calls that hold a place, including abandoned ones."""
        return min(len(self._jobs), self._limit)

    @property
    def waiting(self) -> int:
        """Calls that wait for a place."""
        return max(0, len(self._jobs) - self._limit)

    def run(
        self,
        work: Callable[[], Result],
        timeout_s: float,
        cancel: Callable[[], bool],
        is_cancelled: Callable[[], bool] | None = None,
        grace_s: float = 0.0,
        same: Hashable = None,
    ) -> Result:
        """Result or exception of `work`.

        Python cannot stop a thread: abandoned work continues, keeps its place until it ends,
        and its result is discarded.

        Args:
            cancel: asks the work to end; False: it is too late, something was written.
            is_cancelled: whether the caller has cancelled; None: it cannot.
            grace_s: time after the timeout for work that ends by itself with a better message.
            same: callers with equal values share work that has not begun; None: nobody does.

        Raises:
            RosError: TIMEOUT, CANCELLED, BUSY when too many are waiting, or NODE_UNAVAILABLE after
                `close`.
        """
        deadline = time.monotonic() + timeout_s + grace_s
        job = self._join(work, cancel, same)
        try:
            while is_cancelled is None or not (is_cancelled() and self._stop(job)):
                left_s = max(0.0, deadline - time.monotonic())
                try:
                    return job.done.result(
                        left_s if is_cancelled is None else min(left_s, _CANCEL_POLL_S)
                    )
                except CancelledError:
                    raise RosError(_CLOSED, Error.NODE_UNAVAILABLE) from None
                except StillRunning:
                    if job.done.done():  # just now, or the work itself raised a TimeoutError
                        return job.done.result()
                    if left_s <= 0.0:
                        raise self._late(job, timeout_s) from None
            raise RosError(CANCELLED.text, Error.CANCELLED)
        finally:
            self._leave(job)

    def close(self, patience_s: float = 0.0) -> bool:
        """Take no more work, and cancel what waits and runs; whether all has ended in time.

        Calls to a memory end by their own time limits.
        """
        with self._lock:
            jobs = list(self._jobs)
        for job in jobs:
            if not job.done.cancel():
                job.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)
        _, running = wait((job.done for job in jobs), patience_s)
        return not running

    def _join(self, work: Callable[[], Any], cancel: Callable[[], bool], same: Hashable) -> _Job:
        with self._lock:
            if self._callers >= self._most:
                raise RosError(
                    f"{self._limit} requests are being answered and {self._most - self._limit} are"
                    " waiting: ask again later, or raise the parameters parallel_requests and"
                    " waiting_requests",
                    Error.BUSY,
                )
            job = self._shared.get(same) if same is not None else None
            # What runs has read the memory already, which may have been corrected since.
            if job is None or job.done.running() or job.done.done():
                try:
                    job = _Job(self._pool.submit(work), cancel)
                except RuntimeError:  # shut down
                    raise RosError(_CLOSED, Error.NODE_UNAVAILABLE) from None
                self._jobs.add(job)
                if same is not None:
                    self._shared[same] = job
                ended = job
                job.done.add_done_callback(lambda _: self._forget(ended, same))
            job.callers += 1
            self._callers += 1
            return job

    def _stop(self, job: _Job) -> bool:
        """Whether a caller may leave: others wait for the same, or nothing was written."""
        with self._lock:
            has_others = job.callers > 1
        return has_others or job.done.cancel() or job.cancel()

    def _late(self, job: _Job, timeout_s: float) -> RosError:
        with self._lock:
            has_begun = job.done.running()
        late = f"no answer within {timeout_s:g} s: give more time, or ask for less"
        if not has_begun:
            late = (
                f"no place was free within {timeout_s:g} s: give more time, or raise the parameter"
                " parallel_requests"
            )
        return RosError(late if self._stop(job) else f"{late}; {_MAYBE_WRITTEN}", Error.TIMEOUT)

    def _leave(self, job: _Job) -> None:
        with self._lock:
            self._callers -= 1
            job.callers -= 1
            is_abandoned = job.callers == 0
        if is_abandoned and not job.done.cancel():
            job.cancel()  # abandoned work ends soon, and frees its place

    def _forget(self, job: _Job, same: Hashable) -> None:
        # A future that is cancelled ends on the thread that cancels it, which holds no lock.
        with self._lock:
            self._jobs.discard(job)
            if same is not None and self._shared.get(same) is job:
                del self._shared[same]


_SHORTEST_S = 0.2  # between two reports of one stage, such as a streamed reply


class ServiceCaller:
    """Caller of a service: it gets only the result, and cannot cancel."""

    can_cancel = False

    def is_cancelled(self) -> bool:
        return False

    @property
    def listener(self) -> ProgressListener | None:
        """Listener to the progress of the work; None without progress reports."""
        return None

    def report(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        """Report progress; see `ProgressListener`."""

    def close(self) -> None:
        """Stop reports: the caller has the result."""


class GoalCaller(ServiceCaller):
    """Sender of an action's goal: it gets feedback on every stage, and may cancel. Thread-safe.

    Reports within a stage are sent a few times a second at most.
    """

    def __init__(
        self,
        goal: ServerGoalHandle,
        feedback: type,
        camera_frame: Callable[[], str],
        context: Context,
    ) -> None:
        """Create the caller of a goal.

        Args:
            feedback: message class of the action, such as `Ask.Feedback`.
            camera_frame: tells the frame_id of key frames.
            context: of the node.
        """
        self._goal = goal
        self._feedback: Any = feedback
        self._camera_frame = camera_frame
        self._context = context
        self._lock = threading.Lock()  # guards all below
        self._stage = ""
        self._step = 0
        self._key_frames: Sequence[KeyFrame] = ()
        self._last_s = 0.0
        self._is_closed = False

    can_cancel = True

    def is_cancelled(self) -> bool:
        return bool(self._goal.is_cancel_requested)

    @property
    def listener(self) -> ProgressListener | None:
        return self.report

    def close(self) -> None:
        with self._lock:
            self._is_closed = True

    def report(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        with self._lock:
            now_s = time.monotonic()
            is_more = stage == self._stage and not key_frames
            if self._is_closed or (is_more and now_s - self._last_s < _SHORTEST_S):
                return
            self._step += stage != self._stage
            self._stage, self._last_s = stage, now_s
            self._key_frames = key_frames or self._key_frames
            evidence = evidence_to_msg(self._key_frames, self._camera_frame(), with_images=False)
            self._publish(
                self._feedback(
                    stage=stage, step=self._step, partial_reasoning=text, evidence=evidence
                )
            )

    def _publish(self, feedback: Any) -> None:
        try:
            self._goal.publish_feedback(feedback)
        except rclpy_implementation.RCLError:
            if self._context.ok():
                raise
            self._is_closed = True  # ROS ended during the work


Handler = Callable[[Any, Any, ServiceCaller], None]


class RequestServers:
    """Services and actions with parallel requests, each on a thread of the node's executor."""

    def __init__(self, node: Node, camera_frame: Callable[[], str]) -> None:
        """`camera_frame` tells the frame_id of key frames, while the node is configured."""
        self._node = node
        self._camera_frame = camera_frame
        self._group = ReentrantCallbackGroup()
        self._actions: list[ActionServer[Any, Any, Any]] = []

    def serve(self, kind: type, name: str, handle: Handler) -> None:
        """Offer a service."""

        def respond(request: Any, response: Any) -> Any:
            self._handle(handle, request, response, ServiceCaller())
            return response

        self._node.create_service(
            kind, name, respond, qos_profile=REQUESTS, callback_group=self._group
        )

    def act(self, kind: Any, name: str, handle: Handler) -> None:
        """Offer an action."""

        def execute(goal: ServerGoalHandle) -> Any:
            result = kind.Result()
            context = self._node.context
            caller = GoalCaller(goal, kind.Feedback, self._camera_frame, context)
            self._handle(handle, goal.request, result, caller)
            if result.success:
                goal.succeed()
            elif result.error.code == Error.CANCELLED:
                goal.canceled()
            else:
                goal.abort()
            return result

        self._actions.append(
            ActionServer(
                self._node,
                kind,
                name,
                execute,
                callback_group=self._group,
                cancel_callback=lambda _: CancelResponse.ACCEPT,
                goal_service_qos_profile=REQUESTS,
                result_service_qos_profile=REQUESTS,
                cancel_service_qos_profile=REQUESTS,
            )
        )

    def close(self) -> None:
        for server in self._actions:
            server.destroy()

    def _handle(self, handle: Handler, request: Any, response: Any, caller: ServiceCaller) -> None:
        """Handle a request; an exception becomes an error code and never ends the node."""
        try:
            handle(request, response, caller)
        except Exception as failure:  # noqa: BLE001 - the edge of the node: answered, bugs logged
            if not self._node.context.ok():
                return  # ROS ended during the work: no reply is possible
            response.success = False
            response.error = error_of(failure, self._node.get_logger())
            if hasattr(response, "answer"):
                response.answer.question = request.question
                response.answer.error = response.error
        finally:
            caller.close()
