"""Files of weights by name: on this machine, or fetched once."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scenemind.perception.cache_root import cache_root
from scenemind.perception.download import download
from scenemind.perception.errors import PerceptionError

WEIGHTS_VARIABLE = "SCENEMIND_WEIGHTS"
_ULTRALYTICS = "https://github.com/ultralytics/assets/releases/download/v8.4.0/"
_OPENAI = "https://openaipublic.azureedge.net/clip/models/"


@dataclass(frozen=True, slots=True)
class Source:
    """Where weights come from; `sha256` is "" where the publisher names none."""

    url: str
    sha256: str = ""


def _sources() -> dict[str, Source]:
    names = [f"yolov8{size}-worldv2.pt" for size in "smlx"]
    names += [f"yoloe-11{size}-seg.pt" for size in "sml"]
    names += [f"yoloe-26{size}-seg.pt" for size in "nsmlx"]
    names += ["mobileclip_blt.ts", "mobileclip2_b.ts"]
    clip = "40d365715913c9da98579312b702a82c18be219cc2a73407c4526f58eba950af"
    return {
        **{name: Source(_ULTRALYTICS + name) for name in names},
        "ViT-B-32.pt": Source(f"{_OPENAI}{clip}/ViT-B-32.pt", clip),
    }


# The detectors' and MobileCLIP's are AGPL-3.0 and Apple's licences; CLIP's is MIT.
KNOWN_WEIGHTS: Mapping[str, Source] = _sources()


def default_folder() -> Path:
    """Where fetched weights stay."""
    return cache_root() / "weights"


def find_weights(name_or_path: str) -> Path:
    """A file of weights that is on this machine when this returns.

    A path that exists is taken as it is. A bare name is looked for in `$SCENEMIND_WEIGHTS` (a
    folder, or one file of that name), then in `default_folder()`, then fetched to there.

    Raises:
        PerceptionError: no such file and no such name, or it cannot be fetched; the message names
            the URL and the path to put the file at.
    """
    path = Path(name_or_path).expanduser()
    if path.is_file():
        return path
    if path.name != name_or_path:
        raise PerceptionError(f"there are no weights at {path}")
    for place in _places(name_or_path):
        if place.is_file():
            return place
    source = KNOWN_WEIGHTS.get(name_or_path)
    if source is None:
        raise PerceptionError(f"there are no weights {name_or_path!r}: {_way_out(name_or_path)}")
    target = default_folder() / name_or_path
    download(source.url, target, sha256=source.sha256)
    return target


def _places(name: str) -> list[Path]:
    told = os.environ.get(WEIGHTS_VARIABLE)
    named = Path(told).expanduser() if told else None
    places = [default_folder() / name]
    if named is not None:
        places.insert(0, named if named.name == name else named / name)
    return places


def _way_out(name: str) -> str:
    near = difflib.get_close_matches(name, KNOWN_WEIGHTS, 3)
    known = (
        f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(KNOWN_WEIGHTS)}"
    )
    return f"give the path of a file, or a name that can be fetched: {known}"
