"""Weights by name, the cache folder, and downloads."""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.weights import (
    DETECTORS,
    ENCODERS,
    KNOWN_WEIGHTS,
    SEGMENTERS,
    cache_root,
    download,
    find_weights,
    get_weights,
    locate_weights,
    weights_folder,
)


def test_cache_folder_is_in_the_home_unless_the_environment_names_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for unset in (None, ""):
        monkeypatch.delenv("SCENEMIND_CACHE", raising=False)
        if unset is not None:
            monkeypatch.setenv("SCENEMIND_CACHE", unset)
        assert cache_root() == tmp_path / ".cache/scenemind"
    monkeypatch.setenv("SCENEMIND_CACHE", "~/elsewhere")
    assert cache_root() == tmp_path / "elsewhere"


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
        """Log nothing to the output of the test."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Address of a running server."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Weights)
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    Weights.released.set()
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture
def server(address: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: ARG001
    """Address of a running server, which may be used."""
    monkeypatch.delenv("SCENEMIND_OFFLINE")
    return address


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
def test_incomplete_download_leaves_nothing(
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


def test_error_without_network_names_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SCENEMIND_OFFLINE")
    target = tmp_path / "weights.pt"
    with pytest.raises(PerceptionError, match=r"refused.*put it at .*weights\.pt"):
        download("http://127.0.0.1:9/weights.pt", target)


def test_full_disk_is_an_error(server: str, tmp_path: Path) -> None:
    # A limit on the size of files stands in for the full disk; it holds for a whole process.
    script = (
        "import resource, sys; from pathlib import Path\n"
        "from scenemind.perception.weights import download\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "download(sys.argv[1], Path(sys.argv[2]))\n"
    )
    command = [sys.executable, "-c", script, f"{server}/good", str(tmp_path / "weights.pt")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "PerceptionError: cannot fetch" in done.stderr
    assert "File too large" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_offline_mode_sends_no_request(
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


NAME = "yolov8s-worldv2.pt"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty home without a network."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SCENEMIND_OFFLINE", "1")
    for name in ("SCENEMIND_WEIGHTS", "SCENEMIND_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"weights")
    return path


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    path = put(tmp_path / "mine" / "own.onnx")
    assert find_weights(str(path)) == path
    with pytest.raises(PerceptionError, match=r"no such file: /.*other\.onnx: name a file"):
        find_weights(str(tmp_path / "other.onnx"))


def test_the_suffix_of_a_torch_model_may_be_left_out(home: Path, tmp_path: Path) -> None:
    stem = NAME.removesuffix(".pt")
    assert locate_weights(stem) == home / ".cache/scenemind/weights" / NAME  # where it will be
    elsewhere = put(tmp_path / "mine" / NAME)
    assert find_weights(str(elsewhere.with_suffix(""))) == elsewhere
    accept(put(home / ".cache/scenemind/weights" / NAME))
    assert find_weights(stem) == weights_folder() / NAME


def test_the_suffix_of_an_exported_model_may_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCENEMIND_WEIGHTS", str(tmp_path / "folder"))
    graph = put(tmp_path / "folder" / "nano.xml")
    assert locate_weights("nano") == graph
    exported = put(tmp_path / "folder" / "nano.onnx")
    assert locate_weights("nano") == exported
    dotted = put(tmp_path / "more" / "yolo11.5n.onnx")
    assert locate_weights("yolo11.5n", more_folders=[tmp_path / "more"]) == dotted
    assert locate_weights(str(tmp_path / "more" / "yolo11.5n")) == dotted


def test_an_unknown_name_gets_what_is_there_and_no_other_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCENEMIND_WEIGHTS", str(tmp_path / "folder"))
    put(tmp_path / "folder" / "nano.onnx")
    put(tmp_path / "folder" / "notes.txt")
    with pytest.raises(PerceptionError, match=r"did you mean nano\.onnx"):
        locate_weights("nano.onx", DETECTORS)
    with pytest.raises(PerceptionError, match=r"on this machine are nano\.onnx; known") as refused:
        locate_weights("unheard of", DETECTORS)
    for other in ("notes", *SEGMENTERS, *ENCODERS):
        assert other not in str(refused.value)
    with pytest.raises(PerceptionError, match=r"no such file.*there are nano\.onnx"):
        locate_weights("big.onnx", DETECTORS)


def accept(path: Path) -> Path:
    """What `--accept-unpinned` leaves beside a file."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(f"{path.name}.sha256").write_text(digest, encoding="ascii")
    return path


def test_a_name_never_means_a_file_of_the_current_folder(tmp_path: Path) -> None:
    """A pickle of such a name, in a folder that somebody sent, would run as a program."""
    put(tmp_path / NAME)
    stem = NAME.removesuffix(".pt")
    for name in (NAME, stem):
        assert locate_weights(name) == weights_folder() / NAME
    assert locate_weights(f"./{stem}").resolve() == tmp_path / NAME
    put(tmp_path / "own.pt")
    put(tmp_path / "own.onnx")
    (tmp_path / "models").mkdir()
    for name in ("own.pt", "own", "own.onnx", "models"):
        with pytest.raises(PerceptionError, match=rf"write \./{name}"):
            locate_weights(name)


