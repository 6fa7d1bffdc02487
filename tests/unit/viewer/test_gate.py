"""Access through the gate: real sockets and a server behind it that returns its input."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from scenemind.viewer.gate import Gate, ViewerError
from tests.waiting import wait_until

UPGRADE = ("Connection: Upgrade", "Upgrade: websocket")


class Behind:
    """A server that answers each connection with the whole request, and then echoes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self.asked: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += connection.recv(4096)
            self.asked.append(head)
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nin")
            if b"websocket" in head.lower():
                threading.Thread(target=_echo, args=(connection,), daemon=True).start()
            else:
                connection.close()


def _echo(connection: socket.socket) -> None:
    with connection:
        while data := connection.recv(4096):
            connection.sendall(data)


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Behind]:
    with closing(Behind(tmp_path / "socket")) as behind:
        yield behind


@pytest.fixture
def open_gate(behind: Behind) -> Iterator[Gate]:
    with closing(Gate("127.0.0.1", 0, behind.path, needs_link=False)) as gate:
        yield gate


@pytest.fixture
def guarded(behind: Behind) -> Iterator[Gate]:
    with closing(Gate("127.0.0.1", 0, behind.path)) as gate:
        yield gate


def ask(gate: Gate, path: str = "/", *headers: str, host: str = "localhost") -> str:
    """The whole response to one request."""
    lines = (f"GET {path} HTTP/1.1", *([f"Host: {host}:{gate.port}"] if host else []), *headers)
    return send(gate, "\r\n".join((*lines, "", "")).encode())


def send(gate: Gate, data: bytes) -> str:
    with socket.create_connection(("127.0.0.1", gate.port), 30.0) as connection:
        connection.sendall(data)
        connection.settimeout(30.0)
        reply = b""
        while not reply.endswith(b"in") and (part := connection.recv(4096)):
            reply += part
    return reply.decode()


def cookie_of(gate: Gate) -> str:
    reply = ask(gate, f"/?link={gate.make_link()}")
    (line,) = (line for line in reply.splitlines() if line.startswith("Set-Cookie: "))
    assert "HttpOnly" in line
    assert "SameSite=Strict" in line
    return "Cookie: " + line.removeprefix("Set-Cookie: ").split(";")[0]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "LocalHost"])
def test_requests_of_this_machine_are_allowed(open_gate: Gate, host: str) -> None:
    assert ask(open_gate, host=host).endswith("in")
    assert ask(open_gate, "/", *UPGRADE, f"Origin: http://{host}:{open_gate.port}", host=host)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::1", "10.0.0.7"])
def test_foreign_host_name_for_this_machine_is_refused(
    open_gate: Gate, behind: Behind, host: str
) -> None:
    assert ask(open_gate, host=host).startswith("HTTP/1.1 403")
    assert behind.asked == []


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:1", "http://["]
)
def test_page_of_another_site_is_refused(open_gate: Gate, behind: Behind, origin: str) -> None:
    assert ask(open_gate, "/", *UPGRADE, f"Origin: {origin}").startswith("HTTP/1.1 403")
    assert behind.asked == []


@pytest.mark.parametrize("more", [(), UPGRADE])
def test_requests_without_a_link_are_refused(
    guarded: Gate, behind: Behind, more: tuple[str, ...]
) -> None:
    link = guarded.make_link()
    for headers in ((), ("Cookie: scenemind_view=1",), (f"Cookie: other={link}",)):
        reply = ask(guarded, "/", *more, *headers, host="robot")
        assert reply.startswith("HTTP/1.1 403")
        assert "link" in reply
    for wrong in (link[:-1], f"{link}é", ""):
        assert ask(guarded, f"/?link={wrong}", *more).startswith("HTTP/1.1 403")
    assert behind.asked == []


def test_a_link_gives_one_browser_a_cookie(guarded: Gate, behind: Behind) -> None:
    used: list[str] = []
    guarded.on_link_used(lambda: used.append("once"))
    link, other = guarded.make_link(), guarded.make_link()
    cookie = cookie_of(guarded)
    assert behind.asked == []  # the page opens itself again, without the link in its address
    assert link not in cookie
    assert ask(guarded, "/", cookie, host="robot").endswith("in")
    assert ask(guarded, "/", cookie, *UPGRADE, host="robot").endswith("in")
    assert len(behind.asked) == 2
    assert "Set-Cookie" in ask(guarded, f"/?link={link}")
    assert ask(guarded, f"/?link={link}").startswith("HTTP/1.1 403")
    assert "Set-Cookie" in ask(guarded, f"/?link={other}")
    assert len(used) == 3


def test_a_link_in_another_page_is_not_used_up(guarded: Gate) -> None:
    link = guarded.make_link()
    for header in ("Origin: http://evil.example", "Sec-Fetch-Dest: iframe"):
        assert ask(guarded, f"/?link={link}", header).startswith("HTTP/1.1 403")
    assert "Set-Cookie" in ask(guarded, f"/?link={link}")


@pytest.mark.parametrize("odd", ["x@y=[1]", "a[b=1", "=", "a", "scenemind_view=evil", "é=ü"])
def test_cookies_of_other_pages_of_this_machine_lock_nobody_out(
    open_gate: Gate, guarded: Gate, odd: str
) -> None:
    """Browsers send the cookies of all ports of a host name, and of any syntax."""
    cookie = cookie_of(guarded)
    fixed = f"{cookie.removeprefix('Cookie: ').partition('=')[0]}=evil"
    for other in (odd, fixed):
        assert ask(guarded, "/", f"Cookie: {other}", host="robot").startswith("HTTP/1.1 403")
        assert ask(guarded, "/", f"{cookie}; {other}", host="robot").endswith("in")
        assert ask(guarded, "/", cookie.replace(": ", f": {other}; "), host="robot").endswith("in")
        assert ask(open_gate, "/", f"Cookie: {other}").endswith("in")


