"""`scenemind vocabulary`: what open-vocabulary detectors look for, and the vectors of the words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.errors import CommandError
from scenemind.cli.live import run_live
from scenemind.cli.options import AsJson, ConfigFile
from scenemind.cli.output import print_json, print_table
from scenemind.config import SceneMindConfig
from scenemind.perception.text import (
    EmbeddingCache,
    checked_vocabulary,
    default_vocabulary,
    import_vectors,
    make_text_encoder,
    read_vocabulary,
)

_app = typer.Typer(
    no_args_is_help=True, help="Show and change what open-vocabulary detectors look for."
)
_Encoder = Annotated[
    str, typer.Option(help="clip_vit_b32 (YOLO-World), mobileclip or mobileclip2 (YOLOE).")
]
_Words = Annotated[list[str] | None, typer.Argument(show_default=False)]
_File = Annotated[
    Path | None, typer.Option("--file", help="Text file with a word a line.", show_default=False)
]
_Default = Annotated[
    bool, typer.Option("--default", help="The indoor words of `scenemind vocabulary list`.")
]


def register(app: typer.Typer) -> None:
    app.add_typer(_app, name="vocabulary")


@_app.command("list", epilog="Example: scenemind vocabulary list --encoder mobileclip2")
def _list(
    config: ConfigFile = None, encoder: _Encoder = "clip_vit_b32", as_json: AsJson = False
) -> None:
    """Show the words that a detector starts with, and whose vectors are on this machine."""
    settings = SceneMindConfig.load(config) if config else SceneMindConfig()
    words = checked_vocabulary(settings.detector.vocabulary or default_vocabulary())
    family = make_text_encoder(encoder)
    known = EmbeddingCache(family.name).find(words, family.dimension)
    if as_json:
        print_json({"vocabulary": list(words), "encoder": encoder, "embedded": list(known)})
        return
    table = Table("word", f"vector of {encoder}", box=SIMPLE_HEAD)
    for word in words:
        table.add_row(escape(word), "here" if word in known else "to be made")
    print_table(table)
    print(f"{len(words)} words, {len(known)} with a vector on this machine")


@_app.command("set", epilog='Example: scenemind vocabulary set chair "fire extinguisher" cup')
def _set(
    words: _Words = None, file: _File = None, use_default: _Default = False, as_json: AsJson = False
) -> None:
    """Let the detector of the running mapping node look for these words and no others."""
    labels = _chosen("set", words, file, use_default)
    run_live("set_vocabulary", "", labels=labels, as_json=as_json)


@_app.command("embed", epilog="Example: scenemind vocabulary embed --default")
def _embed(
    words: _Words = None,
    file: _File = None,
    use_default: _Default = False,
    encoder: _Encoder = "clip_vit_b32",
    as_json: AsJson = False,
) -> None:
    """Make the vectors of words now, for a robot that will have no network, or no torch."""
    labels = _chosen("embed", words, file, use_default)
    family = make_text_encoder(encoder)
    family.encode(labels)
    _report(EmbeddingCache(family.name), family.missed, as_json)


@_app.command("import", epilog="Example: scenemind vocabulary import lvis.npy lvis_names.json")
def _import(
    vectors: Annotated[Path, typer.Argument(help="NumPy file, a row a word.")],
    names: Annotated[Path, typer.Argument(help="A name a line, or a JSON list with names.")],
    encoder: _Encoder = "clip_vit_b32",
    as_json: AsJson = False,
) -> None:
    """Add published word vectors, so that these words need neither torch nor a network."""
    family = make_text_encoder(encoder)
    cache = EmbeddingCache(family.name)
    _report(cache, import_vectors(cache, vectors, names, family.dimension), as_json)


def _chosen(
    command: str, words: list[str] | None, file: Path | None, use_default: bool
) -> tuple[str, ...]:
    if sum((bool(words), file is not None, use_default)) != 1:
        raise CommandError(f"vocabulary {command} takes one of: words, --file, --default")
    if file is None:
        return default_vocabulary() if use_default else checked_vocabulary(words or ())
    try:
        return read_vocabulary(file.read_text(encoding="utf-8").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"cannot read {file}: {error}") from error


def _report(cache: EmbeddingCache, added: int, as_json: bool) -> None:
    total, name = len(cache.words()), cache.encoder_name
    if as_json:
        print_json({"encoder": name, "added": added, "words": total, "path": str(cache.path)})
    else:
        print(f"added {added} words; {total} of {name} are in {cache.path}")
