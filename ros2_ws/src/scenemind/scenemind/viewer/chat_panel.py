"""The talk in the browser: what was said, how it is going, and a line to say more."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence

import viser

from scenemind.memory import KeyFrame
from scenemind.viewer.choices import Choice, ChoiceRows, OnChoose, named
from scenemind.viewer.html import bubble, newest_last, shown, small, strip
from scenemind.viewer.marked_picture import thumbnail
from scenemind.viewer.talk import Said

_MOST_TURNS = 30
_SHOWN_STEPS = 12
_SHOWN_FRAMES = 3
_SHOWN_OBJECTS = 8
_HEIGHT = "26vh"
_WAITS = "Others have said something before: yours is answered after that."
_TOO_MANY = "Others have said so much that has no answer yet: say it again in a while."
_HINT = (
    "Ask (“where is the cup?”), correct (“object 3 is a stool”), or click a thing and say what it"
    " is (“this is a toolbox”). “Undo that” takes it back."
)

OnSay = Callable[[str], "int | None"]


class ChatPanel:
    """In a folder of the browser's panel, the same for all who look; each has a line of his own."""

    def __init__(
        self,
        gui: viser.GuiApi,
        on_say: OnSay,
        on_stop: Callable[[], object],
        on_mark: OnChoose,
        on_fly: OnChoose,
    ) -> None:
        """
        Args:
            on_say: gets what was typed; says how many are answered before, or None where it is
                not taken.
            on_mark: gets the id of an object. on_fly: gets the number of a frame.
        """
        self._on_say = on_say
        self._lock = threading.Lock()
        self._turns: deque[str] = deque(maxlen=_MOST_TURNS)
        self._folder = gui.add_folder("Talk")
        with self._folder:
            self._log = gui.add_html("")
            self._stage = gui.add_html("", visible=False)
            self._stop = gui.add_button("Stop", color="red", visible=False)
            self._pictures = gui.add_html("", visible=False)
            self._fly = ChoiceRows(gui, 1, on_fly)
            self._mark = ChoiceRows(gui, 1, on_mark)
        self._stop.on_click(lambda _: on_stop())
        self._show()

    def add_line(self, client: viser.ClientHandle) -> None:
        """Somebody else looks: a line to type in."""
        with self._lock, self._folder:
            form = client.gui.add_form(None)
            with form:
                line = client.gui.add_text("Say", "")
                client.gui.add_button("Send").on_click(lambda _: form.submit())

        def send(_: object) -> None:
            text, line.value = line.value.strip(), ""
            before = self._on_say(text) if text else 0
            if before is None:
                client.add_notification("Not taken", _TOO_MANY, auto_close_seconds=5.0)
            elif before:
                client.add_notification("One moment", _WAITS, auto_close_seconds=5.0)

        form.on_submit(send)

    def add_said(self, text: str) -> None:
        """The person's words, which are being answered now."""
        self._turns.append(bubble(shown(text), is_person=True))
        self._show()

    def add_reply(self, said: Said) -> None:
        self._stop.visible = self._stage.visible = False
        steps = "".join(f"<li>{shown(step)}</li>" for step in said.steps[:_SHOWN_STEPS])
        how = shown(said.how)
        if steps:
            how = f"<details><summary>{how}</summary><ol>{steps}</ol></details>"
        self._turns.append(bubble(shown(said.text), is_person=False) + small(how))
        self._show()
        objects = said.objects[:_SHOWN_OBJECTS]
        self.show_pictures(said.key_frames, [thing.object_id for thing in said.objects])
        about = {named(thing.label, thing.object_id): thing.object_id for thing in objects}
        self._mark.show([Choice("It speaks of", about)])

    def show_pictures(self, frames: Sequence[KeyFrame], object_ids: Sequence[int]) -> None:
        """What an answer rests on."""
        files = [(frame, thumbnail(frame, object_ids)) for frame in frames[:_SHOWN_FRAMES]]
        pictures = [(f"frame {frame.frame_number}", file) for frame, file in files if file]
        self._pictures.visible = bool(pictures)
        self._pictures.content = strip([(file, name) for name, file in pictures])
        numbers = {f"frame {frame.frame_number}": frame.frame_number for frame, f in files if f}
        self._fly.show([Choice("Fly to", numbers)])

    def show_stage(self, stage: str, text: str) -> None:
        """How far an answer has come that takes its time."""
        self._stage.content = small(f"<i>{shown(stage)}…</i> {shown(text[-300:])}")
        self._stage.visible = self._stop.visible = True

    def _show(self) -> None:
        self._log.content = newest_last(tuple(self._turns) or (small(shown(_HINT)),), _HEIGHT)
