"""How an answer is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from scenemind.cli.asking.chosen_frames import key_frame_json, usage_json, usage_text
from scenemind.cli.asking.pictures import write_pictures
from scenemind.cli.output import error_json, object_json, print_json, print_objects, printable
from scenemind.memory import MemorySnapshot
from scenemind.reasoning import Answer, Grounding, ReasoningFailure
from scenemind.report import Asked

_INTERRUPTED = 130  # what a shell reports for an interrupt


def show_answer(
    answer: Answer,
    snapshot: MemorySnapshot,
    path: NDArray[np.float32],
    pictures: Path | None,
    as_json: bool,
) -> None:
    """Print it, and write its pictures where there is a folder for them.

    Args:
        snapshot: the map that was asked.
        path: (N, 3) float32, world: where the camera was.

    Raises:
        CommandError: the folder cannot be written.
    """
    if as_json:
        print_json(answer_json(answer))
    else:
        print_answer(answer)
    if pictures is not None:
        write_pictures(Asked.of_answer(answer, snapshot, path), pictures)


def print_origin(reply: Answer | Grounding) -> None:
    """Why somebody else replied than was asked, and what models used; nothing where neither is."""
    if reply.fallback:
        print(f"{reply.method} replied instead: {printable(reply.fallback)}")
    if reply.usage.calls:
        shown = ", ".join(str(frame.frame_number) for frame in reply.key_frames)
        frames = f"; frames {shown}" if shown else ""
        print(f"{reply.method}: {reply.seconds:.1f} s, {usage_text(reply.usage)}{frames}")


def exit_status(failure: ReasoningFailure | None) -> int:
    """0 where there is an answer, 130 where the question was interrupted, else 1."""
    if failure is None:
        return 0
    return _INTERRUPTED if failure.code == "cancelled" else 1


def exit_with(failure: ReasoningFailure | None) -> None:
    """End the command here where there is no answer.

    Raises:
        Exit: with `exit_status`.
    """
    if failure is not None:
        raise typer.Exit(exit_status(failure))


def answer_json(answer: Answer) -> dict[str, Any]:
    """An answer for programs."""
    return {
        "question": answer.query.text,
        "answer": answer.text,
        "brief": answer.brief,
        "confidence": round(answer.confidence, 4),
        "objects": [object_json(obj) for obj in answer.objects],
        "key_frames": [frame.frame_number for frame in answer.key_frames],
        "evidence": [key_frame_json(frame) for frame in answer.key_frames],
        "method": answer.method,
        "policy": answer.query.policy,
        "fallback": answer.fallback,
        "steps": list(answer.steps),
        "usage": usage_json(answer.usage),
        "seconds": round(answer.seconds, 6),
        "error": error_json(answer.failure),
    }


def print_answer(answer: Answer) -> None:
    """An answer for people."""
    print(printable(answer.text))
    if answer.objects:
        print_objects(answer.objects)
    if answer.failure is None:
        print(f"confidence {answer.confidence:.0%}")
    print_origin(answer)
