"""What all who call one server share."""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.config import ModelsConfig
from scenemind.models.breaker import Breaker
from scenemind.models.gate import Gate
from scenemind.models.status import READY


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Turns at a server, and leaving it alone while it is ill."""

    gate: Gate
    breaker: Breaker

    @classmethod
    def at(cls, where: str, config: ModelsConfig) -> Endpoint:
        """
        Args:
            where: its address, for messages.
        """
        return cls(
            Gate(where, config.parallel_calls, config.requests_per_minute),
            Breaker(where, config.rest_after, config.rest_s),
        )

    @property
    def state(self) -> str:
        """`READY`, or why it is not asked now."""
        held_s = self.gate.held_s
        held = f"wants to be left alone for {held_s:.3g} s" if held_s else ""
        return self.breaker.state or held or READY
