"""The gate in front of the browser view: it refuses requests without permission.

Other requests are passed on to viser, which asks for no permission itself and listens on a Unix
socket that only this user reaches.
"""

from __future__ import annotations

import asyncio
import hmac
import io
import logging
import secrets
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from functools import partial
from html import escape
from http import HTTPStatus
from http.client import HTTPException, parse_headers
from ipaddress import ip_address
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from scenemind.errors import SceneMindError

_LINK = "link"  # name of the query parameter
_MOST_LINKS = 32  # that wait to be used; the oldest ones go
_HEAD_BYTES, _HEAD_S = 16_384, 10.0
_COPIED_BYTES = 65_536
# Connections with permission, in all and of one address; beyond it those that were idle longest
# are closed, and of those whose request has not come yet those that wait longest: nobody can lock
# the others out.
_MOST_ADMITTED, _MOST_ADMITTED_OF_ADDRESS = 200, 100
_MOST_WAITING, _MOST_WAITING_OF_ADDRESS = 200, 40
# Pages in which another site may not show this one, to lead a click of its reader.
_FRAMES = frozenset(("iframe", "frame", "embed", "object", "fencedframe"))
_NO_FRAMES = "Content-Security-Policy: frame-ancestors 'none'\r\nX-Frame-Options: DENY\r\n"
_PAGE = (
    "<!doctype html><title>SceneMind</title>"
    '<p style="font:1.1em/1.5 sans-serif;max-width:34em;margin:20vh auto;padding:0 1em">{}</p>\n'
)
_log = logging.getLogger(__name__)
Result = TypeVar("Result")


class ViewerError(SceneMindError, RuntimeError):
    """The view cannot be shown; the message says what to do about it."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reply to a request that is not passed on."""

    status: HTTPStatus
    text: str


@dataclass(frozen=True, slots=True)
class Head:
    """Request line and headers of an HTTP request.

    Attributes:
        link: value of the query parameter `link`; empty where there is none.
        cookies: NAME=VALUE, of all pages of this host name, as they were sent.
        host, origin: values of these headers; empty where there is none.
        shown_in: kind of element that is to show the reply (`Sec-Fetch-Dest`); empty: not said.
        is_websocket: the request asks for an upgrade to a websocket.
    """

    link: str
    cookies: tuple[str, ...]
    host: str
    origin: str
    shown_in: str
    is_websocket: bool


def read_head(data: bytes) -> Head | Refusal:
    """Parse a request.

    Args:
        data: the request up to the empty line, which is included.
    """
    line, _, rest = data.partition(b"\r\n")
    words = line.decode("latin-1").split(" ")
    if len(words) != 3 or not words[1].startswith("/"):
        return Refusal(HTTPStatus.BAD_REQUEST, "This is not an HTTP request of a browser.")
    if words[0] != "GET":
        return Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET is served here.")
    try:
        headers = parse_headers(io.BytesIO(rest))
        address = urlsplit(words[1])
    except (HTTPException, ValueError):
        return Refusal(HTTPStatus.BAD_REQUEST, "The headers cannot be read.")
    if any(len(headers.get_all(name, [])) > 1 for name in ("Host", "Origin", "Upgrade", "Cookie")):
        return Refusal(HTTPStatus.BAD_REQUEST, "A header occurs twice.")
    return Head(
        (parse_qs(address.query).get(_LINK) or [""])[0],
        tuple(part.strip() for part in _text(headers, "Cookie").split(";")),
        _text(headers, "Host").lower(),
        _text(headers, "Origin").lower(),
        _text(headers, "Sec-Fetch-Dest").lower(),
        _text(headers, "Upgrade").lower() == "websocket",
    )


def find_foreign(head: Head) -> Refusal | None:
    """The reason to refuse a request that another site's page made: its `Origin` differs, or it
    shows this one in a frame; None: it is none."""
    if head.shown_in in _FRAMES:
        return Refusal(HTTPStatus.FORBIDDEN, "This view may not be shown inside another page.")
    if head.origin and head.origin not in (f"http://{head.host}", f"https://{head.host}"):
        return Refusal(HTTPStatus.FORBIDDEN, "Pages of other sites may not use this view.")
    return None


