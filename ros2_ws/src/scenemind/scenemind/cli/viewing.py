"""Showing a memory in browsers until somebody interrupts: a saved one, and that of nodes."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from scenemind.cli.errors import CommandError
from scenemind.cli.output import progress_console
from scenemind.cli.user import user_name
from scenemind.memory import MemoryAccess
from scenemind.reasoning import Asking
from scenemind.viewer.colored_cloud import ColoredCloud
from scenemind.viewer.http_head import is_local

if TYPE_CHECKING:
    from scenemind.viewer.talk import Answering
    from scenemind.viewer.viewer import Viewer

_COLUMNS = (TextColumn("reading the place"), BarColumn(), MofNCompleteColumn())


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """What is typed of a view.

    Attributes:
        host, port: where to listen; port 0 takes a free one.
        opens_browser: where there is a display.
        most_points: of the cloud.
    """

    host: str
    port: int
    opens_browser: bool
    most_points: int = 500_000

    @property
    def is_local(self) -> bool:
        """Only this machine can come in."""
        return is_local(self.host)


def show_view(
    options: ViewOptions,
    title: str,
    memory: MemoryAccess,
    answering: Answering,
    asking: Callable[[], Asking],
    *,
    look_every_s: float = 0.5,
) -> None:
    """Serve it until an interrupt (Ctrl-C), or until the process is told to end.

    Args:
        title: above the panel.
        answering, asking, look_every_s: see `Viewer`.

    Raises:
        CommandError: viser is not installed.
        ViewerError: nobody can listen there.
        SceneMemoryError: the memory does not answer.
    """
    viewer_class = _viewer_class()
    token = "" if options.is_local else secrets.token_hex(16)
    for ending in (signal.SIGINT, signal.SIGTERM):  # the first is ignored in a script's background
        signal.signal(ending, signal.default_int_handler)
    with (
        suppress(KeyboardInterrupt),
        viewer_class(
            memory,
            answering,
            asking,
            host=options.host,
            port=options.port,
            token=token,
            title=title,
            by=user_name(),
            cloud=ColoredCloud(options.most_points),
            look_every_s=look_every_s,
        ) as viewer,
    ):
        with Progress(*_COLUMNS, console=progress_console(), transient=True) as progress:
            task = progress.add_task("", total=None)
            viewer.start(lambda done, total: progress.update(task, completed=done, total=total))
        address = view_address(options.host, viewer.port, token)
        print(f"{title}: {address}\nCtrl-C ends it.", flush=True)
        if options.opens_browser and has_display():
            webbrowser.open(address)
        threading.Event().wait()


def view_address(host: str, port: int, token: str) -> str:
    """What to type into a browser."""
    name = socket.gethostname() if host in ("0.0.0.0", "::", "") else host
    where = f"[{name}]" if ":" in name else name
    return f"http://{where}:{port}/" + (f"?token={token}" if token else "")


def has_display() -> bool:
    """Somebody sits here: a browser can be opened."""
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _viewer_class() -> type[Viewer]:
    try:
        from scenemind.viewer.viewer import Viewer
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("viser"):
            raise
        raise CommandError(
            "the view needs viser, which is not installed: `pip install viser`, or `make setup`"
        ) from error
    return Viewer
