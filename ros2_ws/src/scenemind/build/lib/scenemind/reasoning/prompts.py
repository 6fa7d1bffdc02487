"""Conversation with models: prompts from text files, forms, and readers of replies."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from itertools import dropwhile
from string import Template
from typing import TypeVar

from pydantic import BaseModel

from scenemind.language.english import find_number, normal
from scenemind.memory import MapObject
from scenemind.memory.tree.tree_json import displayed_label
from scenemind.models import ChatMessage, ChatModel, ModelError, OnText, ask_for
from scenemind.reasoning.method import Asking, Progress

Form = TypeVar("Form", bound=BaseModel)


@cache
def read_prompt(package: str, name: str) -> str:
    """The text of `prompts/<name>.txt` in a package, without its comment."""
    path = files(package).joinpath("prompts", f"{name}.txt")
    return sent_part(path.read_text(encoding="utf-8"))


def sent_part(text: str) -> str:
    """A prompt file without its comment: the lines that begin with "#:" before all others, which
    name the part of the paper that the prompt follows."""
    lines = text.splitlines(keepends=True)
    return "".join(dropwhile(lambda line: line.startswith("#:"), lines)).rstrip()


def fixed_parts(text: str) -> list[str]:
    """What a prompt file always sends: its text between the values that are filled in."""
    cut = re.sub(Template.pattern, "\0", sent_part(text))
    return [part for part in map(str.strip, cut.split("\0")) if part]


def fill_prompt(package: str, name: str, **values: str) -> str:
    """The same text with a value for each $name in it; values are not expanded again."""
    return Template(read_prompt(package, name)).substitute(values)


# A JSON string, possibly unfinished, without half an escape.
_THINK = re.compile(r'"(?:think|reasoning)"\s*:\s*("(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt])*)')
# Reasoning models think first; some servers omit the opening tag.
_ALOUD = re.compile(r"(?:\A|<think>)(?:(?!<think>).)*?</think>", re.DOTALL)


def without_thoughts(text: str) -> str:
    """A reply without its `<think>` text, which may be cut off."""
    return _ALOUD.sub("", text).partition("<think>")[0]


def hears_thoughts(progress: Progress, stage: str) -> OnText | None:
    """A listener for a growing JSON reply, which reports its thoughts; None without a progress
    listener: then no streaming is needed."""
    if progress.listener is None:
        return None
    reported = ""

    def hear(text: str) -> None:
        nonlocal reported
        thoughts = thoughts_in(text)
        if thoughts != reported:
            reported = thoughts
            progress.report(stage, thoughts)

    return hear


def ask_form(
    model: ChatModel,
    messages: Sequence[ChatMessage],
    form: type[Form],
    asking: Asking,
    stage: str,
    check: Callable[[Form], str | None] | None = None,
) -> Form:
    """A model's reply in a form. One that is of no use is asked for again, once, which is noted.

    Args:
        stage: under which its thoughts are reported.
        check: see `ask_for`.

    Raises:
        BadFormError: neither reply is of use.
        ModelError: the model failed, or the allowance is used up.
    """
    return ask_for(
        model,
        messages,
        form,
        asking.allowance,
        check=check,
        on_text=hears_thoughts(asking.progress, stage),
        on_repair=asking.progress.note_repair,
    )


def thoughts_in(text: str) -> str:
    """The value of "think" or "reasoning" in a JSON reply that still grows; empty before it
    begins."""
    found = _THINK.search(text)
    thoughts = json.loads(f'{found[1]}"', strict=False) if found else ""
    return thoughts.encode("utf-8", "ignore").decode("utf-8")  # without half a surrogate pair


_REPEATED_CHARACTERS = 6000  # of a model's turn, in the messages of later turns
_PYTHON = frozenset(("python", "py", "python3"))
# Repetitions are bounded: the time of a match must not grow with blanks.
FENCED = re.compile(
    r"```[^\S\n]{0,9}(?P<language>\w{0,20})[^\S\n]{0,9}\n(?P<code>.*?)(?:^[^\S\n]*```|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""Code between fences, or from a fence to the end."""