def find_refusal(head: Head, cookie: str) -> Refusal | None:
    """The reason to refuse a request of an own page; None: it is passed on.

    Refused are host names that were made to resolve to this machine (DNS rebinding): without a
    cookie only host names of this machine are accepted; with one the cookie suffices, as browsers
    send it to one host name only.

    Args:
        cookie: the required one, NAME=VALUE; empty: none is required.
    """
    if not cookie:
        if is_local(_host_name(head.host)):
            return None
        return Refusal(
            HTTPStatus.FORBIDDEN,
            "This view can only be opened on its own machine: use http://localhost or"
            " http://127.0.0.1.",
        )
    if any(_is_same(given, cookie) for given in head.cookies):
        return None
    return Refusal(
        HTTPStatus.FORBIDDEN,
        "This view needs a link: open the whole address that `scenemind view` printed last. Each"
        " address serves one browser.",
    )


def _is_same(given: str, secret: str) -> bool:
    """Compare in constant time, so that the time does not reveal where they differ."""
    return hmac.compare_digest(given.encode(), secret.encode())


def is_local(name: str) -> bool:
    """Whether a host name always means this machine: localhost, or a loopback address."""
    with suppress(ValueError):
        return ip_address(name).is_loopback
    return name == "localhost"


def _host_name(host: str) -> str:
    """A `Host` header without its port; empty where it is malformed."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _text(headers: Message, name: str) -> str:
    value = headers.get(name, "")
    return str(value).strip()


_TOO_LONG = Refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too long.")
_TOO_LATE = Refusal(HTTPStatus.REQUEST_TIMEOUT, "The headers did not arrive in time.")


class Gate:
    """A proxy from a public address to a hidden server, on a thread of its own."""

    def __init__(self, host: str, port: int, behind: Path, *, needs_link: bool = True) -> None:
        """
        Args:
            host, port: the public address; port 0 takes a free one.
            behind: Unix socket of the hidden server.
            needs_link: the first address that a browser opens must have a link of `make_link`;
                else all browsers and users of this machine are accepted, and no others.

        Raises:
            ViewerError: the public address cannot be used.
        """
        self._behind = behind
        self._cookie = ""  # NAME=VALUE; empty: none is needed
        self._links: list[str] = []  # oldest first
        self._on_used: Callable[[], object] = lambda: None
        self._waiting: dict[asyncio.Task[None], str] = {}  # -> address, in order of arrival
        self._connections: set[asyncio.Task[None]] = set()
        # -> address, and when it last carried anything, s
        self._admitted: dict[asyncio.Task[None], tuple[str, float]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="gate", daemon=True)
        self._thread.start()
        try:
            self._server = self._call(
                asyncio.start_server(
                    self._serve, host, port, limit=_HEAD_BYTES, start_serving=False
                )
            )
            self.port: int = self._server.sockets[0].getsockname()[1]
            # Cookies ignore ports: without the port in its name, two views would share one.
            if needs_link:
                self._cookie = f"scenemind_view_{self.port}={secrets.token_hex(16)}"
            self._call(self._server.start_serving())
        except OSError as error:
            self._end()
            raise ViewerError(
                f"cannot listen on {host}, port {port} ({error.strerror or error}): give another"
                " --port, or 0 for any free one"
            ) from error

    def make_link(self) -> str:
        """A secret that lets one browser in, once; empty where none is needed.

        The address with it may stand in a browser's command line, which all users of a machine can
        read: whoever comes second is refused.
        """
        if not self._cookie:
            return ""
        link = secrets.token_hex(16)
        self._links = [*self._links, link][-_MOST_LINKS:]
        return link

    def on_link_used(self, call: Callable[[], object]) -> None:
        """Call this on the gate's thread whenever a link has let a browser in."""
        self._on_used = call

    def close(self) -> None:
        """End all connections; a second call does nothing."""
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

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "streams call this in a task"
        self._connections.add(task)
        peer = writer.get_extra_info("peername")
        self._waiting[task] = str(peer[0]) if peer else ""
        self._make_room(self._waiting[task])
        try:
            await self._check(task, reader, writer)
        except (OSError, asyncio.IncompleteReadError) as error:
            _log.debug("a browser disconnected: %s", error)
        except asyncio.CancelledError:  # asyncio.streams would log it as an error
            _log.debug("a connection was closed with the view, or to make room")
            writer.transport.abort()  # whoever does not read would keep it open
        finally:
            self._waiting.pop(task, None)
            self._connections.discard(task)
            writer.close()

    def _make_room(self, address: str) -> None:
        """Close those connections that have waited longest, of one address and of all."""
        of_address = [task for task, from_ in self._waiting.items() if from_ == address]
        for task in (
            *of_address[:-_MOST_WAITING_OF_ADDRESS],
            *list(self._waiting)[:-_MOST_WAITING],
        ):
            self._waiting.pop(task, None)
            task.cancel()

    def _admit(self, task: asyncio.Task[None], address: str) -> None:
        """Note a connection with permission; where there are too many, close the idlest one."""
        crowd = [other for other, (from_, _) in self._admitted.items() if from_ == address]
        if len(crowd) < _MOST_ADMITTED_OF_ADDRESS:
            crowd = list(self._admitted) if len(self._admitted) >= _MOST_ADMITTED else []
        if crowd:
            idlest = min(crowd, key=lambda other: self._admitted[other][1])
            del self._admitted[idlest]
            idlest.cancel()
        self._admitted[task] = address, monotonic()

    def _note_use(self, task: asyncio.Task[None]) -> None:
        if task in self._admitted:
            self._admitted[task] = self._admitted[task][0], monotonic()

    async def _check(
        self, task: asyncio.Task[None], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Refuse a request, exchange its link for a cookie, or pass it on."""
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
        elif refusal := find_foreign(head):
            await _refuse(writer, refusal)
        elif self._take_link(head.link):
            await self._set_cookie(writer)
        elif refusal := find_refusal(head, self._cookie):
            await _refuse(writer, refusal)
        else:
            self._admit(task, self._waiting.pop(task, ""))
            try:
                await self._pass_on(data, head, reader, writer, partial(self._note_use, task))
            finally:
                self._admitted.pop(task, None)

    def _take_link(self, given: str) -> bool:
        used = [link for link in self._links if _is_same(given, link)]
        self._links = [link for link in self._links if link not in used]
        return bool(used)

    async def _set_cookie(self, writer: asyncio.StreamWriter) -> None:
        """Give the browser a cookie in exchange for its link."""
        self._on_used()
        cookie = f"{self._cookie}; Path=/; HttpOnly; SameSite=Strict"
        # A strict cookie is not sent with a request that follows a link of another site, therefore
        # the page loads itself again.
        page = '<meta http-equiv="refresh" content="0;url=/">'
        await _reply(writer, HTTPStatus.OK, page, "text/html", f"Set-Cookie: {cookie}\r\n")

    async def _pass_on(
        self,
        data: bytes,
        head: Head,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        on_data: Callable[[], object],
    ) -> None:
        from_server, to_server = await asyncio.open_unix_connection(str(self._behind))
        to_server.write(data)
        copies = []
        try:
            status, _, rest = (await from_server.readuntil(b"\r\n\r\n")).partition(b"\r\n")
            writer.write(b"".join((status, b"\r\n", _NO_FRAMES.encode(), rest)))
            copies.append(asyncio.ensure_future(_copy(from_server, writer, on_data)))
            if head.is_websocket:  # otherwise a connection carries one request
                copies.append(asyncio.ensure_future(_copy(reader, to_server, on_data)))
            await asyncio.wait(copies, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for copy in copies:
                copy.cancel()
            await asyncio.gather(*copies, return_exceptions=True)
            to_server.close()


async def _copy(
    source: asyncio.StreamReader, target: asyncio.StreamWriter, on_data: Callable[[], object]
) -> None:
    while data := await source.read(_COPIED_BYTES):
        target.write(data)
        await target.drain()
        on_data()


async def _refuse(writer: asyncio.StreamWriter, refusal: Refusal) -> None:
    await _reply(writer, refusal.status, _PAGE.format(escape(refusal.text)), "text/html")


async def _reply(
    writer: asyncio.StreamWriter, status: HTTPStatus, body: str, kind: str, more: str = ""
) -> None:
    text = body.encode()
    writer.write(
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {kind}; charset=utf-8\r\n"
        f"Content-Length: {len(text)}\r\nCache-Control: no-store\r\nConnection: close\r\n"
        f"Referrer-Policy: no-referrer\r\n{_NO_FRAMES}{more}\r\n".encode()
        + text
    )
    with suppress(ConnectionError):
        await writer.drain()
