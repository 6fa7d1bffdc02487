"""The door of the browser view: who may not look is told why, all others talk to viser.

viser asks nobody for anything, and any page in a browser on this machine may open a WebSocket to
it. So it listens where nobody looks (see `server`), and this stands in front.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from html import escape
from http import HTTPStatus
from typing import Any, TypeVar

from scenemind.viewer.errors import ViewerError
from scenemind.viewer.http_head import Head, Refusal, find_refusal, is_same, read_head

_log = logging.getLogger(__name__)

_HEAD_BYTES, _HEAD_S = 16_384, 10.0
_COPIED_BYTES = 65_536
_MOST_CONNECTIONS = 200
_TOO_MANY = Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "Too many look already: try again later.")
_TOO_LONG = Refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too long.")
_TOO_LATE = Refusal(HTTPStatus.REQUEST_TIMEOUT, "The headers did not come in time.")

_PAGE = (
    "<!doctype html><title>SceneMind</title>"
    '<p style="font:1.1em/1.5 sans-serif;max-width:34em;margin:20vh auto;padding:0 1em">{}</p>\n'
)

Result = TypeVar("Result")


class Gate:
    """Lets browsers through to another address of this machine. On a thread of its own."""

    def __init__(self, host: str, port: int, behind: tuple[str, int], token: str = "") -> None:
        """
        Args:
            host, port: where to listen; port 0 takes a free one.
            behind: host and port of who is behind.
            token: that addresses must name once; empty: only browsers of this machine come in.

        Raises:
            ViewerError: nobody can listen there.
        """
        self._behind = behind
        self._token = token
        self._connections: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="gate", daemon=True)
        self._thread.start()
        try:
            self._server = self._call(
                asyncio.start_server(self._meet, host, port, limit=_HEAD_BYTES, start_serving=False)
            )
            self.port: int = self._server.sockets[0].getsockname()[1]
            # Cookies know no ports, so that two views on one machine would take each other's.
            self._cookie = f"scenemind_view_{self.port}"
            self._call(self._server.start_serving())
        except OSError as error:
            self._end()
            raise ViewerError(
                f"nobody can listen on {host}, port {port} ({error.strerror or error}): say another"
                " --port, or 0 for any that is free"
            ) from error

    @property
    def connection_count(self) -> int:
        """How many are open."""
        return len(self._connections)

    def close(self) -> None:
        """All connections end; the second call does nothing."""
        if not self._loop.is_closed():
            self._call(self._stop())
            self._end()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _call(self, step: Coroutine[Any, Any, Result]) -> Result:
        done: Future[Result] = asyncio.run_coroutine_threadsafe(step, self._loop)
        return done.result()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _stop(self) -> None:
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "streams call this in a task"
        self._connections.add(task)
        try:
            await self._let_in(reader, writer)
        except (OSError, asyncio.IncompleteReadError) as error:
            _log.debug("a browser has left: %s", error)  # as browsers do
        except asyncio.CancelledError:
            _log.debug("a connection is closed with the view")  # streams would log it as an error
        finally:
            self._connections.discard(task)
            writer.close()

    async def _let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) > _MOST_CONNECTIONS:
            await _refuse(writer, _TOO_MANY)
            return
        try:
            data = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _HEAD_S)
        except asyncio.LimitOverrunError:
            await _refuse(writer, _TOO_LONG)
            return
        except asyncio.TimeoutError:
            await _refuse(writer, _TOO_LATE)
            return
        head = read_head(data)
        if isinstance(head, Refusal):
            await _refuse(writer, head)
        elif self._token and is_same(head.token, self._token):
            await self._give_cookie(writer)
        elif refusal := find_refusal(head, self._token, self._cookie):
            await _refuse(writer, refusal)
        else:
            await self._connect(data, head, reader, writer)

    async def _give_cookie(self, writer: asyncio.StreamWriter) -> None:
        """The token leaves the address, where people would copy it from and history keeps it."""
        cookie = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict"
        # A cookie that is strict is not sent with what another site's link leads to, so the page
        # opens itself once more.
        page = '<meta http-equiv="refresh" content="0;url=/">'
        await _reply(writer, HTTPStatus.OK, page, "text/html", f"Set-Cookie: {cookie}\r\n")

    async def _connect(
        self, data: bytes, head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        answers, questions = await asyncio.open_connection(*self._behind)
        questions.write(data)
        ways = [asyncio.ensure_future(_copy(answers, writer))]
        if head.is_websocket:  # else one request is one connection
            ways.append(asyncio.ensure_future(_copy(reader, questions)))
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            questions.close()


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(_COPIED_BYTES):
        target.write(data)
        await target.drain()


async def _refuse(writer: asyncio.StreamWriter, refusal: Refusal) -> None:
    await _reply(writer, refusal.status, _PAGE.format(escape(refusal.text)), "text/html")


async def _reply(
    writer: asyncio.StreamWriter, status: HTTPStatus, body: str, kind: str, more: str = ""
) -> None:
    text = body.encode()
    writer.write(
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {kind}; charset=utf-8\r\n"
        f"Content-Length: {len(text)}\r\nCache-Control: no-store\r\nConnection: close\r\n"
        f"Referrer-Policy: no-referrer\r\n{more}\r\n".encode()
        + text
    )
    with suppress(ConnectionError):
        await writer.drain()
