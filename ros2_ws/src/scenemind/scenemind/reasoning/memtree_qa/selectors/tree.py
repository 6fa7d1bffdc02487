"""MemTree3D's own way: a language model reads the tree and picks locations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from scenemind.memory import KeyFrame, MapObject, MemoryAccess, TreeJson
from scenemind.memory.tree.tree_lines import Detail
from scenemind.models import BadFormError, ChatMessage, ChatModel, ask_for
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.memtree_qa.circumstances import LONGEST_SAID, circumstances, named
from scenemind.reasoning.memtree_qa.location_choice import ChoiceReader, LocationChoice, Pick
from scenemind.reasoning.memtree_qa.selectors.picked_frames import picked_frames
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.reasoning.memtree_qa.shown_tree import read_tree
from scenemind.reasoning.method import Asking
from scenemind.reasoning.object_words import ObjectWords
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.thoughts import hears_thoughts
from scenemind.reasoning.types import Query
from scenemind.words.quoting import quoted, tame

_PROMPTS = "scenemind.reasoning.memtree_qa"
_LONGEST_REASONING = 2000


class TreeSelector:
    """A `FrameSelector` (paper, sections 3.2 and 3.3).

    What stays the same from question to question comes first in the prompt: the task, then the
    tree, whose text only grows at its end, and the question last. So a provider that caches
    prompts reads the tree once.
    """

    name = "tree"

    def __init__(self, model: ChatModel, tree_tokens: int = 8000) -> None:
        """
        Args:
            model: for language.
            tree_tokens: longest text of the tree; see `MemoryAccess.tree_json`.
        """
        self._model = model
        self._tree_tokens = tree_tokens

    def select(self, query: Query, memory: MemoryAccess, count: int, asking: Asking) -> Selection:
        """See `FrameSelector`."""
        asking.report("select")
        tree, snapshot = memory.tree_json(self._tree_tokens), memory.snapshot()
        shown = read_tree(tree)
        if not shown:
            raise ReasoningError(
                "empty_memory",
                "The memory's tree lists no location yet: start mapping, or load a saved memory.",
            )
        labels = {label for location in shown.values() for label in location.ids_of}
        reader = ChoiceReader(shown, ObjectWords(snapshot.objects, labels), count)
        messages = _messages(tree, circumstances(query, snapshot), query, reader.wanted)
        steps = [_told(tree)]
        choice = self._ask(messages, reader, asking, steps)
        picks = reader.picks(choice)
        if len(picks) < reader.count:
            picks = reader.filled_up(picks)
            steps.append(f"filled up to {len(picks)} locations by what they list")
        steps += _picked(picks, snapshot.objects)
        frames = picked_frames(memory, picks, shown, count, tree.detail >= Detail.OBJECTS_ONCE)
        if not frames:
            raise ReasoningError(
                "empty_memory", "No image is stored of any location that was mapped."
            )
        steps += map(_taken, frames)
        keys = dict.fromkeys(i for pick in picks for i in pick.keys)
        cues = dict.fromkeys(i for pick in picks for i in pick.cues if i not in keys)
        return Selection(
            tuple(frames),
            tame(choice.think, _LONGEST_REASONING),
            tuple(steps),
            _in_view(keys, frames),
            _in_view(cues, frames),
        )

    def _ask(
        self,
        messages: Sequence[ChatMessage],
        reader: ChoiceReader,
        asking: Asking,
        steps: list[str],
    ) -> LocationChoice:
        """
        Raises:
            ModelError: the model failed, or its second reply is of no use as well.
        """

        def note_repair(complaint: str) -> None:
            steps.append(f"asked again: {complaint}")
            asking.report("repair", complaint)

        try:
            return ask_for(
                self._model,
                messages,
                LocationChoice,
                asking.allowance,
                reader.complaint,
                hears_thoughts(asking.report, "select"),
                note_repair,
            )
        except BadFormError as error:
            if not isinstance(error.form, LocationChoice):
                raise
            steps.append(f"took what is right of the second reply: {reader.complaint(error.form)}")
            return error.form


def _messages(tree: TreeJson, about: str, query: Query, wanted: str) -> list[ChatMessage]:
    question = fill_prompt(
        _PROMPTS,
        "choose_locations_question",
        reading=tree.reading,
        tree=tree.text.rstrip(),
        circumstances=about,
        question=quoted(query.text, LONGEST_SAID),
        wanted=wanted,
    )
    return [
        ChatMessage("system", read_prompt(_PROMPTS, "choose_locations")),
        ChatMessage("user", question),
    ]


def _told(tree: TreeJson) -> str:
    left_out = f"; {tree.locations_left_out} are left out" if tree.locations_left_out else ""
    return (
        f"told the model of {tree.locations_shown} locations with {tree.objects_shown} objects"
        f" (about {tree.tokens} tokens{left_out})"
    )


def _picked(picks: Sequence[Pick], objects: Mapping[int, MapObject]) -> Iterator[str]:
    for pick in picks:
        of = {"key": pick.keys, "cue": pick.cues}
        said = [f"{k} {', '.join(named(objects[i]) for i in ids)}" for k, ids in of.items() if ids]
        yield f"location {pick.location_id}: {'; '.join(said) or 'no objects'}"


def _in_view(object_ids: Iterable[int], frames: Sequence[KeyFrame]) -> tuple[int, ...]:
    """Those that a frame shows, since a label may stand for many; all where none is shown."""
    seen = {i for frame in frames for i in frame.boxes_px}
    return tuple(i for i in object_ids if i in seen) or tuple(object_ids)


def _taken(frame: KeyFrame) -> str:
    return f"frame {frame.frame_number} of location {frame.location_id}, score {frame.score:.2f}"
