"""One way of answering, tried; and what another one does where a model fails."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from scenemind.memory import SceneMemoryError
from scenemind.models import FailureKind, ModelError
from scenemind.perception import PerceptionError
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.sandbox import SandboxError
from scenemind.reasoning.types import CANCELLED, ErrorCode, ReasoningFailure

_log = logging.getLogger(__name__)

Reply = TypeVar("Reply")

_CODES: dict[FailureKind, ErrorCode] = {
    "too_late": "timeout",
    "over_budget": "budget_exceeded",
}
# How a model fails; other words of the person's do not help.
_BY_MODEL: frozenset[ErrorCode] = frozenset(("timeout", "budget_exceeded", "model_failed"))
# Who replays a recording is to see where it differs.
_FINAL: frozenset[FailureKind] = frozenset(("not_recorded",))


@dataclass(frozen=True, slots=True, eq=False)
class Attempt(Generic[Reply]):
    """
    Attributes:
        method: who tried.
        reply: None where it failed.
        is_broken: it failed by what it needs, such as a model, and not by the question: somebody
            else may answer that.
        fallback: why this method answered in place of another.
    """

    method: str
    reply: Reply | None = None
    failure: ReasoningFailure | None = None
    is_broken: bool = False
    fallback: str = ""


def attempt(method: str, answer: Callable[[], Reply]) -> Attempt[Reply]:
    """The reply, or the failure as a value; a bug is raised."""
    try:
        return Attempt(method, answer())
    except ReasoningError as error:
        # Without a frame there is nothing to look at; the map may know all the same.
        is_broken = error.failure.code == "empty_memory"
        return Attempt(method, failure=error.failure, is_broken=is_broken)
    except ModelError as error:
        if error.kind == "cancelled":
            return Attempt(method, failure=CANCELLED)
        code = _CODES.get(error.kind, "model_failed")
        return _failed(method, code, error, is_broken=error.kind not in _FINAL)
    except PerceptionError as error:
        return _failed(method, "model_failed", error)
    except SandboxError as error:
        return _failed(method, "method_unavailable", error)
    except SceneMemoryError as error:
        return _failed(method, "memory_refused", error)


def in_place_of(broken: Attempt[Reply], other: Attempt[Reply]) -> Attempt[Reply]:
    """What stands where one way broke and another was tried: the other's reply, marked as such; a
    failure with both reasons, where that failed too."""
    assert broken.failure is not None, "only what failed is replaced"
    reason = broken.failure.text
    if other.failure is None:
        _log.info("%s answers instead: %s", other.method, reason)
        return replace(other, fallback=reason)
    code = broken.failure.code
    if code in _BY_MODEL and other.failure.code == "not_understood":
        text = f"{reason.rstrip('.')}; and without a model this question cannot be answered."
        return replace(broken, failure=ReasoningFailure(code, text))
    text = f"{reason.rstrip('.')}. {other.method} has no answer either: {other.failure.text}"
    return replace(
        broken,
        failure=ReasoningFailure(other.failure.code if code == "empty_memory" else code, text),
    )


def _failed(
    method: str, code: ErrorCode, error: Exception, *, is_broken: bool = True
) -> Attempt[Reply]:
    failure = ReasoningFailure(code, f"{method} failed: {error}")
    return Attempt(method, failure=failure, is_broken=is_broken)
