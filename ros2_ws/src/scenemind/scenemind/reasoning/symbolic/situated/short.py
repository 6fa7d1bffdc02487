"""What a short answer is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Short:
    """An answer in a word or two.

    Attributes:
        rows: of the scene: what it rests on; none: it is what is usual, or a guess.
    """

    text: str
    rows: tuple[int, ...] = ()


def yes_or_no(is_so: bool, *rows: int) -> Short:
    """To a claim, with the rows that it rests on."""
    return Short("yes" if is_so else "no", rows)
