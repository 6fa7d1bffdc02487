"""viser with the page of the view, out of reach of other users."""

from __future__ import annotations

import contextlib
import io
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import viser
import websockets.asyncio.server as servers

from scenemind.viewer.page_link import PageLink, is_link


class QuietServer(viser.ViserServer):
    """viser on a Unix socket in a folder of this user alone, without printed output and without
    public tunnels."""

    def __init__(self, label: str, page: PageLink) -> None:
        """
        Args:
            label: the title above the panel.
            page: what is served beside viser's own.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="scenemind-view-")
        self.socket_path = Path(self._folder.name, "viser")
        try:
            with (
                contextlib.redirect_stdout(io.StringIO()),  # viser prints its address
                _serving_at(self.socket_path, page),
            ):
                super().__init__("localhost", 0, label=label, verbose=False)
        except BaseException:
            self._folder.cleanup()
            raise

    def request_share_url(self, verbose: bool = True) -> str | None:  # noqa: ARG002
        """Always None: a browser could otherwise open a public tunnel into this machine."""
        return None

    def stop(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            super().stop()
        self._folder.cleanup()


_OPENING = threading.Lock()


@contextlib.contextmanager
def _serving_at(path: Path, page: PageLink) -> Iterator[None]:
    """Context in which a server of websockets that is asked for a port gets a Unix socket: viser
    knows ports only, and any user of the machine reaches those. It also serves the page."""

    with _OPENING:
        usual = servers.serve

        def serve(handler: Any, host: str, port: int, **options: Any) -> Any:  # noqa: ARG001
            of_viser = options.pop("process_request")

            async def handle(connection: Any) -> None:
                own = is_link(connection.request)
                await (page.handle(connection) if own else handler(connection))

            async def answer(connection: Any, request: Any) -> Any:
                return await page.answer(request) or of_viser(connection, request)

            return usual(handle, unix=True, path=str(path), process_request=answer, **options)

        with mock.patch.object(servers, "serve", serve):
            yield
