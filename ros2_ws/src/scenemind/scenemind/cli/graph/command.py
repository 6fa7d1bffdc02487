"""`scenemind graph`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.errors import CommandError
from scenemind.cli.graph.as_json import thing_json, tree_json
from scenemind.cli.graph.export import chosen_format, export
from scenemind.cli.graph.picture import View, draw, write_picture
from scenemind.cli.graph.show import print_object, print_tree
from scenemind.cli.graph.source import from_file, from_memory, from_nodes, named_object
from scenemind.cli.options import AsJson, ConfigFile, Live, MemoryRoot
from scenemind.cli.output import print_json
from scenemind.config import SceneMindConfig
from scenemind.memory.graph.relations import canonical_relation


def register(app: typer.Typer) -> None:
    app.command("graph", epilog="Example: scenemind graph kitchen --object 3")(_graph)


def _graph(
    memory: Annotated[str, typer.Argument(help="Name of the memory.")] = "current",
    live: Live = False,
    objects: Annotated[
        Path | None,
        typer.Option(
            help="Instead of a memory: an objects file (JSON or CSV) or an exported scene graph.",
            show_default=False,
        ),
    ] = None,
    scene: Annotated[
        str | None,
        typer.Option(help="Which one, where the objects file has several.", show_default=False),
    ] = None,
    object_id: Annotated[
        int | None, typer.Option("--object", help="Only this object.", show_default=False)
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Export: json, graphml, ply or objects; else by the suffix of --out.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to export to.", show_default=False)] = None,
    points: Annotated[bool, typer.Option("--points", help="JSON with surface points.")] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Draw it: an .svg or .png file.", show_default=False)
    ] = None,
    view: Annotated[
        View, typer.Option(help="The picture: the map from above, or the graph by levels.")
    ] = "above",
    relation: Annotated[
        list[str] | None,
        typer.Option(
            help="In the picture: these relations; else what carries what.", show_default=False
        ),
    ] = None,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Show what stands on what, draw it, or export it."""
    export_format = chosen_format(form, out)
    if as_json and export_format is not None and out is None:
        raise CommandError("--json and an export would both go to standard output: say --out FILE")
    if live and (objects is not None or points):
        raise CommandError(
            "--live shows what running nodes send, without surface points: leave out --objects and"
            " --points"
        )
    predicates = None if not relation else [canonical_relation(name).name for name in relation]
    settings = SceneMindConfig.load(config) if config else SceneMindConfig()
    if live:
        source = from_nodes()
    elif objects is None:
        source = from_memory(memory, memory_root, settings)
    else:
        source = from_file(objects, scene, settings.relations)
    thing = None if object_id is None else named_object(source, object_id)
    if picture is not None:
        write_picture(draw(source.snapshot, view, predicates, object_id), picture)
    if export_format is not None:
        export(source, export_format, out, with_points=points)
    if as_json:
        shown = tree_json(source.snapshot) if thing is None else thing_json(source, thing)
        files = {"out": out, "picture": picture}
        print_json({**shown, **{what: str(path) for what, path in files.items() if path}})
    elif picture is None and export_format is None:
        if thing is None:
            print_tree(source.snapshot)
        else:
            print_object(source, thing)
    else:
        for path in filter(None, (out, picture)):
            print(f"written: {path}", file=sys.stderr)
