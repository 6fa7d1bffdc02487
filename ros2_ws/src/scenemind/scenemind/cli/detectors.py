"""Commands about detectors: `scenemind detector`, `segmenter` and `vocabulary`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from scenemind.cli.live import run_live
from scenemind.cli.options import AsJson, ConfigFile, load_settings
from scenemind.errors import UsageError
from scenemind.perception.text import (
    EmbeddingCache,
    checked_vocabulary,
    default_vocabulary,
    import_vectors,
    make_text_encoder,
    read_vocabulary,
)
from scenemind.perception.weights import KNOWN_WEIGHTS, get_weights, weights_folder
from scenemind.report.terminal import make_table, print_json, print_table
from scenemind.untrusted import read_regular, say

_YOLOX = "https://github.com/Megvii-BaseDetection/YOLOX/releases/download/0.1.1rc0/yolox_s.onnx"
_detector_app = typer.Typer(
    no_args_is_help=True,
    help="Get weights, and make detectors ready to run without torch.",
    epilog=f"A detector to start with: curl -LO {_YOLOX} (Apache-2.0, boxes), then --detector"
    " ./yolox_s.onnx. Those that look for words: scenemind detector get. Others: the page"
    " Detectors of the documentation (docs/detectors.md).",
)


@_detector_app.callback()
def _detector() -> None:
    """Get weights, and make detectors ready to run without torch."""


@_detector_app.command("get", epilog="Example: scenemind detector get yoloe-26n-seg")
def _get(
    name: Annotated[
        str | None, typer.Argument(help="Weights by name; without one all are listed.")
    ] = None,
    sha256: Annotated[
        str, typer.Option("--sha256", help="Their hash, where the publisher gives none.")
    ] = "",
    accepts_unpinned: Annotated[
        bool,
        typer.Option(
            "--accept-unpinned",
            help="Take a file whose publisher gives no hash, and notice later changes only.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Download weights of detectors, segmenters and encoders, or list them: source, licence, hash,
    and whether they are here."""
    if name is not None:
        known = next((n for n in (name, f"{name}.pt") if n in KNOWN_WEIGHTS), name)
        if sha256 and not re.fullmatch(r"[0-9a-fA-F]{64}", sha256):
            raise UsageError(f"--sha256 {sha256!r} is no SHA-256 of 64 hexadecimal digits")
        get_weights(known, sha256, accepts_unpinned=accepts_unpinned)
    rows = [_row_of(n) for n in KNOWN_WEIGHTS if name is None or n == known]
    if as_json:
        print_json({"weights": rows} if name is None else rows[0])
        return
    if name is not None:
        for key, value in rows[0].items():
            say(f"{key}: {value or '-'}")
        return
    table = make_table("name", "licence", "SHA-256", "here")
    for row in rows:
        digest = str(row["sha256"])[:16] or "not published"
        table.add_row(row["name"], row["licence"], digest, "yes" if row["path"] else "no")
    print_table(table)
    say(f"They are kept in {weights_folder()}")


def _row_of(name: str) -> dict[str, str]:
    source, place = KNOWN_WEIGHTS[name], weights_folder() / name
    return {
        "name": name,
        "source": source.url,
        "licence": source.licence,
        "sha256": source.sha256,
        "path": str(place) if place.is_file() else "",
    }


@_detector_app.command(
    "export", epilog="Example: scenemind detector export yoloe-26n-seg --out yoloe-26n-seg.onnx"
)
def _export_detector(
    model: Annotated[
        str,
        typer.Argument(help="A YOLO-World or YOLOE model by name, or the path of its .pt file."),
    ],
    out: Annotated[Path, typer.Option(help="The ONNX file to write.")],
    slots: Annotated[int, typer.Option(min=1, help="Size of the largest vocabulary.")] = 256,
    size: Annotated[
        str, typer.Option(help="Height and width of the images, multiples of 32.")
    ] = "480x640",
    half: Annotated[
        bool, typer.Option("--half", help="Half precision, for ONNX Runtime on a GPU.")
    ] = False,
) -> None:
    """Write an open-vocabulary model with a picture and words as its inputs.

    OpenVINO's own format is written beside it where OpenVINO is installed. Needs the extra
    `ultralytics`; running the file does not.
    """
    from scenemind.perception.backends.export import convert_to_openvino, export_onnx, has_openvino

    export_onnx(model, out, slots, _parsed(size), half=half)
    typer.echo(f"wrote {out}: set detector.weights to {out.absolute()}")
    if has_openvino():
        typer.echo(f"wrote {convert_to_openvino(out)}")


def _parsed(size: str) -> tuple[int, int]:
    """Width and height from `HEIGHTxWIDTH`."""
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", size)
    if found is None:
        raise UsageError(f"--size {size!r} is no HEIGHTxWIDTH such as 480x640")
    return int(found[2]), int(found[1])


_segmenter_app = typer.Typer(
    no_args_is_help=True, help="Make segmenters ready to run without torch."
)


