"""`scenemind find`: objects by a few words, without any model."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

import scenemind as sm
from scenemind.cli.graph import from_nodes
from scenemind.cli.options import AsJson, Live, MemoryName, MemoryRoot, stored_path
from scenemind.language.english import shown
from scenemind.language.vocabulary import did_you_mean
from scenemind.memory import Found, MapObject
from scenemind.memory.finding import ObjectFinder
from scenemind.perception.text import ENCODER_FAMILIES, make_text_encoder
from scenemind.report.terminal import make_table, object_json, print_json, print_table
from scenemind.untrusted import say

app = typer.Typer()


@app.command("find", epilog='Example: scenemind find "red wooden chair" --memory kitchen')
def _find(
    words: Annotated[
        str, typer.Argument(help='An object and its attributes, such as "red chair".')
    ],
    memory: MemoryName = "current",
    live: Live = False,
    count: Annotated[int, typer.Option(min=1, help="Number of objects to show.")] = 10,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="Also find objects of a similar meaning, by the text vectors of"
            f" {', '.join(ENCODER_FAMILIES)}.",
            show_default=False,
        ),
    ] = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Find objects by label, synonym, attribute or spelling, best first, with reasons.

    For relations ("the chair next to the desk") see `scenemind ground`.
    """
    vectors = None if encoder is None else make_text_encoder(encoder)
    if live:
        objects = from_nodes().snapshot.objects
        finder = ObjectFinder()
        finder.refresh(objects)
        every = finder.find(words, len(objects), vectors)
    else:
        with sm.open(stored_path(memory, memory_root), read_only=True) as scene:
            objects = scene.snapshot.objects
            every = scene.memory.find_objects(words, len(objects), vectors)
    found = [(one, objects[one.object_id]) for one in every[:count]]
    if as_json:
        shown_objects = [_as_json(one, thing) for one, thing in found]
        print_json({"words": words, "found": len(every), "objects": shown_objects})
    elif found:
        _print_found(found)
        if len(every) > count:
            say(f"{count} of {len(every)}; --count {len(every)} shows all")
    else:
        labels = sorted({thing.label for thing in objects.values()})
        say(f"nothing fits {shown(words)}.{did_you_mean(words, labels)}")
    if not found:
        raise typer.Exit(1)


_MEANS = {
    "score": "how well the words fit, 1 is best",
    "measured": "share of the box that depth showed; the rest is completed",
}


def _print_found(found: list[tuple[Found, MapObject]]) -> None:
    headings = ("id", "label", "score", "why", "centre m", "measured")
    table = make_table(*headings, right="id,score,centre m,measured")
    for one, thing in found:
        table.add_row(
            str(one.object_id),
            escape(thing.label),
            f"{one.score:.2f}",
            escape(", ".join(one.reasons)),
            " ".join(f"{value:.2f}" for value in thing.box.center),
            f"{thing.measured_share:.0%}",
        )
    print_table(table, means=_MEANS)


def _as_json(one: Found, thing: MapObject) -> dict[str, Any]:
    return {**object_json(thing), "score": round(one.score, 4), "reasons": list(one.reasons)}
