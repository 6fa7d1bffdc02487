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
_META = "https://dl.fbaipublicfiles.com/segment_anything/"
_MOBILE_SAM = "https://github.com/ChaoningZhang/MobileSAM/raw/master/weights/"

_SAM = {
    "sam_vit_b_01ec64.pth": "ec2df62732614e57411cdcf32a23ffdf28910380d03139ee0f4fcbe91eb8c912",
    "sam_vit_l_0b3195.pth": "3adcc4315b642a4d2101128f611684e8734c41232a17c648ed1693702a49a622",
    "sam_vit_h_4b8939.pth": "a7bf3b02f3ebf1267aba913ff637d9a2d5c33d3173bb679e46d9f338c26f262e",
}
_MOBILE_SAM_DIGEST = "6dbb90523a35330fedd7f1d3dfc66f995213d81b29a5ca8108dbcdd4e37d6c2f"


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
        **{name: Source(_META + name, digest) for name, digest in _SAM.items()},
        "mobile_sam.pt": Source(_MOBILE_SAM + "mobile_sam.pt", _MOBILE_SAM_DIGEST),
    }


# The detectors' and MobileCLIP's are AGPL-3.0 and Apple's licences; CLIP's is MIT; SAM's and
# MobileSAM's are Apache-2.0.
KNOWN_WEIGHTS: Mapping[str, Source] = _sources()

# Of a folder. Masks give better boxes in the world than boxes do; large inputs find small things.
_PREFERRED = ("yolov8n-seg_deq640.onnx", "yolov8n-seg_int8.onnx", "yolox_nano.onnx")
_WAY_OUT = "give the path of a file that is there, or a name that can be fetched"


def default_folder() -> Path:
    """Where fetched weights stay."""
    return cache_root() / "weights"


def locate_weights(name_or_path: str) -> Path:
    """Where a file of weights is, or will be when `find_weights` has fetched it.

    A path that exists is taken as it is; of a folder, the best of the models that are known by
    name. A bare name is looked for in `$SCENEMIND_WEIGHTS` (a folder, or one file of that name),
    then in `default_folder()`, then among `KNOWN_WEIGHTS`. The suffix .pt may be left out.

    Raises:
        PerceptionError: no such file and no such name; the message says what is near.
    """
    path = Path(name_or_path).expanduser()
    if path.is_dir():
        return _best_of(path)
    spellings = [path] if path.suffix else [path, path.with_name(f"{path.name}.pt")]
    is_name = path.name == name_or_path
    for spelling in spellings:
        for place in [spelling, *(_places(spelling.name) if is_name else [])]:
            if place.is_file():
                return place
    if not is_name:
        raise PerceptionError(f"there are no weights at {path}: {_WAY_OUT}")
    for spelling in spellings:
        if spelling.name in KNOWN_WEIGHTS:
            return default_folder() / spelling.name
    raise PerceptionError(
        f"there are no weights {name_or_path!r}: {_WAY_OUT}: {_near(name_or_path)}"
    )


def find_weights(name_or_path: str) -> Path:
    """A file of weights that is on this machine when this returns; see `locate_weights`.

    Raises:
        PerceptionError: no such file and no such name, or it cannot be fetched; the message names
            the URL and the path to put the file at.
    """
    place = locate_weights(name_or_path)
    if not place.is_file():
        source = KNOWN_WEIGHTS[place.name]
        download(source.url, place, sha256=source.sha256)
    return place


def _best_of(folder: Path) -> Path:
    for name in _PREFERRED:
        if (path := folder / name).is_file():
            return path
    raise PerceptionError(
        f"{folder} is a folder without a detector that is known by name"
        f" ({', '.join(_PREFERRED)}): name one file"
    )


def _places(name: str) -> list[Path]:
    told = os.environ.get(WEIGHTS_VARIABLE)
    named = Path(told).expanduser() if told else None
    places = [default_folder() / name]
    if named is not None:
        places.insert(0, named if named.name == name else named / name)
    return places


def _near(name: str) -> str:
    near = difflib.get_close_matches(name, KNOWN_WEIGHTS, 3)
    return f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(KNOWN_WEIGHTS)}"
