"""What a whole run may cost."""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.models import Usage


@dataclass(frozen=True, slots=True)
class Budget:
    """Of all rows together, those that an interrupted run had asked before included.

    Attributes:
        cost: by the configured prices; 0: no limit. tokens: the same.
    """

    cost: float = 0.0
    tokens: int = 0

    def is_spent(self, used: Usage) -> bool:
        return bool(
            (self.cost and used.cost >= self.cost) or (self.tokens and used.tokens >= self.tokens)
        )


NO_BUDGET = Budget()
