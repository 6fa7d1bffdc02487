"""A memory served to browsers until an interrupt: a stored one, and that of running nodes."""

from __future__ import annotations

import os
import signal
import sys
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from scenemind.errors import UsageError, install_line
from scenemind.memory import MemoryAccess
from scenemind.reasoning import Asking
from scenemind.report.terminal import progress_console
from scenemind.untrusted import printable

if TYPE_CHECKING:
    from scenemind.viewer.chat import Answerer
    from scenemind.viewer.viewer import Viewer

_COLUMNS = (TextColumn("reading the place"), BarColumn(), MofNCompleteColumn())


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """Command-line options of a view.

    Attributes:
        host, port: address of the server; port 0 takes a free one.
        opens_browser: open a browser, if there is a display.
        most_points: limit of the points, or of the triangles of the surface.
        by: author of the corrections.
        needs_link: browsers need an address of their own; always so on another address than this
            machine's own.
        surface: draw the place as a surface where Open3D is installed; else as points.
    """

    host: str
    port: int
    opens_browser: bool
    most_points: int = 500_000
    by: str = "a person at the browser"
    needs_link: bool = False
    surface: bool = True


def open_viewer(
    options: ViewOptions,
    title: str,
    memory: MemoryAccess,
    answering: Answerer,
    asking: Callable[[], Asking],
    *,
    poll_s: float = 0.5,
) -> Viewer:
    """A viewer that listens, to be started and closed.

    Args:
        title: above the panel.
        answering, asking, poll_s: see `Viewer`.

    Raises:
        UsageError: viser is not installed.
        ViewerError: the address cannot be listened on.
    """
    try:
        from scenemind.surface import ColoredCloud
        from scenemind.viewer.gate import is_local
        from scenemind.viewer.viewer import Viewer, ViewerSettings
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("viser"):
            raise
        raise UsageError(
            f"the view needs viser, which is not installed: {install_line('view')}"
        ) from error
    needs_link = options.needs_link or not is_local(options.host)
    settings = ViewerSettings(
        options.host,
        options.port,
        needs_link,
        title,
        by=options.by,
        poll_s=poll_s,
        most_triangles=options.most_points if options.surface else 0,
    )
    return Viewer(memory, answering, asking, settings, ColoredCloud(options.most_points))


def show_view(
    options: ViewOptions,
    title: str,
    memory: MemoryAccess,
    answering: Answerer,
    asking: Callable[[], Asking],
    *,
    poll_s: float = 0.5,
) -> None:
    """Serve a memory until an interrupt (Ctrl-C) or a request to end the process, and print where.

    Args: see `open_viewer`.

    Raises:
        UsageError: viser is not installed.
        ViewerError: the address cannot be listened on.
        SceneMemoryError: the memory does not answer.
    """
    for ending in (signal.SIGINT, signal.SIGTERM):  # the first is ignored in a script's background
        signal.signal(ending, signal.default_int_handler)
    with (
        suppress(KeyboardInterrupt),
        open_viewer(options, title, memory, answering, asking, poll_s=poll_s) as viewer,
    ):
        with Progress(*_COLUMNS, console=progress_console(), transient=True) as progress:
            task = progress.add_task("", total=None)
            viewer.start(lambda done, total: progress.update(task, completed=done, total=total))
        address = viewer.make_address()
        viewer.on_new_browser(lambda: _say(f"Next browser: {viewer.make_address()}"))
        _say(f"{title}: {address}\nCtrl-C ends it.")
        if options.opens_browser:
            open_browser(address)
        viewer.wait()


def _say(lines: str) -> None:
    """Print whole lines, also beside other threads: `print` writes a line's end apart."""
    sys.stdout.write(f"{printable(lines)}\n")
    sys.stdout.flush()


def open_browser(address: str) -> None:
    """Open a browser, where there is a display."""
    if has_display():
        webbrowser.open(address)


def has_display() -> bool:
    """Somebody sits here: a browser can be opened."""
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
