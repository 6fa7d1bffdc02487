"""What a program prints, up to a limit."""

from __future__ import annotations


class TooMuchPrintedError(Exception):
    """Ends the program that prints on."""


class Printed:
    """A print callback that keeps the beginning."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        return "".join(self._parts)[: self._limit]

    @property
    def is_full(self) -> bool:
        return self._length > self._limit

    def __call__(self, _: str, text: str) -> None:
        """
        Raises:
            TooMuchPrintedError: with this text it is more than the limit.
        """
        if not self.is_full:
            self._parts.append(text)
            self._length += len(text)
        if self.is_full:
            raise TooMuchPrintedError(f"more than {self._limit} characters were printed")
