"""One thing to ask of the running nodes, and what came back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from scenemind.memory import KeyFrame

RequestKind = Literal["ask", "ground", "align", "undo"]


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """
    Attributes:
        text: the sentence, or the error's.
        object_ids: what it speaks of, most relevant first.
        detail: how it was reached.
    """

    success: bool
    text: str
    object_ids: tuple[int, ...] = ()
    key_frames: tuple[KeyFrame, ...] = ()
    detail: str = ""


def any_reply(_reply: Reply) -> bool:
    """For where nobody knows the answer: it counts that there is one."""
    return True


@dataclass(frozen=True, slots=True)
class Request:
    """
    Attributes:
        name: what kind of request, for people.
        text: as a person says it; empty for `undo`, which takes back the newest correction.
        expected: a right answer, for people; empty where nobody knows.
        is_right: whether a successful reply is right.
    """

    name: str
    kind: RequestKind
    text: str
    expected: str = ""
    is_right: Callable[[Reply], bool] = any_reply
