"""`scenemind inventory`: a vision model names what stands in key frames and has no object."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer
from rich.markup import escape

import scenemind as sm
from scenemind.cli.options import (
    AsJson,
    ConfigFile,
    Endpoint,
    MemoryName,
    MemoryRoot,
    Record,
    Replay,
    load_settings,
    stored_path,
    takes,
)
from scenemind.models import Allowance
from scenemind.reasoning.inventory import InventoryBudget, InventoryReport
from scenemind.report.terminal import (
    box_json,
    make_table,
    print_json,
    print_table,
    with_progress,
)
from scenemind.untrusted import printable, say

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class InventoryOptions:
    """Options of `scenemind inventory`."""

    memory: MemoryName = "current"
    calls: Annotated[int, typer.Option(min=1, help="Calls at most: a picture each.")] = 12
    reviews: Annotated[
        int, typer.Option(min=0, help="Of these, that ask about objects the map is not sure of.")
    ] = 3
    tokens: Annotated[int, typer.Option(min=0, help="Tokens of all calls; 0: no limit.")] = 0
    timeout: Annotated[float, typer.Option(min=1.0, help="Seconds of all work.")] = 900.0
    dry_run: Annotated[bool, typer.Option(help="Show what would be added; add nothing.")] = False
    model: Annotated[str, typer.Option(help="Vision model; else models.vision.")] = ""
    endpoint: Endpoint = ""
    record: Record = None
    replay: Replay = None
    config: ConfigFile = None
    memory_root: MemoryRoot = None
    as_json: AsJson = False


@app.command(
    "inventory",
    epilog="Example: scenemind inventory --memory kitchen --config models.yaml --calls 12",
)
@takes(InventoryOptions)
def _inventory(options: InventoryOptions) -> None:
    """Let a vision model name and box what stands in key frames and has no object.

    What depth confirms becomes an object, "named by" the model; wrong labels that it sees are put
    right, and those that the map is not sure of are settled. Such objects are corrected as all
    others.
    """
    settings = load_settings(
        options.config,
        model=options.model,
        endpoint=options.endpoint,
        record=options.record,
        replay=options.replay,
    )
    budget = InventoryBudget(options.calls, options.reviews, options.tokens, options.timeout)
    path = stored_path(options.memory, options.memory_root)
    with sm.open(path, read_only=options.dry_run, config=settings) as scene:
        report = with_progress(
            lambda asking: scene.take_inventory(budget, preview=options.dry_run, asking=asking),
            Allowance(budget.seconds, budget.tokens),
        )
    if options.as_json:
        print_json({"memory": options.memory, "written": not options.dry_run, **_as_json(report)})
        return
    _print(report)


def _as_json(report: InventoryReport) -> dict[str, Any]:
    return {
        "things": [
            {
                "id": thing.object_id or None,
                "name": thing.name,
                "box": box_json(thing.box),
                "frames": [view.frame.frame_number for view in thing.views],
                "named_in": sorted(thing.named_in),
            }
            for thing in report.things
        ],
        "renamed": {str(i): name for i, name in report.renamed.items()},
        "confirmed": {str(i): name for i, name in report.confirmed.items()},
        "reviewed": list(report.reviewed),
        "doubted": {str(i): count for i, count in report.doubted.items()},
        "left_out": dict(report.left_out),
        "pictures": list(report.pictures),
        "usage": asdict(report.usage),
        "stopped": report.stopped,
    }


def _print(report: InventoryReport) -> None:
    table = make_table("id", "named", "centre m", "size m", "named in", "views")
    for thing in report.things:
        center = " ".join(f"{value:.2f}" for value in thing.box.center)
        size = " x ".join(f"{value:.2f}" for value in thing.box.size)
        table.add_row(
            str(thing.object_id or "-"),
            escape(printable(thing.name)),
            center,
            size,
            str(len(thing.named_in)),
            str(len(thing.views)),
        )
    print_table(table)
    for object_id, name in report.renamed.items():
        say(f"object {object_id} is called {printable(name)}")
    for object_id, name in report.confirmed.items():
        say(f"object {object_id} is a {printable(name)}: confirmed")
    for object_id, count in report.doubted.items():
        say(f"object {object_id} stays, though not found in {count} pictures: look, and say so")
    for why, count in report.left_out.items():
        if count:
            say(f"left out: {count} {why}")
    usage = report.usage
    cost = f", cost {usage.cost:.4f}" if usage.cost else ""
    say(f"{len(report.pictures)} pictures, {usage.calls} calls, {usage.tokens} tokens{cost}")
    if report.stopped:
        say(f"stopped: {printable(report.stopped)}")