def test_a_link_that_comes_many_times_at_once_lets_one_in(guarded: Gate) -> None:
    link = guarded.make_link()
    with ThreadPoolExecutor(20) as pool:
        replies = list(pool.map(lambda _: ask(guarded, f"/?link={link}"), range(20)))
    assert sum("Set-Cookie" in reply for reply in replies) == 1


def test_no_page_may_show_the_view_inside_itself(open_gate: Gate, behind: Behind) -> None:
    for reply in (ask(open_gate), ask(open_gate, host="evil.example")):
        head, _, _ = reply.partition("\r\n\r\n")
        assert "Content-Security-Policy: frame-ancestors 'none'" in head
        assert "X-Frame-Options: DENY" in head
    asked = len(behind.asked)
    for element in ("iframe", "frame", "embed", "object"):
        reply = ask(open_gate, "/", f"Sec-Fetch-Dest: {element}", "Sec-Fetch-Site: cross-site")
        assert reply.startswith("HTTP/1.1 403")
    assert len(behind.asked) == asked
    assert ask(open_gate, "/", "Sec-Fetch-Dest: document").endswith("in")


def test_idle_connections_do_not_lock_the_owner_out(guarded: Gate) -> None:
    cookie = cookie_of(guarded)
    address = "127.0.0.1", guarded.port
    with ExitStack() as idle:
        first = idle.enter_context(socket.create_connection(address, 30.0))
        for _ in range(250):
            idle.enter_context(socket.create_connection(address, 30.0)).sendall(b"GET / HT")
        assert ask(guarded, "/", cookie).endswith("in")
        assert first.recv(1) == b""  # those that wait longest are closed
        assert len(guarded._connections) < 100


def test_idle_connections_with_permission_make_room_for_the_owner(open_gate: Gate) -> None:
    head = "\r\n".join(("GET / HTTP/1.1", f"Host: localhost:{open_gate.port}", *UPGRADE, "", ""))
    with ExitStack() as idle:
        talking = _websocket(idle, open_gate, head)
        first = _websocket(idle, open_gate, head)
        for _ in range(120):
            talking.sendall(b"x")
            assert talking.recv(1) == b"x"
            _websocket(idle, open_gate, head)
        assert ask(open_gate).endswith("in")
        assert first.recv(1) == b""  # those that are idle longest are closed
        talking.sendall(b"y")
        assert talking.recv(1) == b"y"
        assert len(open_gate._connections) <= 101


def _websocket(opened: ExitStack, gate: Gate, head: str) -> socket.socket:
    """A connection that was let through, and has been answered."""
    connection = opened.enter_context(socket.create_connection(("127.0.0.1", gate.port), 30.0))
    connection.sendall(head.encode())
    reply = b""
    while not reply.endswith(b"in"):
        reply += connection.recv(4096)
    return connection


def test_the_cookie_is_of_no_use_to_another_site(guarded: Gate, behind: Behind) -> None:
    reply = ask(guarded, "/", cookie_of(guarded), *UPGRADE, "Origin: http://evil.example")
    assert reply.startswith("HTTP/1.1 403")
    assert behind.asked == []


def test_websocket_carries_data_both_ways(open_gate: Gate) -> None:
    lines = ("GET / HTTP/1.1", f"Host: localhost:{open_gate.port}", *UPGRADE, "", "")
    with socket.create_connection(("127.0.0.1", open_gate.port), 30.0) as connection:
        connection.sendall("\r\n".join(lines).encode())
        stream = connection.makefile("rwb")
        head = stream.readline()
        while line := stream.readline().strip():
            head += line
        assert (head[:15], stream.read(2)) == (b"HTTP/1.1 200 OK", b"in")
        for _ in range(3):
            sent = bytes(range(256)) * 1000
            stream.write(sent)
            stream.flush()
            assert stream.read(len(sent)) == sent


def test_bytes_after_a_plain_request_are_not_forwarded(open_gate: Gate, behind: Behind) -> None:
    first = f"GET / HTTP/1.1\r\nHost: localhost:{open_gate.port}\r\n\r\n".encode()
    send(open_gate, first + b"GET /second HTTP/1.1\r\n\r\n")
    assert behind.asked == [first]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"),
        (b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"),
        (b"\x16\x03\x01\x02\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", "431"),
        (b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 200 + b"\r\n", "400"),
    ],
)
def test_requests_that_no_browser_sends_are_refused(
    open_gate: Gate, behind: Behind, data: bytes, status: str
) -> None:
    assert send(open_gate, data).startswith(f"HTTP/1.1 {status} ")
    assert behind.asked == []


def test_closing_ends_connections_and_twice_is_once(behind: Behind) -> None:
    gate = Gate("127.0.0.1", 0, behind.path)
    with socket.create_connection(("127.0.0.1", gate.port), 30.0) as connection:
        connection.sendall(b"GET / HTTP")
        wait_until(lambda: gate._connections)
        gate.close()
        gate.close()
        assert connection.recv(1) == b""


def test_error_names_a_port_in_use(open_gate: Gate, behind: Behind) -> None:
    with pytest.raises(ViewerError, match=f"port {open_gate.port}.*--port"):
        Gate("127.0.0.1", open_gate.port, behind.path)
