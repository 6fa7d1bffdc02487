"""How models are doing, for diagnostics and people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scenemind.models.errors import FailureKind
from scenemind.models.usage import Usage

READY = "ready"


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """How one model is doing.

    Attributes:
        role: language, vision, or "language and vision".
        model: its name on the server.
        endpoint: its address, or what stands in for it.
        state: `READY`, or why it is not asked now.
        calls: tries so far, those that failed included.
        failures: of these, by kind.
        in_flight, waiting: calls at its endpoint now.
        used_today: by all processes that share the ledger.
        has_price: whether the cost is known.
        trouble: with the ledger; empty: none.
    """

    role: str
    model: str
    endpoint: str
    state: str
    calls: int
    failures: Mapping[FailureKind, int]
    in_flight: int
    waiting: int
    used_today: Usage
    has_price: bool
    trouble: str

    @property
    def is_ready(self) -> bool:
        return self.state == READY
