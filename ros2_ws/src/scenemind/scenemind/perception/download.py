"""One file from the web to its place, whole or not at all."""

from __future__ import annotations

import hashlib
import http.client
import logging
import os
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from scenemind.perception.errors import PerceptionError

_log = logging.getLogger(__name__)

OFFLINE_VARIABLE = "SCENEMIND_OFFLINE"
_CHUNK = 1 << 20


def download(url: str, target: Path, *, sha256: str = "", timeout_s: float = 30.0) -> None:
    """Fetch a file; it appears at `target` only when all of it has come.

    Another process may fetch the same file meanwhile; the last one to end wins.

    Args:
        url: http or https.
        target: its folder is made.
        sha256: of the whole file in hexadecimal; "" where it is not known.
        timeout_s: longest silence of the other side.

    Raises:
        PerceptionError: no network, `$SCENEMIND_OFFLINE` is set, the other side refuses or stops
            early, another file came, or the disk is full; says where to put the file by hand.
    """
    try:
        if os.environ.get(OFFLINE_VARIABLE):
            raise OSError(f"${OFFLINE_VARIABLE} is set")
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(".part", f"{target.name}.", target.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                digest = _receive(url, file, target.name, timeout_s)
            if sha256 and digest != sha256:
                raise OSError(f"what came has the SHA-256 {digest} instead of {sha256}")
            Path(name).replace(target)
        finally:
            Path(name).unlink(missing_ok=True)
    except (OSError, http.client.HTTPException) as error:
        raise PerceptionError(
            f"cannot fetch {url}: {error}. Fetch it where there is a network and room, and put it"
            f" at {target}"
        ) from error


def _receive(url: str, file: IO[bytes], name: str, timeout_s: float) -> str:
    """Write the answer's body; its SHA-256."""
    digest = hashlib.sha256()
    with urllib.request.urlopen(url, timeout=timeout_s) as response:
        if response.headers.get_content_type() == "text/html":
            raise OSError("a page came instead of a file; does the network ask for a login?")
        size = int(response.headers.get("Content-Length", 0))
        _log.info("fetching %s (%.1f MB)", url, size / 1e6)
        with _progress() as progress:
            task = progress.add_task(name, total=size or None)
            while chunk := response.read(_CHUNK):
                file.write(chunk)
                digest.update(chunk)
                progress.advance(task, len(chunk))
    if size and file.tell() != size:
        raise OSError(f"only {file.tell()} of {size} bytes came")
    return digest.hexdigest()


def _progress() -> Progress:
    """A bar for a person at a terminal; nothing in a log."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = Console(stderr=True)
    is_shown = sys.stderr.isatty()
    return Progress(*columns, TransferSpeedColumn(), console=console, disable=not is_shown)