def test_a_file_of_the_cache_is_checked_each_time(home: Path) -> None:
    cached = accept(put(home / ".cache/scenemind/weights" / NAME))
    assert find_weights(NAME) == find_weights(str(cached)) == cached
    cached.write_bytes(b"other weights")
    for name in (NAME, str(cached)):
        with pytest.raises(PerceptionError, match=r"instead of.*Remove it"):
            find_weights(name)
    pinned = put(home / ".cache/scenemind/weights/ViT-B-32.pt")
    accept(pinned)
    with pytest.raises(PerceptionError, match=f"instead of {KNOWN_WEIGHTS[pinned.name].sha256}"):
        find_weights(pinned.name)


def test_weights_without_a_published_hash_need_a_word(home: Path) -> None:
    place = home / ".cache/scenemind/weights" / NAME
    with pytest.raises(PerceptionError, match=r"--accept-unpinned.*--sha256"):
        find_weights(NAME)
    put(place)  # also where somebody has put the file there
    with pytest.raises(PerceptionError, match="--accept-unpinned"):
        find_weights(NAME)
    with pytest.raises(PerceptionError, match="instead of"):
        get_weights(NAME, "0" * 64)
    assert get_weights(NAME, accepts_unpinned=True) == find_weights(NAME) == place
    place.with_name(f"{NAME}.sha256").unlink()
    digest = hashlib.sha256(place.read_bytes()).hexdigest()
    assert get_weights(NAME, digest.upper()) == find_weights(NAME) == place


def test_best_detector_of_a_folder_is_taken(tmp_path: Path) -> None:
    with pytest.raises(PerceptionError, match="a folder without a detector"):
        find_weights(str(tmp_path))
    other = put(tmp_path / "other.onnx")
    assert find_weights(str(tmp_path)) == other  # the only one
    put(tmp_path / "third.onnx")
    several = r"other\.onnx, third\.onnx.*known by name.*yolox_nano\.onnx.*name one file"
    with pytest.raises(PerceptionError, match=several):
        find_weights(str(tmp_path))
    nano = put(tmp_path / "yolox_nano.onnx")
    assert find_weights(str(tmp_path)) == nano
    with_masks = put(tmp_path / "yolov8n-seg_deq640.onnx")
    assert find_weights(str(tmp_path)) == with_masks


def test_a_name_is_looked_for_where_the_variable_says_then_at_home(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_home = accept(put(home / ".cache/scenemind/weights" / NAME))
    assert find_weights(NAME) == at_home == weights_folder() / NAME
    monkeypatch.setenv("SCENEMIND_WEIGHTS", str(tmp_path / "folder"))
    assert find_weights(NAME) == at_home
    in_folder = put(tmp_path / "folder" / NAME)
    assert find_weights(NAME) == in_folder
    monkeypatch.setenv("SCENEMIND_WEIGHTS", str(in_folder))
    assert find_weights(NAME) == in_folder


def test_error_of_a_failed_download_names_address_and_place(home: Path) -> None:
    with pytest.raises(PerceptionError) as refused:
        find_weights(NAME)
    assert KNOWN_WEIGHTS[NAME].url in str(refused.value)
    assert str(home / ".cache/scenemind/weights" / NAME) in str(refused.value)


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(PerceptionError, match=r"did you mean yolov8s-worldv2\.pt"):
        find_weights("yolov8s-world.pt")
    with pytest.raises(PerceptionError, match=r"known are .*yoloe-26n-seg\.pt"):
        find_weights("unheard of")


@pytest.mark.parametrize("name", ["yolov8n-seg.onnx", "yoloe-26n-seg.xml"])
def test_a_file_that_is_missing_gets_no_name_of_another(name: str) -> None:
    with pytest.raises(PerceptionError) as refused:
        find_weights(name)
    assert str(refused.value) == (
        f"no such file: {Path(name).absolute()}: name a file that is there, or a model by its name"
    )


def test_addresses_are_safe_and_end_in_the_name() -> None:
    for name, source in KNOWN_WEIGHTS.items():
        address = urlsplit(source.url)
        assert (address.scheme, Path(address.path).name) == ("https", name)
        assert len(source.sha256) in (0, 64)


@pytest.mark.extras
def test_names_are_those_that_ultralytics_publishes() -> None:
    downloads = pytest.importorskip("ultralytics.utils.downloads")
    ours = {name for name, source in KNOWN_WEIGHTS.items() if "ultralytics" in source.url}
    assert ours <= downloads.GITHUB_ASSETS_NAMES