def ask_for_code(
    model: ChatModel, messages: list[ChatMessage], asking: Asking, on_text: OnText | None = None
) -> str:
    """The code in the model's next turn, which is added to the messages; empty without any.

    Raises:
        ModelError: the model was not reached, refused, or the allowance is used up.
    """
    try:
        text = model.ask(messages, asking.allowance, on_text=on_text).text
    except ModelError as error:
        if error.kind != "bad_reply":
            raise
        text = ""
    said = without_thoughts(text).strip()
    messages.append(ChatMessage("assistant", said[:_REPEATED_CHARACTERS] or "-"))
    return find_code(said)


def find_code(text: str) -> str:
    """The last code block in a text, preferably one marked as Python; the whole text without a
    block."""
    fenced = list(FENCED.finditer(text))
    in_python = [block for block in fenced if block["language"].lower() in _PYTHON] or fenced
    return (in_python[-1]["code"] if in_python else text).strip("\n").rstrip()


def printable(text: str) -> str:
    """A text without control characters but line ends."""
    return "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text)


Word = int | str
"""An entry of a model's list of objects: 3, "3", "chair 3" or "chair"."""
_NUMBERED = re.compile(r"\A(?P<label>.*?)[\s:#_(\[-]*(?P<number>\d{1,9})[\])]?\Z", re.DOTALL)
_NO_LABEL = frozenset(("", "object", "id", "object id"))


class ObjectWords:
    """Finds the objects that a model's words mean."""

    def __init__(self, objects: Mapping[int, MapObject], other_labels: Iterable[str] = ()) -> None:
        """
        Args:
            other_labels: valid labels without objects, in their normal form.
        """
        self._objects = objects
        self._other_labels = frozenset(other_labels)

    def find_label(self, word: Word) -> str | None:
        """The label that a word is, in its normal form; None for ids and unknown words."""
        name = "" if isinstance(word, int) else label_name(word)
        return name if name in self._ids_of or name in self._other_labels else None

    def find(self, word: Word, here: Collection[int] = ()) -> tuple[int, ...] | None:
        """Ids of the objects that a word means: empty for a label without objects, None for an
        unknown word.

        Args:
            here: a label means its objects among these, or all where none is among them.
        """
        if isinstance(word, int):
            return (word,) if word in self._objects else None
        name = label_name(word)
        ids = self._ids_of.get(name, [])
        if ids or name in self._other_labels:
            return tuple(i for i in ids if i in here) or tuple(ids)
        return self._find_numbered(word)

    @cached_property
    def _ids_of(self) -> dict[str, list[int]]:
        """Normal form of a label -> ids of its objects."""
        ids_of = defaultdict(list)
        for object_id, thing in self._objects.items():
            ids_of[label_name(thing.label)].append(object_id)
        return ids_of

    def _find_numbered(self, word: str) -> tuple[int] | None:
        found = _NUMBERED.match(word.strip())
        thing = None if found is None else self._objects.get(int(found["number"]))
        if found is None or thing is None:
            return None
        label = label_name(found["label"])
        return (
            (thing.object_id,) if label in _NO_LABEL or label == label_name(thing.label) else None
        )


def label_name(label: str) -> str:
    """The normal form of a label, of its quoted form in a prompt, and of a model's way to write
    it."""
    return normal(displayed_label(label))


def find_count(answer: str, kinds: Sequence[str]) -> int | None:
    """The number that an answer gives: "13", "three", "13 chairs", "two, on the table"; None for
    other answers, such as "2 m" and "3 o'clock".

    Args:
        kinds: what may stand behind the number, in words.
    """
    number, _, rest = answer.strip().lower().partition(" ")
    is_all = not rest or number.endswith(",")
    called = normal(rest.partition(",")[0])
    if is_all or called in {normal(kind) for kind in kinds}:
        return find_number(number.rstrip(",.;"))
    return None
