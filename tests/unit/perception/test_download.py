"""Real answers of a real server on the loopback: good, cut, refused, silent, wrong."""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.download import download

BODY = bytes(range(256)) * 5000


class Weights(BaseHTTPRequestHandler):
    """`/good`, `/moved`, `/cut` (half), `/unsized`, `/silent`, `/login` (a page), else 404."""

    released = threading.Event()

    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/good")
            self.end_headers()
            return
        if self.path not in ("/good", "/cut", "/unsized", "/silent", "/login"):
            self.send_error(404)
            return
        self.send_response(200)
        if self.path == "/login":
            self.send_header("Content-Type", "text/html; charset=utf-8")
        if self.path != "/unsized":
            self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        if self.path == "/silent":
            self.released.wait(30)
            return
        self.wfile.write(BODY[: len(BODY) // 2] if self.path == "/cut" else BODY)

    def log_message(self, *_: object) -> None:
        """Nothing on the test's output."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a running server."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Weights)
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    Weights.released.set()
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.mark.parametrize("page", ["good", "moved", "unsized"])
def test_a_file_comes_whole_into_a_new_folder(server: str, page: str, tmp_path: Path) -> None:
    target = tmp_path / "new" / "weights.pt"
    download(f"{server}/{page}", target, sha256=hashlib.sha256(BODY).hexdigest())
    assert target.read_bytes() == BODY
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize(
    ("page", "reason"),
    [("cut", f"only {len(BODY) // 2} of {len(BODY)} bytes"), ("missing", "404"),
     ("silent", "timed out"), ("login", "does the network ask for a login")],
)  # fmt: skip
def test_what_does_not_come_whole_leaves_nothing(
    server: str, page: str, reason: str, tmp_path: Path
) -> None:
    target = tmp_path / "weights.pt"
    with pytest.raises(PerceptionError) as refused:
        download(f"{server}/{page}", target, timeout_s=0.2)
    for part in (f"{server}/{page}", reason, f"put it at {target}"):
        assert part in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_another_file_than_the_published_one_is_refused(server: str, tmp_path: Path) -> None:
    (tmp_path / "weights.pt").write_bytes(b"the one before")
    with pytest.raises(PerceptionError, match="SHA-256"):
        download(f"{server}/good", tmp_path / "weights.pt", sha256="0" * 64)
    assert (tmp_path / "weights.pt").read_bytes() == b"the one before"


def test_no_network_is_said_with_the_way_out(tmp_path: Path) -> None:
    target = tmp_path / "weights.pt"
    with pytest.raises(PerceptionError, match=r"refused.*put it at .*weights\.pt"):
        download("http://127.0.0.1:9/weights.pt", target)


def test_a_full_disk_is_said(server: str, tmp_path: Path) -> None:
    # A limit on the size of files stands in for the full disk; it holds for a whole process.
    script = (
        "import resource, sys; from pathlib import Path\n"
        "from scenemind.perception.download import download\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "download(sys.argv[1], Path(sys.argv[2]))\n"
    )
    command = [sys.executable, "-c", script, f"{server}/good", str(tmp_path / "weights.pt")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "PerceptionError: cannot fetch" in done.stderr
    assert "File too large" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_offline_nothing_is_asked(
    server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SCENEMIND_OFFLINE", "1")
    with pytest.raises(PerceptionError, match="SCENEMIND_OFFLINE"):
        download(f"{server}/good", tmp_path / "weights.pt")


def test_a_log_has_one_line_and_no_bar(
    server: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with caplog.at_level(logging.INFO):
        download(f"{server}/good", tmp_path / "weights.pt")
    assert [record.getMessage() for record in caplog.records] == [
        f"fetching {server}/good (1.3 MB)"
    ]
    assert capsys.readouterr().err == ""
