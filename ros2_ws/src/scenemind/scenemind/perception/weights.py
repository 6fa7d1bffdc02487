"""Files of weights by name: found in the cache, or downloaded once, and checked by their hash.

A name means a file of the cache or of `$SCENEMIND_WEIGHTS`, never one of the current folder:
weights can be programs, and the current folder may be anybody's. Files elsewhere are named by their
path, which has a slash.
"""

from __future__ import annotations

import difflib
import hashlib
import logging
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from scenemind.perception.types import PerceptionError

if TYPE_CHECKING:
    from rich.progress import Progress

_log = logging.getLogger(__name__)

CACHE_VARIABLE = "SCENEMIND_CACHE"
OFFLINE_VARIABLE = "SCENEMIND_OFFLINE"
_CHUNK = 1 << 20
EXPORTED = (".onnx", ".xml")  # suffixes of models that run without torch; none is downloaded
# A name without one of these means the first that is there.
_SUFFIXES = (*EXPORTED, ".pt", ".pth", ".ts", ".yaml", ".yml")
_LEFT_OUT = (*EXPORTED, ".pt", ".pth")
WEIGHTS_VARIABLE = "SCENEMIND_WEIGHTS"
_ULTRALYTICS = "https://github.com/ultralytics/assets/releases/download/v8.4.0/"
_OPENAI = "https://openaipublic.azureedge.net/clip/models/"
_META = "https://dl.fbaipublicfiles.com/segment_anything/"
_MOBILE_SAM = "https://github.com/ChaoningZhang/MobileSAM/raw/master/weights/"
_SAM = {
    "sam_vit_b_01ec64.pth": "ec2df62732614e57411cdcf32a23ffdf28910380d03139ee0f4fcbe91eb8c912",
    "sam_vit_l_0b3195.pth": "3adcc4315b642a4d2101128f611684e8734c41232a17c648ed1693702a49a622",
    "sam_vit_h_4b8939.pth": "a7bf3b02f3ebf1267aba913ff637d9a2d5c33d3173bb679e46d9f338c26f262e",
}
_MOBILE_SAM_DIGEST = "6dbb90523a35330fedd7f1d3dfc66f995213d81b29a5ca8108dbcdd4e37d6c2f"
# Preference within a folder: masks give better 3D boxes, and large inputs find small objects.
_PREFERRED = ("yolov8n-seg_deq640.onnx", "yolov8n-seg_int8.onnx", "yolox_nano.onnx")
_REMEDY = "give the path of a file that is there, or a name that can be fetched"
# The longest list of files in an error.
_MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class Source:
    """Download source of weights.

    Attributes:
        sha256: hash of the file in hexadecimal; "" where its publisher gives none.
    """

    url: str
    licence: str
    sha256: str = ""


def _sources(licence: str, root: str, *names: str) -> dict[str, Source]:
    return {name: Source(root + name, licence) for name in names}


_CLIP = "40d365715913c9da98579312b702a82c18be219cc2a73407c4526f58eba950af"
DETECTORS: Mapping[str, Source] = _sources(
    "AGPL-3.0",
    _ULTRALYTICS,
    *(f"yolov8{size}-worldv2.pt" for size in "smlx"),
    *(f"yoloe-11{size}-seg.pt" for size in "sml"),
    *(f"yoloe-26{size}-seg.pt" for size in "nsmlx"),
)
SEGMENTERS: Mapping[str, Source] = {
    **{name: Source(_META + name, "Apache-2.0", digest) for name, digest in _SAM.items()},
    "mobile_sam.pt": Source(_MOBILE_SAM + "mobile_sam.pt", "Apache-2.0", _MOBILE_SAM_DIGEST),
}
ENCODERS: Mapping[str, Source] = {
    **_sources("Apple's, for research", _ULTRALYTICS, "mobileclip_blt.ts", "mobileclip2_b.ts"),
    "ViT-B-32.pt": Source(f"{_OPENAI}{_CLIP}/ViT-B-32.pt", "MIT", _CLIP),
}
KNOWN_WEIGHTS: Mapping[str, Source] = {**DETECTORS, **ENCODERS, **SEGMENTERS}


