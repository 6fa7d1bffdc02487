"""The one error of this package."""

from __future__ import annotations

from scenemind_interfaces.msg import Error


class RosError(ValueError):
    """A message or request that cannot be used; says which value and the way out.

    Attributes:
        code: the constant of scenemind_interfaces/Error that a service answers with.
    """

    def __init__(self, message: str, code: int = Error.INVALID_REQUEST) -> None:
        super().__init__(message)
        self.code = int(code)
