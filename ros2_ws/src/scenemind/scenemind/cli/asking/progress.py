"""What a method is doing, on standard error, while somebody waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from scenemind.cli.output import printable, progress_console
from scenemind.memory import KeyFrame
from scenemind.models import Allowance
from scenemind.reasoning.method import Asking

Result = TypeVar("Result")

_SHOWN_CHARACTERS = 400


def with_progress(ask: Callable[[Asking], Result], allowance: Allowance) -> Result:
    """What `ask` returns, while progress is shown; an interrupt cancels the question."""
    progress = Progress(progress_console())
    # On a thread of its own: an interrupt comes to this one, wherever the question stands.
    with ThreadPoolExecutor(1, "question") as pool, progress.shown():
        asked = pool.submit(ask, Asking(allowance, progress))
        try:
            return asked.result()
        except KeyboardInterrupt:
            allowance.cancel()
            return asked.result()


class Progress:
    """A `Report`: on a terminal the stage with the newest words below it, which go when it ends;
    elsewhere a line for each stage."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage = ""
        self._text = ""
        self._frames: tuple[int, ...] = ()
        self._start_s = time.monotonic()
        self._spinner = Spinner("dots")

    def __call__(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        """See `Report`."""
        begins, self._stage = stage != self._stage, stage
        self._text = printable(text)
        self._frames = tuple(frame.frame_number for frame in key_frames) or self._frames
        if begins and not self._console.is_terminal:
            self._console.print(self._headline())

    def shown(self) -> AbstractContextManager[object]:
        """While this is open."""
        if not self._console.is_terminal:
            return nullcontext()
        return Live(
            console=self._console, get_renderable=self._render, transient=True, refresh_per_second=8
        )

    def _render(self) -> Group | Text:
        if not self._stage:  # what is answered at once shows nothing
            return Text()
        self._spinner.update(text=self._headline())
        return Group(self._spinner, Text(self._text[-_SHOWN_CHARACTERS:], style="dim"))

    def _headline(self) -> Text:
        frames = f", frames {', '.join(map(str, self._frames))}" if self._frames else ""
        seconds = time.monotonic() - self._start_s
        return Text(f"{printable(self._stage)}{frames} ({seconds:.0f} s)")