def find_weights(name_or_path: str, among: Collection[str] = KNOWN_WEIGHTS) -> Path:
    """Path of a file of weights, downloaded where needed; see `locate_weights`.

    Raises:
        PerceptionError: no such file or name, the download failed, or a file of the cache has
            another hash than it should; names the URL and the path for a manual download.
    """
    place = locate_weights(name_or_path, among)
    is_cached = place.parent.resolve() == weights_folder().resolve()
    if is_cached and place.name in KNOWN_WEIGHTS:
        return get_weights(place.name)
    return place


def get_weights(name: str, sha256: str = "", *, accepts_unpinned: bool = False) -> Path:
    """Path of known weights in the cache, downloaded if missing, with their hash checked.

    The hash is the publisher's, the given one, or that of the file when it was accepted.

    Args:
        name: one of `KNOWN_WEIGHTS`.
        sha256: expected hash, where the publisher gives none.
        accepts_unpinned: keep a file without a known hash, and check for changes from then on.

    Raises:
        PerceptionError: no such name, no hash is known, the download failed, or it has another
            hash.
    """
    source = KNOWN_WEIGHTS.get(name)
    if source is None:
        raise PerceptionError(f"there are no weights {name!r}: {_suggestion(name, KNOWN_WEIGHTS)}")
    place = weights_folder() / name
    record = place.with_name(f"{name}.sha256")
    try:
        kept = record.read_text(encoding="ascii").strip() if record.is_file() else ""
        expected = source.sha256 or sha256.lower() or kept
        if not expected and not accepts_unpinned:
            raise PerceptionError(
                f"the publisher of {name} gives no hash, by which it could be told from another"
                f" file: run `scenemind detector get {name} --accept-unpinned`, or with --sha256 if"
                f" you know it (it comes from {source.url} and is kept at {place})"
            )
        if not place.is_file():
            download(source.url, place, sha256=expected)
        digest = hash_of(place)
        if expected and digest != expected:
            raise PerceptionError(
                f"{place} has the SHA-256 {digest} instead of {expected}: it is damaged or another"
                " file. Remove it, and it is fetched anew"
            )
        if not source.sha256 and kept != digest:
            record.write_text(f"{digest}\n", encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise PerceptionError(f"cannot use {place}: {error}") from error
    return place


def hash_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def locate_weights(
    name_or_path: str,
    among: Collection[str] = KNOWN_WEIGHTS,
    more_folders: Sequence[Path] = (),
) -> Path:
    """Path of a file of weights, now or after `find_weights` has downloaded it.

    A path has a slash (or is `.`, `..`, `~`), and is used as it is; of a folder, the best detector
    known by name, or the only one. A name is searched in `$SCENEMIND_WEIGHTS` (a folder, or one
    file of that name), then in `weights_folder()`, then in `more_folders`, then among
    `KNOWN_WEIGHTS`. The suffix .onnx, .xml, .pt or .pth may be left out; the first that is there
    is taken.

    Args:
        among: the known names that an error offers, such as `DETECTORS`.

    Raises:
        PerceptionError: no such file or name; names similar ones, or those that are there.
    """
    path = Path(name_or_path).expanduser()
    is_name = not is_path(name_or_path)
    if path.is_dir() and not is_name:
        return _best_of(path)
    spellings = _spellings(path)
    folders = [*_named_places(), *more_folders]
    for spelling in spellings:
        for place in _candidates(spelling.name, folders) if is_name else [spelling]:
            if place.is_file():
                return place
    here = next((spelling for spelling in spellings if is_name and spelling.exists()), None)
    if here is not None and here.name not in KNOWN_WEIGHTS:
        raise PerceptionError(
            f"a name means weights in {weights_folder()}, where there is no {here.name}: write"
            f" ./{here} for the one that is here"
        )
    if path.suffix in EXPORTED:
        there = f" (there are {', '.join(found)})" if (found := _files_in(folders)) else ""
        raise PerceptionError(
            f"no such file: {path.absolute()}: name a file that is there, or a model by its"
            f" name{there}"
        )
    if not is_name:
        raise PerceptionError(f"there are no weights at {path}: {_REMEDY}")
    for spelling in spellings:
        if spelling.name in KNOWN_WEIGHTS:
            return weights_folder() / spelling.name
    raise PerceptionError(
        f"there are no weights {name_or_path!r}: {_REMEDY}:"
        f" {_suggestion(name_or_path, among, _files_in(folders))}"
    )


def is_path(name_or_path: str) -> bool:
    """Whether it names a file or a folder by its place, not by its name alone."""
    return "/" in name_or_path or name_or_path in ("", ".", "..", "~")


def detectors_in(folder: Path) -> list[str]:
    """Names of the files in a folder that may be detectors, sorted."""
    if not folder.is_dir():
        return []
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.is_file() and (path.suffix in EXPORTED or path.name in DETECTORS)
    )


