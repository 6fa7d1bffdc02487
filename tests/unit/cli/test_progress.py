"""Progress of a question, on a terminal and in a log."""

from __future__ import annotations

import io
import re

from rich.console import Console

from scenemind.models import Allowance
from scenemind.reasoning.method import Asking
from scenemind.report.terminal import TerminalProgress, with_progress
from tests.unit.report.made import make_key_frame


def console(*, is_terminal: bool) -> tuple[Console, io.StringIO]:
    written = io.StringIO()
    return Console(file=written, force_terminal=is_terminal, width=100), written


def test_a_log_gets_a_line_a_stage() -> None:
    where, written = console(is_terminal=False)
    progress = TerminalProgress(where)
    with progress.displayed():
        for words in ("I", "I think", "I think so"):
            progress("select", words)
        progress("look", "", [make_key_frame({})])
        progress("answer", "red")
    assert [line.split(" (")[0] for line in written.getvalue().splitlines()] == [
        "select",
        "look, frames 5",
        "answer, frames 5",
    ]


def test_a_terminal_gets_the_newest_words_and_is_left_clean() -> None:
    where, written = console(is_terminal=True)
    progress = TerminalProgress(where)
    with progress.displayed() as live:
        progress("answer", "The chair\x1b[2J is red.")
        live.refresh()
    shown = written.getvalue()
    assert "answer" in shown
    assert "is red." in shown
    assert "\x1b[2J" not in shown  # a model does not clear the screen
    assert shown.endswith("\x1b[2K")  # the shown words are erased


def test_quick_question_shows_no_progress() -> None:
    where, written = console(is_terminal=True)
    with TerminalProgress(where).displayed():
        pass
    assert not re.sub(r"\x1b\[[?0-9]*[a-zA-Z]", "", written.getvalue()).strip()


def test_the_reply_comes_from_a_thread_that_interrupts_do_not_reach() -> None:
    allowance = Allowance(5.0)

    def ask(asking: Asking) -> Allowance:
        asking.progress.report("select")
        return asking.allowance

    assert with_progress(ask, allowance) is allowance
