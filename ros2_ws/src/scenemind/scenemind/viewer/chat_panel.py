"""The talk in the browser: what was said, how it is going, and a line to say more."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import viser

from scenemind.viewer.html import panel, shown, small
from scenemind.viewer.talk import Said

_MOST_TURNS = 20
_SHOWN_STEPS = 12

OnSay = Callable[[str], object]


class ChatPanel:
    """In a folder of the browser's panel, the same for all who look."""

    def __init__(self, gui: viser.GuiApi, on_say: OnSay) -> None:
        """
        Args:
            on_say: gets what was typed, on a thread of the server.
        """
        self._turns: deque[str] = deque(maxlen=_MOST_TURNS)
        with gui.add_folder("Talk"):
            self._log = gui.add_html("")
            self._stage = gui.add_html("")
            with gui.add_form(None) as form:
                self._input = gui.add_text(
                    "Say", "", hint='such as "where is the cup?" or "this is a toolbox"'
                )
                gui.add_button("Send")
        self._show()

        @form.on_submit
        def _(_: object) -> None:
            text = self._input.value.strip()
            self._input.value = ""
            if text:
                on_say(text)

    def add_said(self, text: str) -> None:
        """The person's words."""
        self._turns.append(panel(f"<b>You:</b> {shown(text)}"))
        self._show()

    def add_reply(self, said: Said) -> None:
        self._stage.content = ""
        steps = "".join(f"<li>{shown(step)}</li>" for step in said.steps[:_SHOWN_STEPS])
        how = f"<details><summary>{shown(said.how)}</summary><ol>{steps}</ol></details>"
        self._turns.append(panel(shown(said.text)) + small(how))
        self._show()

    def show_stage(self, stage: str, text: str) -> None:
        """How far an answer has come."""
        self._stage.content = small(f"… {shown(stage)} {shown(text[-300:])}")

    def _show(self) -> None:
        self._log.content = "".join(self._turns) or small("Ask something, or correct the map.")
