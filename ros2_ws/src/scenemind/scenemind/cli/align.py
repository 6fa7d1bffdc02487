"""`scenemind align`: correct a memory in plain words."""

from __future__ import annotations

import sys
from typing import Annotated
from uuid import uuid4

import typer

import scenemind as sm
from scenemind.cli.corrections import open_journal, show_corrections
from scenemind.cli.live import run_live
from scenemind.cli.options import (
    AsJson,
    ConfigFile,
    Endpoint,
    Live,
    MemoryName,
    MemoryRoot,
    ModelName,
    Timeout,
    exit_with,
    load_settings,
    refuse_with_live,
    same_memory,
    stored_path,
)
from scenemind.cli.suggestions import Yes, can_take, talked
from scenemind.composition import user_name
from scenemind.errors import UsageError
from scenemind.language.english import joined, shown
from scenemind.reasoning import Alignment, Query
from scenemind.report.replies import show_alignment
from scenemind.report.terminal import with_progress
from scenemind.untrusted import say

app = typer.Typer()


EXAMPLES = (
    "object 12 is a toolbox",
    "object 12 is grey",
    "rename the cup to mug",
    "the hanger is on the ironing board",
    "the cup is not on the table",
    "delete object 4",
    "objects 3 and 5 are the same chair",
    "object 3 is two chairs",
    "object 4 really is a cup",
    "the same goes for the similar ones",
    "undo",
    "redo",
)


@app.command(
    "align",
    epilog='Example: scenemind align "chair 3 is a stool" --memory kitchen. Read without a model,'
    f" among others: {'; '.join(EXAMPLES)}.",
)
def _align(
    instruction: Annotated[str, typer.Argument(help="What to correct.", show_default=False)] = "",
    memory: MemoryName = "current",
    live: Live = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take back all that the newest sentence wrote.")
    ] = False,
    list_all: Annotated[bool, typer.Option("--list", help="Show all corrections.")] = False,
    by: Annotated[
        str, typer.Option(help="Author in the journal; else the current user.", show_default=False)
    ] = "",
    model: ModelName = "",
    endpoint: Endpoint = "",
    timeout: Timeout = 60.0,
    yes: Yes = False,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Correct a memory in plain words.

    What the robot asks back ("Shall I do that?") is answered on the terminal, or by --yes.
    Where a model is named, it reads sentences that the grammar does not know. An interrupt (Ctrl-C)
    cancels a correction that is not written yet.
    """
    if sum((bool(instruction), undo, list_all)) != 1:
        raise UsageError(
            "align takes one of: a sentence, --undo, --list; an older correction is taken back by"
            " `scenemind corrections undo NUMBER`"
        )
    if not instruction:
        with open_journal(memory, memory_root, live=live) as journal:
            entries = journal.entries() if list_all else journal.undo()
            show_corrections(entries, as_json)
            if undo and not as_json:
                numbers = joined([str(entry.correction_id) for entry in entries])
                them = f"correction{'s' * (len(entries) > 1)} {numbers}"
                say(f'I took back {them} ("{shown(entries[0].reason)}").')
        return
    by = by.strip() or user_name()
    # Without anybody to answer, the reply says how to have it done.
    dialogue = f"command line {uuid4()}" if can_take(yes, as_json) else ""
    if live:
        refuse_with_live(model=model, endpoint=endpoint)
        options = {"by": by, "dialogue_id": dialogue, "timeout_s": timeout}
        run_live("align", instruction, yes=yes, as_json=as_json, **options)
    settings = load_settings(config, model=model, endpoint=endpoint)
    with sm.open(stored_path(memory, memory_root), config=settings) as scene:

        def correct(text: str) -> Alignment:
            return with_progress(
                lambda asking: scene.align(Query(text, dialogue_id=dialogue), by=by, asking=asking),
                scene.reasoner.allowance(timeout),
            )

        done = talked(correct, instruction, yes=yes, as_json=as_json)
        stands = {entry.correction_id for entry in scene.memory.corrections() if not entry.undone}
    show_alignment(done, as_json)
    if not as_json and stands.intersection(done.correction_ids):
        again = same_memory(memory, memory_root)
        say(f"`scenemind align --undo {again}` takes it back", file=sys.stderr)
    exit_with(done.failure)
