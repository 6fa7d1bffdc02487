"""Replies to questions in a terminal and as JSON, and their pages of pictures.

A reply is an answer, a grounding, an alignment or a choice of key frames. Each has one function
that shows it, for people or for programs; a stored memory and running nodes are shown alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from rich.markup import escape
from rich.table import Table

from scenemind.errors import UsageError
from scenemind.memory import KeyFrame, MemorySnapshot
from scenemind.models import Usage
from scenemind.reasoning import Alignment, Answer, Grounding, Query, ReasoningFailure
from scenemind.reasoning.stored_frames import Selection
from scenemind.report.terminal import (
    error_json,
    make_table,
    object_json,
    print_json,
    print_objects,
    print_table,
    progress_console,
)
from scenemind.untrusted import printable, say

if TYPE_CHECKING:
    from scenemind.report.question_page import QuestionRecord

_INTERRUPTED = 130  # what a shell reports for an interrupt


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """Key frames that a selector chose for a question.

    Attributes:
        selection: without frames where it failed.
        selector: its name.
    """

    query: Query
    selection: Selection
    selector: str
    seconds: float
    usage: Usage
    failure: ReasoningFailure | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PictureFolder:
    """Folder for the page of a reply, and the camera path on its map.

    Attributes:
        folder: None: no page is written.
        path: (N, 3) float32, world, metres: camera positions.
    """

    folder: Path | None
    snapshot: MemorySnapshot
    path: NDArray[np.float32]

    def write(self, reply: Answer | Grounding | Chosen) -> None:
        """Write the page, where there is a folder, and print where it is.

        Raises:
            UsageError: the folder cannot be written, or an image is damaged.
        """
        if self.folder is None:
            return
        from scenemind.report.question_page import write_question_page

        try:
            with writing_to(self.folder):
                page = write_question_page(self._record(reply), self.folder)
        except ValueError as error:
            raise UsageError(f"{error}: look into the frames folder of the memory") from error
        print_page(page)

    def _record(self, reply: Answer | Grounding | Chosen) -> QuestionRecord:
        from scenemind.report.question_page import QuestionRecord, usage_figures

        if isinstance(reply, Answer):
            return QuestionRecord.of_answer(reply, self.snapshot, self.path)
        if isinstance(reply, Grounding):
            return QuestionRecord.of_grounding(reply, self.snapshot, self.path)
        return QuestionRecord.of_selection(
            reply.query,
            reply.selection,
            reply.selector,
            usage_figures(reply.seconds, reply.usage),
            self.snapshot,
            self.path,
        )


def print_page(page: Path) -> None:
    """Print where a page of pictures is, on standard error."""
    progress_console().print(f"pictures: {page}", soft_wrap=True, markup=False)


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Turn errors of the file system into errors of use.

    Raises:
        UsageError: the folder cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from error


def exit_status(failure: ReasoningFailure | None) -> int:
    """0 where there is an answer, 130 where the question was interrupted, else 1."""
    if failure is None:
        return 0
    return _INTERRUPTED if failure.code == "cancelled" else 1


# Answers


def show_answer(answer: Answer, pictures: PictureFolder, as_json: bool) -> None:
    """Print an answer, and write its page.

    Raises:
        UsageError: see `PictureFolder.write`.
    """
    if as_json:
        print_json(answer_json(answer))
    else:
        print_answer(answer)
    pictures.write(answer)


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
    """Print an answer for people."""
    say(answer.text)
    if answer.objects:
        print_objects(answer.objects)
    if answer.failure is None:
        say(f"confidence {answer.confidence:.0%}")
    _print_origin(answer)


def _print_origin(reply: Answer | Grounding) -> None:
    """Print why another method replied, and the usage of models; nothing where neither is so."""
    if reply.fallback:
        say(f"{reply.method} replied instead: {printable(reply.fallback)}")
    if reply.usage.calls:
        shown = ", ".join(str(frame.frame_number) for frame in reply.key_frames)
        frames = f"; frames {shown}" if shown else ""
        say(f"{reply.method}: {reply.seconds:.1f} s, {usage_text(reply.usage)}{frames}")


# Groundings and alignments


def show_grounding(found: Grounding, pictures: PictureFolder, as_json: bool) -> None:
    """Print the objects found, or why there are none, and write their page.

    Raises:
        UsageError: see `PictureFolder.write`.
    """
    if as_json:
        print_json(_grounding_json(found))
    else:
        _print_grounding(found)
    pictures.write(found)


def _grounding_json(found: Grounding) -> dict[str, object]:
    pairs = zip(found.objects, found.confidences, strict=True)
    return {
        "query": found.query.text,
        "objects": [{**object_json(obj), "confidence": round(c, 4)} for obj, c in pairs],
        "reasoning": found.reasoning,
        "steps": list(found.steps),
        "key_frames": [frame.frame_number for frame in found.key_frames],
        "method": found.method,
        "fallback": found.fallback,
        "usage": usage_json(found.usage),
        "seconds": round(found.seconds, 6),
        "error": error_json(found.failure),
    }


def _print_grounding(found: Grounding) -> None:
    # Over ROS the steps come as one text.
    steps = found.steps if found.objects else ()
    say("\n".join(steps) or found.reasoning)
    if found.objects:
        print_objects(found.objects, meant=found.confidences)
    _print_origin(found)


def show_alignment(done: Alignment, as_json: bool) -> None:
    """Print what a correction changed."""
    if not as_json:
        say(done.response)
        return
    print_json(
        {
            "instruction": done.query.text,
            "response": done.response,
            "correction_ids": list(done.correction_ids),
            "object_ids": list(done.object_ids),
            "method": done.method,
            "seconds": round(done.seconds, 6),
            "error": error_json(done.failure),
        }
    )


# Key frames


def show_chosen(chosen: Chosen, pictures: PictureFolder, as_json: bool) -> None:
    """Print the chosen key frames, and write their page.

    Raises:
        UsageError: see `PictureFolder.write`.
    """
    if as_json:
        print_json(_chosen_json(chosen))
    else:
        labels = {i: thing.label for i, thing in pictures.snapshot.objects.items()}
        _print_chosen(chosen, labels)
    pictures.write(chosen)


def key_frame_json(frame: KeyFrame) -> dict[str, Any]:
    """A frame for programs: metres, map frame, z up; the pose is that of the optical frame."""
    pose = frame.world_T_camera
    boxes = frame.boxes_px.items()
    return {
        "frame": frame.frame_number,
        "stamp_ns": frame.stamp_ns,
        "location": frame.location_id,
        "score": round(float(frame.score), 4),
        "world_T_camera": {
            "position": [round(value, 4) for value in pose.translation.tolist()],
            "orientation_xyzw": [round(value, 6) for value in pose.quaternion_xyzw().tolist()],
        },
        "boxes_px": {str(i): [round(float(edge), 1) for edge in box] for i, box in boxes},
    }


def _chosen_json(chosen: Chosen) -> dict[str, Any]:
    selection = chosen.selection
    return {
        "question": chosen.query.text,
        "selector": chosen.selector,
        "key_frames": [key_frame_json(frame) for frame in selection.key_frames],
        "key_objects": list(selection.key_objects),
        "cue_objects": list(selection.cue_objects),
        "reasoning": selection.reasoning,
        "steps": list(selection.steps),
        "usage": usage_json(chosen.usage),
        "seconds": round(chosen.seconds, 6),
        "error": error_json(chosen.failure),
    }


def _print_chosen(chosen: Chosen, labels: Mapping[int, str]) -> None:
    selection = chosen.selection
    if chosen.failure is not None:
        say(chosen.failure.text)
    if selection.reasoning:
        say(selection.reasoning)
    if selection.key_frames:
        print_table(_frame_table(selection, labels), means=_OF_FRAMES)
    if chosen.usage.calls:
        say(f"{chosen.selector}: {chosen.seconds:.1f} s, {usage_text(chosen.usage)}")


_OF_FRAMES = {
    "location": "number of the stretch of the way that the frame is from",
    "score": "how well it fits, higher is better",
}


def _frame_table(selection: Selection, labels: Mapping[int, str]) -> Table:
    """A row a frame, with its key and cue objects; all its objects where it has neither."""
    roles = {*selection.key_objects, *selection.cue_objects} or set(labels)
    # A selector that does not rank gives no scores.
    is_ranked = any(frame.score for frame in selection.key_frames)
    headings = ("frame", "location", *(("score",) if is_ranked else ()), "camera at m", "shows")
    table = make_table(
        *headings, whole=("frame", "location"), right="frame,location,score,camera at m"
    )
    for frame in selection.key_frames:
        shown = (f"{labels[i]} {i}" for i in frame.boxes_px if i in labels and i in roles)
        table.add_row(
            str(frame.frame_number),
            str(frame.location_id),
            *((f"{frame.score:.2f}",) if is_ranked else ()),
            " ".join(f"{value:.2f}" for value in frame.world_T_camera.translation),
            escape(printable(", ".join(shown))),
        )
    return table


# Usage of models


def usage_json(usage: Usage) -> dict[str, Any]:
    """Calls, tokens and cost of models, for programs."""
    return {
        "calls": usage.calls,
        "prompt_tokens": usage.prompt_tokens,
        "cached_prompt_tokens": usage.cached_tokens,
        "reply_tokens": usage.reply_tokens,
        "cost": usage.cost,
    }


def usage_text(usage: Usage) -> str:
    """Text of the usage, such as "2 calls, 6120 + 230 tokens (4800 cached), cost 0.012"."""
    calls = "1 call" if usage.calls == 1 else f"{usage.calls} calls"
    cached = f" ({usage.cached_tokens} cached)" if usage.cached_tokens else ""
    cost = f", cost {usage.cost:.3g}" if usage.cost else ""
    return f"{calls}, {usage.prompt_tokens} + {usage.reply_tokens} tokens{cached}{cost}"
