"""The one error of this package."""

from __future__ import annotations

from typing import Literal

from scenemind.errors import SceneMindError
from scenemind.models.usage import NOTHING_USED, Usage

FailureKind = Literal[
    "no_key",  # none in the environment, and the endpoint needs one
    "unreachable",  # no server there, or it hung up, also in the middle of a reply
    "too_late",  # nothing whole before the deadline
    "overloaded",  # the server says: later (429)
    "rejected",  # the server does not take the request (4xx): key, model or request is wrong
    "server_failed",  # 5xx
    "refused",  # the model will not answer
    "bad_reply",  # an answer that is not what was asked for
    "over_budget",  # the tokens or the money of the question or of the day are spent
    "resting",  # it failed so often that it is left alone for a while
    "not_recorded",  # a replay that was asked something else than what was recorded
    "cancelled",  # by who asked
    "closed",  # by us, while waiting
]


class ModelError(SceneMindError, RuntimeError):
    """A model that cannot be asked, or a reply that cannot be used; says which and what to do.

    Attributes:
        kind: for who counts, waits or gives up.
        retry_after_s: how long the server wants to be left alone; None: it does not say.
        usage: of a reply that came and cannot be used: it is paid for as well.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        retry_after_s: float | None = None,
        usage: Usage = NOTHING_USED,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after_s = retry_after_s
        self.usage = usage
