"""The page of the browser view: its files, pictures of key frames, and a link that tells it what to
show and brings what people do there.

viser serves the 3D view; the rest of the page is `page/`, plain modules of JavaScript. Both go
through one server, and so through one gate. What the page shows are named parts (JSON); a part
that changes before a slow browser took it is sent once, in its newest state. The page makes text
nodes of all words: nothing perceived or typed is HTML.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

import viser
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from scenemind.errors import SceneMindError
from scenemind.viewer.pictures import MOST_BOXED, PICTURE

_FOLDER = "/scenemind/"
_LINK = f"{_FOLDER}link"
_FILES = Path(__file__).parent / "page"
_KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
_OWN_PAGE = (
    f'<link rel="stylesheet" href="{_FOLDER}view.css">'
    f'<script type="module" src="{_FOLDER}main.js"></script></body>'
)
_LONGEST_ACTION = 16_384  # bytes
_MOST_NOTES = 20
Action: TypeAlias = "dict[str, Any]"
Reply: TypeAlias = "Callable[[str, object], None]"
OnAction: TypeAlias = "Callable[[Action, Reply], object]"
OnPicture: TypeAlias = "Callable[[int, list[int]], bytes | None]"


class PageLink:
    """Parts of the page of all its browsers. Thread-safe."""

    def __init__(self, on_action: OnAction, on_picture: OnPicture) -> None:
        """
        Args:
            on_action: called on a thread of its own with what somebody did, such as
                {"do": "mark", "ids": [3]}, which a stranger may have made up; and with a function
                that sends a part to that browser alone.
            on_picture: the JPEG of a frame with boxes around objects; None: there is none.
        """
        self._on_action = on_action
        self._on_picture = on_picture
        self._parts: dict[str, str] = {}
        self._pages: set[_OpenPage] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        build = Path(viser.__file__).parent / "client" / "build" / "index.html"
        page = build.read_text(encoding="utf-8").replace("</body>", _OWN_PAGE, 1)
        page = page.replace("<title>Viser</title>", "<title>SceneMind</title>", 1)
        self._page = page.encode()
        self._packed_page = gzip.compress(self._page)

    def show(self, part: str, value: object) -> None:
        """Show a part in all browsers, also in those that come later."""
        text = json.dumps(value, separators=(",", ":"))
        if self._parts.get(part) == text:
            return
        self._parts[part] = text
        loop = self._loop
        if loop is not None and not loop.is_closed():
            with suppress(RuntimeError):  # it was closed meanwhile
                loop.call_soon_threadsafe(self._tell, part)

    def _tell(self, part: str) -> None:
        for page in self._pages:
            page.add(part)

    async def handle(self, connection: ServerConnection) -> None:
        """Serve the link of one page until it ends."""
        self._loop = asyncio.get_running_loop()
        page = _OpenPage()
        self._pages.add(page)
        for part in list(self._parts):
            page.add(part)
        sending = asyncio.ensure_future(self._send(connection, page))
        try:
            async for message in connection:
                action = _read(message)
                if action is not None:
                    await asyncio.to_thread(self._act, action, page)
        except ConnectionClosed:
            pass
        finally:
            self._pages.discard(page)
            sending.cancel()

    def _act(self, action: Action, page: _OpenPage) -> None:
        loop = self._loop

        def reply(part: str, value: object) -> None:
            assert loop is not None, "actions come over a link"
            loop.call_soon_threadsafe(page.note, part, json.dumps(value))

        try:
            self._on_action(action, reply)
        except SceneMindError as error:
            reply("note", f"That failed: {error}")

    async def _send(self, connection: ServerConnection, page: _OpenPage) -> None:
        with suppress(ConnectionClosed):
            while True:
                await page.changed.wait()
                page.changed.clear()
                while page.waiting or page.notes:
                    if page.notes:
                        part, text = page.notes.popleft()
                    else:
                        part = next(iter(page.waiting))
                        del page.waiting[part]
                        text = self._parts[part]
                    await connection.send(f'{{"part":{json.dumps(part)},"value":{text}}}')

    async def answer(self, request: Request) -> Response | None:
        """The reply to a request for the page, one of its files or a picture; None: it is for
        viser."""
        if request.headers.get("Upgrade") == "websocket":
            return None
        address = urlsplit(request.path)
        if address.path in ("/", "/index.html"):
            return self._index(request)
        if address.path == PICTURE:
            return await self._picture(address.query)
        if not address.path.startswith(_FOLDER):
            return None
        file = _FILES / address.path.removeprefix(_FOLDER)
        if file.parent != _FILES or file.suffix not in _KINDS or not file.is_file():
            return _response(HTTPStatus.NOT_FOUND, b"", "text/plain")
        return _response(HTTPStatus.OK, file.read_bytes(), f"{_KINDS[file.suffix]}; charset=utf-8")

    def _index(self, request: Request) -> Response:
        is_packed = "gzip" in request.headers.get("Accept-Encoding", "")
        body = self._packed_page if is_packed else self._page
        response = _response(HTTPStatus.OK, body, "text/html; charset=utf-8")
        if is_packed:
            response.headers["Content-Encoding"] = "gzip"
        return response

    async def _picture(self, query: str) -> Response:
        asked = parse_qs(query)
        numbers = [n for n in asked.get("frame", []) if n.isdecimal() and len(n) < 10]
        ids = [int(n) for n in asked.get("object", []) if n.isdecimal() and len(n) < 10]
        if len(numbers) != 1:
            return _response(HTTPStatus.BAD_REQUEST, b"", "text/plain")
        picture = await asyncio.to_thread(self._on_picture, int(numbers[0]), ids[:MOST_BOXED])
        if picture is None:
            return _response(HTTPStatus.NOT_FOUND, b"", "text/plain")
        return _response(HTTPStatus.OK, picture, "image/jpeg")


class _OpenPage:
    """What one browser has not been sent yet: names of parts in order, and notes to it alone."""

    def __init__(self) -> None:
        self.waiting: dict[str, None] = {}
        self.notes: deque[tuple[str, str]] = deque(maxlen=_MOST_NOTES)
        self.changed = asyncio.Event()

    def add(self, part: str) -> None:
        self.waiting[part] = None
        self.changed.set()

    def note(self, part: str, text: str) -> None:
        self.notes.append((part, text))
        self.changed.set()


def is_link(request: Request) -> bool:
    """Whether a request opens the link of a page."""
    return urlsplit(request.path).path == _LINK


def _read(message: str | bytes) -> Action | None:
    """An action; None: it is none."""
    if isinstance(message, bytes) or len(message) > _LONGEST_ACTION:
        return None
    try:
        action = json.loads(message)
    except (ValueError, RecursionError):
        return None
    return action if isinstance(action, dict) else None


def _response(status: HTTPStatus, body: bytes, kind: str) -> Response:
    headers = Headers()
    headers["Content-Type"] = kind
    headers["Content-Length"] = str(len(body))
    headers["Cache-Control"] = "no-store"
    headers["X-Content-Type-Options"] = "nosniff"
    return Response(status.value, status.phrase, headers, body)
