"""Rows of small buttons that come and go: made once, shown where there is something to choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import viser

from scenemind.viewer.html import plain

OnChoose = Callable[[viser.ClientHandle | None, int], object]

_NOTHING = "-"


@dataclass(frozen=True, slots=True)
class Choice:
    """One row.

    Attributes:
        title: beside it, as it is.
        options: what a button says -> what it means.
    """

    title: str
    options: Mapping[str, int]


class ChoiceRows:
    """Where it is made in the panel."""

    def __init__(self, gui: viser.GuiApi, count: int, on_choose: OnChoose) -> None:
        """
        Args:
            count: rows at most; more are left out.
            on_choose: gets who clicked, and what the button means.
        """
        self._shown: list[Choice] = []
        self._rows = [gui.add_button_group("", [_NOTHING], visible=False) for _ in range(count)]
        for place, row in enumerate(self._rows):
            row.on_click(lambda event, place=place: self._choose(event, place, on_choose))

    def show(self, choices: Sequence[Choice]) -> None:
        """These, in place of those before; rows without options are left out."""
        self._shown = [choice for choice in choices if choice.options][: len(self._rows)]
        for place, row in enumerate(self._rows):
            row.visible = place < len(self._shown)
            if row.visible:
                row.label = plain(self._shown[place].title)
                row.options = tuple(self._shown[place].options)

    def _choose(
        self,
        event: viser.GuiEvent[viser.GuiButtonGroupHandle],
        place: int,
        on_choose: OnChoose,
    ) -> None:
        # Both may have changed since the click: then there is nothing to choose any more.
        shown = self._shown
        if place < len(shown) and event.target.value in shown[place].options:
            on_choose(event.client, shown[place].options[event.target.value])


def named(label: str, object_id: int) -> str:
    """What a button says of an object; no two say the same."""
    return f"{plain(label)} {object_id}"
