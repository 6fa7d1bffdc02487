"""`scenemind graph`: the scene graph of a memory or of an objects file, shown, drawn, exported."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape
from rich.tree import Tree

import scenemind as sm
from scenemind.cli.live import fetch_live
from scenemind.cli.options import (
    AsJson,
    ConfigFile,
    Live,
    MemoryName,
    MemoryRoot,
    load_settings,
    memory_path,
    stored_path,
    takes,
)
from scenemind.config import RelationConfig, SceneMindConfig
from scenemind.errors import UsageError
from scenemind.exchange import (
    SCENE_FORMATS,
    ExchangeError,
    SceneExport,
    SceneFormat,
    encode_scene,
    format_of,
    load_objects,
    locations_of_objects,
    read_scene,
    scene_from_json,
)
from scenemind.language.english import with_article
from scenemind.memory import MemorySnapshot
from scenemind.memory.graph.relations import CARRYING, RELATION_NAMES, STORED, canonical_relation
from scenemind.memory.types import MapObject
from scenemind.report.drawing import colors_of, drawing_size, standalone_svg
from scenemind.report.film import SUFFIXES as FILM_SUFFIXES
from scenemind.report.levels import Branch, render_levels, support_tree
from scenemind.report.page import neighbourhood, shown_relations
from scenemind.report.terminal import PlainConsole, object_json, print_json
from scenemind.report.topdown import MapLayers, render_top_down
from scenemind.untrusted import MOST_JSON_BYTES, load_json, printable_json, read_regular, say

app = typer.Typer()


def from_memory(name: str, root: Path | None, settings: SceneMindConfig) -> SceneExport:
    """The scene of a stored memory.

    Raises:
        UsageError: there is none of that name.
        SceneMemoryError: it is damaged or in use.
    """
    with sm.open(stored_path(name, root), read_only=True, config=settings) as scene:
        return SceneExport(scene.snapshot, locations_of_objects(scene.memory.tree()))


def from_nodes() -> SceneExport:
    """The scene of running nodes; its objects have no surface points."""
    return scene_from_json(fetch_live("scene_graph")["scene_graph"])


def from_file(path: Path, scene: str | None, thresholds: RelationConfig) -> SceneExport:
    """The scene of an exported scene graph, or of an objects file, whose relations are computed.

    Raises:
        ExchangeError: it is neither, or has no such scene.
    """
    if path.suffix == ".json" and scene is None and _is_scene_graph(path):
        return read_scene(path)
    return SceneExport(load_objects(path, scene, thresholds))


def named_object(scene: SceneExport, object_id: int) -> MapObject:
    """The object with an id.

    Raises:
        UsageError: there is none.
    """
    thing = scene.snapshot.objects.get(object_id)
    if thing is None:
        raise UsageError(
            f"there is no object {object_id}: `scenemind graph` without --object lists all ids"
        )
    return thing


def _is_scene_graph(path: Path) -> bool:
    """Whether the file names its format; an unreadable file does not."""
    try:
        document = load_json(read_regular(path, MOST_JSON_BYTES, follow=True))
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and "format" in document


def print_tree(snapshot: MemorySnapshot) -> None:
    """Print the building and what it supports; objects with colour and size."""
    console = PlainConsole(highlight=False)
    trees: list[Tree] = []
    way: list[Tree] = []
    for branch in support_tree(snapshot):
        line = _line(branch, snapshot)
        del way[branch.depth :]
        if way:
            way.append(way[-1].add(line))
        else:
            trees.append(Tree(line, guide_style="dim"))
            way.append(trees[-1])
    for tree in trees:
        console.print(tree, soft_wrap=True)


def print_object(scene: SceneExport, thing: MapObject) -> None:
    """Print an object: attributes, places and relations."""
    say(f"{thing.label} {thing.object_id}")
    for name, value in _facts(scene, thing):
        say(f"  {name:<14}{value}")


def relations_of(snapshot: MemorySnapshot, object_id: int) -> list[tuple[str, int, float, str]]:
    """(predicate, other node, confidence, source) with the object as the subject, surest first.

    For what it supports the inverse is given: "supports cup 5".
    """
    found = []
    for relation in snapshot.relations:
        if relation.subject_id == object_id:
            other, predicate = relation.object_id, relation.predicate
        elif relation.object_id == object_id and _is_one_way(relation.predicate):
            other = relation.subject_id
            predicate = RELATION_NAMES[relation.predicate].inverse or relation.predicate
        else:
            continue
        found.append((predicate, other, relation.confidence, relation.source))
    order = list(RELATION_NAMES)
    rank = {name: place for place, name in enumerate(order)}
    return sorted(found, key=lambda f: (rank.get(f[0], len(order)), -f[2], f[1]))


def node_name(snapshot: MemorySnapshot, node_id: int) -> str:
    """ "table 3", "wall -2"."""
    if node_id in snapshot.structure:
        return f"{snapshot.structure[node_id].kind} {node_id}"
    return f"{snapshot.objects[node_id].label} {node_id}"


def _facts(scene: SceneExport, thing: MapObject) -> Iterator[tuple[str, str]]:
    snapshot, box, turned = scene.snapshot, thing.box, thing.yaw_box
    if thing.perceived_label != thing.label:
        yield "perceived as", thing.perceived_label
    level = snapshot.levels.get(thing.object_id)
    if level is not None:
        yield "level", str(level)
    yield "confidence", f"{thing.confidence:.2f}" + (", corrected" if thing.corrected else "")
    for label, probability in thing.alternatives.items():
        yield "may be", f"{with_article(label)} ({probability:.2f})"
    yield "centre m", " ".join(f"{value:.2f}" for value in box.center)
    yield "size m", " x ".join(f"{value:.2f}" for value in box.size)
    if thing.is_completed:
        yield "measured", f"{thing.measured_share:.0%} of the box; the rest is completed"
    if degrees := round(math.degrees(turned.yaw)):
        size = " x ".join(f"{value:.2f}" for value in turned.size)
        yield "turned box m", f"{size}, by {degrees} degrees"
    for name, value in thing.attributes.items():
        teller = thing.attribute_sources.get(name)
        yield name, value if teller is None else f"{value} (said by the {teller})"
    if locations := scene.seen_from.get(thing.object_id):
        yield "seen from", "locations " + ", ".join(map(str, locations))
    for stay in thing.stays:
        yield "was at", " ".join(f"{value:.2f}" for value in stay.box.center)
    told: set[int] = set()
    for predicate, other, confidence, source in relations_of(snapshot, thing.object_id):
        by = ", said by a person" if source == "user" else ""
        # What is next to it is near, too.
        if other not in told or by:
            yield predicate, f"{node_name(snapshot, other)} ({confidence:.2f}{by})"
        told.add(other)


def _line(branch: Branch, snapshot: MemorySnapshot) -> str:
    if branch.node_id is None:
        return f"[dim]{branch.label}[/dim]"
    name = f"[bold]{escape(branch.label)} {branch.node_id}[/bold]"
    if branch.node_id in snapshot.structure:
        return name
    if branch.predicate not in ("", "on"):
        name += f" [italic]({escape(branch.predicate)})[/italic]"
    thing = snapshot.objects[branch.node_id]
    color = escape(thing.attributes.get("color", ""))
    size = " x ".join(f"{value:.2f}" for value in thing.box.size)
    return f"{name} [dim]{', '.join(filter(None, (color, f'{size} m')))}[/dim]"


def _is_one_way(predicate: str) -> bool:
    relation = RELATION_NAMES.get(predicate)
    return relation is not None and relation.one_way


def tree_json(snapshot: MemorySnapshot) -> dict[str, Any]:
    """All nodes, each followed by what it supports; `depth` 0 is the building."""
    return {
        "revision": snapshot.revision,
        "objects": len(snapshot.objects),
        "relations": len(snapshot.relations),
        "tree": [
            {
                "depth": branch.depth,
                "id": branch.node_id,
                "label": branch.label,
                "predicate": branch.predicate or None,
            }
            for branch in support_tree(snapshot)
        ],
    }


def thing_json(scene: SceneExport, thing: MapObject) -> dict[str, Any]:
    """One object with the relations of which it is the subject."""
    return {
        **object_json(thing),
        "level": scene.snapshot.levels.get(thing.object_id),
        "seen_from": list(scene.seen_from.get(thing.object_id, ())),
        "relations": [
            {
                "predicate": predicate,
                "id": other,
                "name": node_name(scene.snapshot, other),
                "confidence": round(confidence, 4),
                "source": source,
            }
            for predicate, other, confidence, source in relations_of(
                scene.snapshot, thing.object_id
            )
        ],
    }


def chosen_format(name: str | None, out: Path | None) -> SceneFormat | None:
    """The format by name, else by the file's suffix; None where neither is given.

    Raises:
        UsageError: a name or suffix of no format.
    """
    if name is None:
        try:
            return None if out is None else format_of(out)
        except ExchangeError as error:
            raise UsageError(f"{error}: say a --format") from error
    for known in SCENE_FORMATS:
        if name == known:
            return known
    raise UsageError(f"--format {name} is none of {', '.join(SCENE_FORMATS)}")


def export(scene: SceneExport, form: SceneFormat, out: Path | None, *, with_points: bool) -> None:
    """Write the file, or text to standard output.

    Raises:
        UsageError: the file cannot be written, or binary data was to go to the terminal.
        ExchangeError: an optional package is missing.
    """
    if out is not None:
        as_csv = out.suffix == ".csv"
        write_file(out, encode_scene(scene, form, as_csv=as_csv, with_points=with_points))
    elif form == "ply" and sys.stdout.isatty():
        raise UsageError("PLY is binary: say --out FILE")
    else:
        content = encode_scene(scene, form, with_points=with_points)
        if form == "json":
            content = printable_json(content.decode()).encode()
        elif form == "graphml":
            xml = content.decode().replace("\r", "&#13;")
            content = xml.encode("ascii", "xmlcharrefreplace")
        sys.stdout.buffer.write(content)


def write_file(path: Path, content: bytes) -> None:
    """Write the file.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


