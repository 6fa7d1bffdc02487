"""What a browser says first, and whether it may come in."""

from __future__ import annotations

import hmac
import io
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from http.client import HTTPException, parse_headers
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

_TOKEN = "token"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why somebody may not come in."""

    status: HTTPStatus
    text: str


@dataclass(frozen=True, slots=True)
class Head:
    """The first lines of a request, read.

    Attributes:
        token: what the address names; empty: nothing.
        cookies: name -> value.
        host, origin: of these headers; empty: there is none.
        is_websocket: it wants to talk on.
    """

    token: str
    cookies: dict[str, str]
    host: str
    origin: str
    is_websocket: bool


def read_head(data: bytes) -> Head | Refusal:
    """
    Args:
        data: all up to and with the empty line.
    """
    line, _, rest = data.partition(b"\r\n")
    words = line.decode("latin-1").split(" ")
    if len(words) != 3 or not words[1].startswith("/"):
        return Refusal(HTTPStatus.BAD_REQUEST, "This is not a request that a browser makes.")
    if words[0] != "GET":
        return Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET is served here.")
    try:
        headers = parse_headers(io.BytesIO(rest))
        address = urlsplit(words[1])
        cookies = SimpleCookie(headers.get("Cookie", ""))
    except (HTTPException, CookieError, ValueError):
        return Refusal(HTTPStatus.BAD_REQUEST, "The headers cannot be read.")
    if any(len(headers.get_all(name, [])) > 1 for name in ("Host", "Origin", "Upgrade", "Cookie")):
        return Refusal(HTTPStatus.BAD_REQUEST, "A header is there twice.")
    return Head(
        (parse_qs(address.query).get(_TOKEN) or [""])[0],
        {name: morsel.value for name, morsel in cookies.items()},
        _text(headers, "Host").lower(),
        _text(headers, "Origin").lower(),
        _text(headers, "Upgrade").lower() == "websocket",
    )


def find_refusal(head: Head, token: str, cookie_name: str) -> Refusal | None:
    """Why this request is not let through; None: it is.

    A page of another site may not talk to us through somebody's browser (its `Origin` is another
    one), nor may a name that was made to mean this machine (DNS rebinding). Without a token only
    names of this machine are taken; with one, the cookie is enough: it is sent for one name alone.

    Args:
        token: that is wanted; empty: none is.
    """
    if head.origin and head.origin not in (f"http://{head.host}", f"https://{head.host}"):
        return Refusal(
            HTTPStatus.FORBIDDEN, "A page of another site asked for this, and may not have it."
        )
    if not token:
        if is_local(host_name(head.host)):
            return None
        return Refusal(
            HTTPStatus.FORBIDDEN,
            "This view is for this machine: open it as http://localhost or http://127.0.0.1.",
        )
    if is_same(head.cookies.get(cookie_name, ""), token):
        return None
    return Refusal(
        HTTPStatus.FORBIDDEN,
        "This view wants its token: open the whole address that `scenemind view` has printed.",
    )


def is_same(given: str, token: str) -> bool:
    """In a time that says nothing of where they differ."""
    return hmac.compare_digest(given.encode(), token.encode())


def is_local(name: str) -> bool:
    """A name that nobody else can give to another machine: that of this one, or an address of its
    own."""
    with suppress(ValueError):
        return ip_address(name).is_loopback
    return name == "localhost"


def host_name(host: str) -> str:
    """Without the port; empty where it makes no sense."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _text(headers: Message, name: str) -> str:
    value = headers.get(name, "")
    return str(value).strip()