def _spellings(path: Path) -> list[Path]:
    if path.suffix in _SUFFIXES:
        return [path]
    return [path, *(path.with_name(f"{path.name}{suffix}") for suffix in _LEFT_OUT)]


def _best_of(folder: Path) -> Path:
    there = detectors_in(folder)
    best = next((name for name in _PREFERRED if name in there), None)
    if best is None and len(there) == 1:
        (best,) = there
    if best is not None:
        return folder / best
    found = ", ".join(there[:_MOST_LISTED]) or "no detector"
    raise PerceptionError(
        f"{folder} is a folder with {found}, none of them known by name"
        f" ({', '.join(_PREFERRED)}): name one file"
        if there
        else f"{folder} is a folder without a detector (.onnx, .xml): name one file"
    )


def _named_places() -> list[Path]:
    """Where a name is looked for: folders, or one file."""
    variable = os.environ.get(WEIGHTS_VARIABLE)
    named = [Path(variable).expanduser()] if variable else []
    return [*named, weights_folder()]


def _candidates(name: str, places: Sequence[Path]) -> list[Path]:
    return [place if place.name == name else place / name for place in places]


def _files_in(places: Sequence[Path]) -> list[str]:
    return [name for place in places for name in detectors_in(place)][:_MOST_LISTED]


def _suggestion(name: str, among: Collection[str], here: Sequence[str] = ()) -> str:
    near = difflib.get_close_matches(name, [*here, *among], 3)
    if near:
        return f"did you mean {' or '.join(near)}?"
    there = f"on this machine are {', '.join(here)}; " if here else ""
    return f"{there}known are {', '.join(among)}"


def weights_folder() -> Path:
    """Folder of downloaded weights."""
    return cache_root() / "weights"


def cache_root() -> Path:
    """Folder of recoverable files (weights, word vectors, engines): `$SCENEMIND_CACHE`, else
    `~/.cache/scenemind`; it need not exist."""
    return Path(os.environ.get(CACHE_VARIABLE) or "~/.cache/scenemind").expanduser()


def download(url: str, target: Path, *, sha256: str = "", timeout_s: float = 30.0) -> None:
    """Download a file, which appears at `target` only when it is complete.

    Another process may fetch the same file meanwhile; the last one to end wins.

    Args:
        url: http or https.
        target: path of the file; its folder is created.
        sha256: hash of the file in hexadecimal; "" where unknown.
        timeout_s: longest silence of the server.

    Raises:
        PerceptionError: no network, `$SCENEMIND_OFFLINE` is set, the server refuses or stops
            early, the hash differs, or the disk is full; names the path for a manual download.
    """
    import http.client  # with urllib and rich 0.1 s, for downloads only
    import tempfile

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
    """Write the response's body; returns its SHA-256."""
    import urllib.request

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
    """A progress bar, shown at a terminal only."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TransferSpeedColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = Console(stderr=True)
    is_shown = sys.stderr.isatty()
    return Progress(*columns, TransferSpeedColumn(), console=console, disable=not is_shown)