View = Literal["above", "levels"]
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_BROWSER_S = 60.0


def draw(
    snapshot: MemorySnapshot,
    view: View,
    predicates: Collection[str] | None,
    object_id: int | None,
) -> str:
    """An SVG file.

    Args:
        predicates: relations to draw; None: those that carry, or all of `object_id`.
        object_id: draw this object, and what it is related to.
    """
    things = (*snapshot.objects.values(), *snapshot.gone.values())
    colors = colors_of(thing.label for thing in things)
    if predicates is None:
        predicates = CARRYING if object_id is None else STORED
    relations = shown_relations(snapshot, predicates, object_id)
    if view == "levels":
        return standalone_svg(render_levels(snapshot, colors, relations))
    only = None if object_id is None else neighbourhood(object_id, relations)
    layers = MapLayers(relations=relations, only=only)
    return standalone_svg(render_top_down(snapshot, colors, layers))


def write_picture(svg: str, path: Path) -> None:
    """Write an SVG or, by the file's suffix, a PNG.

    Raises:
        UsageError: another suffix, no browser for a PNG, or the file cannot be written.
    """
    if path.suffix == ".svg":
        write_file(path, svg.encode())
    elif path.suffix == ".png":
        _write_png(svg, path)
    else:
        raise UsageError(f"{path.name} is no picture: --picture takes .svg, .png, .gif, .webp")


