"""The one error of this package."""

from __future__ import annotations

from typing import Literal

FailureKind = Literal[
    "no_key",  # none in the environment, and the endpoint needs one
    "unreachable",  # no server there, or it hung up
    "too_late",  # nothing whole before the deadline
    "overloaded",  # the server says: later (429)
    "rejected",  # the server does not take the request (4xx): key, model or request is wrong
    "server_failed",  # 5xx
    "refused",  # the model will not answer
    "bad_reply",  # an answer that is not what was asked for
    "closed",  # by us, while waiting
]


class ModelError(RuntimeError):
    """A model that cannot be asked, or a reply that cannot be used; says which and what to do.

    Attributes:
        kind: for who counts, waits or gives up.
    """

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