@_segmenter_app.callback()
def _segmenter() -> None:
    """Make segmenters ready to run without torch."""


@_segmenter_app.command(
    "export", epilog="Example: scenemind segmenter export mobile_sam.pt --out sam"
)
def _export_segmenter(
    model: Annotated[
        str,
        typer.Argument(
            help="sam_vit_b_01ec64.pth, mobile_sam.pt or another of SAM's, or the path of one."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write to.")],
) -> None:
    """Write SAM as two ONNX files, one for images and one for boxes in them.

    Needs the extra `segment`; running the files does not.
    """
    from scenemind.perception.backends.export import export_sam

    for path in export_sam(model, out):
        typer.echo(f"wrote {path}")
    typer.echo(f"set vlm_grounder.segmenter.weights to {out}")


_vocabulary_app = typer.Typer(
    no_args_is_help=True, help="Show and set the words that open-vocabulary detectors look for."
)
_LONGEST_LIST = 2**20  # bytes; 4096 words have fewer
_Encoder = Annotated[
    str, typer.Option(help="clip_vit_b32 (YOLO-World), mobileclip or mobileclip2 (YOLOE).")
]
_Words = Annotated[list[str] | None, typer.Argument(show_default=False)]
_File = Annotated[
    Path | None, typer.Option("--file", help="Text file, one word per line.", show_default=False)
]
_Default = Annotated[
    bool, typer.Option("--default", help="The indoor words of `scenemind vocabulary list`.")
]


@_vocabulary_app.command("list", epilog="Example: scenemind vocabulary list --encoder mobileclip2")
def _list(
    config: ConfigFile = None, encoder: _Encoder = "clip_vit_b32", as_json: AsJson = False
) -> None:
    """List the words that a detector starts with, and whether their vectors are cached."""
    settings = load_settings(config)
    words = checked_vocabulary(settings.detector.vocabulary or default_vocabulary())
    family = make_text_encoder(encoder)
    known = EmbeddingCache(family.name).find(words, family.dimension)
    if as_json:
        print_json({"vocabulary": list(words), "encoder": encoder, "embedded": list(known)})
        return
    table = make_table("word", f"vector of {encoder}")
    for word in words:
        table.add_row(escape(word), "here" if word in known else "to be made")
    print_table(table)
    say(f"{len(words)} words, {len(known)} with a vector on this machine")


@_vocabulary_app.command(
    "set", epilog='Example: scenemind vocabulary set chair "fire extinguisher" cup'
)
def _set(
    words: _Words = None, file: _File = None, use_default: _Default = False, as_json: AsJson = False
) -> None:
    """Set the words that the running mapping node detects."""
    labels = _chosen("set", words, file, use_default)
    run_live("set_vocabulary", "", labels=labels, as_json=as_json)


@_vocabulary_app.command("embed", epilog="Example: scenemind vocabulary embed --default")
def _embed(
    words: _Words = None,
    file: _File = None,
    use_default: _Default = False,
    encoder: _Encoder = "clip_vit_b32",
    as_json: AsJson = False,
) -> None:
    """Cache the vectors of words, for a robot without network or torch."""
    labels = _chosen("embed", words, file, use_default)
    family = make_text_encoder(encoder)
    family.encode(labels)
    _report(EmbeddingCache(family.name), family.missed, as_json)


@_vocabulary_app.command(
    "import", epilog="Example: scenemind vocabulary import lvis.npy lvis_names.json"
)
def _import(
    vectors: Annotated[Path, typer.Argument(help="NumPy file, one row per word.")],
    names: Annotated[
        Path, typer.Argument(help="Text file, one name per line, or a JSON list of names.")
    ],
    encoder: _Encoder = "clip_vit_b32",
    as_json: AsJson = False,
) -> None:
    """Cache published word vectors; their words then need neither torch nor a network."""
    family = make_text_encoder(encoder)
    cache = EmbeddingCache(family.name)
    _report(cache, import_vectors(cache, vectors, names, family.dimension), as_json)


def _chosen(
    command: str, words: list[str] | None, file: Path | None, use_default: bool
) -> tuple[str, ...]:
    if sum((bool(words), file is not None, use_default)) != 1:
        raise UsageError(f"vocabulary {command} takes one of: words, --file, --default")
    if file is None:
        return default_vocabulary() if use_default else checked_vocabulary(words or ())
    try:
        text = read_regular(file, _LONGEST_LIST, follow=True).decode()
        return read_vocabulary(text.splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {error}") from error


def _report(cache: EmbeddingCache, added: int, as_json: bool) -> None:
    total, name = len(cache.words()), cache.encoder_name
    if as_json:
        print_json({"encoder": name, "added": added, "words": total, "path": str(cache.path)})
    else:
        say(f"added {added} words; {total} of {name} are in {cache.path}")


app = typer.Typer()
app.add_typer(_detector_app, name="detector")
app.add_typer(_segmenter_app, name="segmenter")
app.add_typer(_vocabulary_app, name="vocabulary")