def _write_png(svg: str, path: Path) -> None:
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise UsageError(
            "a PNG is drawn by a browser, and there is no chromium here: take --picture"
            f" {path.with_suffix('.svg').name}"
        )
    width, height = (math.ceil(side) for side in drawing_size(svg))
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "drawing.svg", Path(folder) / "drawing.png"
        source.write_text(svg, encoding="utf-8")
        command = [
            *(browser, "--headless", "--disable-gpu", "--hide-scrollbars"),
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
            *(f"--window-size={width},{height}", f"--screenshot={target}", source.as_uri()),
        ]
        try:
            subprocess.run(command, capture_output=True, timeout=_BROWSER_S, check=True)
            png = target.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise UsageError(f"{browser} could not draw the picture: {error}") from error
    write_file(path, png)


@dataclass(frozen=True, kw_only=True)
class GraphOptions:
    """Options of `scenemind graph`."""

    memory: MemoryName = "current"
    live: Live = False
    objects: Annotated[
        Path | None,
        typer.Option(
            help="Instead of a memory: an objects file (JSON or CSV) or an exported scene graph.",
            show_default=False,
        ),
    ] = None
    scene: Annotated[
        str | None,
        typer.Option(
            help="Name of the scene, where the objects file has several.", show_default=False
        ),
    ] = None
    object_id: Annotated[
        int | None, typer.Option("--object", help="Only this object.", show_default=False)
    ] = None
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Format of the export: json, graphml, ply or objects; else by --out.",
            show_default=False,
        ),
    ] = None
    out: Annotated[Path | None, typer.Option(help="File to export to.", show_default=False)] = None
    points: Annotated[bool, typer.Option("--points", help="Export JSON with surface points.")] = (
        False
    )
    picture: Annotated[
        Path | None,
        typer.Option(
            help="File of a drawing, .svg or .png; .gif or .webp: how the map grew.",
            show_default=False,
        ),
    ] = None
    view: Annotated[
        View, typer.Option(help="Drawing of the map from above, or of the graph by levels.")
    ] = "above"
    relation: Annotated[
        list[str] | None,
        typer.Option(help="Relations in the picture; else support relations.", show_default=False),
    ] = None
    config: ConfigFile = None
    memory_root: MemoryRoot = None
    as_json: AsJson = False


@app.command("graph", epilog="Example: scenemind graph --memory kitchen --object 3")
@takes(GraphOptions)
def _graph(options: GraphOptions) -> None:
    """Show the scene graph, draw it, or export it."""
    form = chosen_format(options.form, options.out)
    if options.as_json and form is not None and options.out is None:
        raise UsageError("--json and an export would both go to standard output: say --out FILE")
    if options.picture is not None and options.picture.suffix in FILM_SUFFIXES:
        _film(options, options.picture)
        return
    predicates = [canonical_relation(name).name for name in options.relation or ()]
    source = _source(options)
    thing = None if options.object_id is None else named_object(source, options.object_id)
    if options.picture is not None:
        picture = draw(source.snapshot, options.view, predicates or None, options.object_id)
        write_picture(picture, options.picture)
    if form is not None:
        export(source, form, options.out, with_points=options.points)
    if options.as_json:
        shown = tree_json(source.snapshot) if thing is None else thing_json(source, thing)
        files = {"out": options.out, "picture": options.picture}
        print_json({**shown, **{what: str(path) for what, path in files.items() if path}})
    elif options.picture is not None or form is not None:
        for path in filter(None, (options.out, options.picture)):
            say(f"written: {path}", file=sys.stderr)
    elif thing is None:
        print_tree(source.snapshot)
    else:
        print_object(source, thing)


def _film(options: GraphOptions, path: Path) -> None:
    if options.live or options.objects is not None:
        raise UsageError("a film is made of a memory's stored frames: name it with --memory")
    folder = memory_path(options.memory, options.memory_root)
    with sm.open(folder, read_only=True, config=load_settings(options.config)) as scene:
        say(f"written: {path}, {scene.film(path)} pictures", file=sys.stderr)


def _source(options: GraphOptions) -> SceneExport:
    """The scene of the memory, of running nodes or of the file that is named."""
    if options.live and (options.objects is not None or options.points):
        raise UsageError(
            "--live shows what running nodes send, without surface points: leave out --objects and"
            " --points"
        )
    settings = load_settings(options.config)
    if options.live:
        return from_nodes()
    if options.objects is None:
        return from_memory(options.memory, options.memory_root, settings)
    return from_file(options.objects, options.scene, settings.relations)
