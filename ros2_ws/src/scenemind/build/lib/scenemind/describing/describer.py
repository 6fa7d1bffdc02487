"""Description of one object by a vision-language model, from its best views."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from scenemind.config import DescriptionsConfig
from scenemind.describing.annotation import is_still_there, urgency
from scenemind.describing.best_views import DamagedFrames, best_crops, jpeg_of
from scenemind.language.quoting import quoted
from scenemind.memory import NAMED_BY, Description, MapObject, Memory
from scenemind.models import Allowance, ChatMessage, ChatModel, ModelError, ask_for

# Attributes that the camera measures; a model's value is used where the measured one is missing.
MEASURED = ("color", "shape")
_LONGEST = 60
_LONGEST_CAPTION = 200
_NOTHING = frozenset(
    ("", "-", "unknown", "none", "n/a", "na", "null", "unclear", "not visible", "cannot tell")
)
_JPEG_QUALITY = 90
# Time limit for one object, all retries included.
_LONGEST_S = 600.0
# A description is renewed when the object has this many times the observations: five times in a
# thousand views.
_GROWN = 4.0
# The same after perception has changed the object's label; it may do so again.
_GROWN_RENAMED = 1.5


class Describer:
    """An `Annotator` that makes descriptions.

    SynergAI (appendix B) asks BLIP-2 about every view, ranks the answers with CLIP, and lets a
    language model write a summary that corrects them. Here the views are ranked first, by how much
    of the object they show, and one model sees the best of them together: it notes the attributes
    of each view and then writes the summary, in one question instead of many.
    """

    def __init__(
        self,
        memory: Memory,
        model: ChatModel,
        config: DescriptionsConfig,
        new_allowance: Callable[[float], Allowance] = Allowance,
    ) -> None:
        """
        Args:
            model: a vision-language model.
            new_allowance: the budget for one object, of that many seconds.
        """
        self._memory = memory
        self._model = model
        self._config = config
        self._new_allowance = new_allowance
        self._damaged = DamagedFrames()

    @property
    def name(self) -> str:
        return f"descriptions by {self._model.name}"

    def due(self, objects: Iterable[MapObject]) -> list[MapObject]:
        """Objects without a description, or whose name or evidence has changed a lot since."""
        known, perceived = self._memory.descriptions(), self._memory.perceived_ids()
        due = [
            thing
            for thing in objects
            if thing.object_id in perceived and _is_due(thing, known.get(thing.object_id))
        ]
        return sorted(due, key=lambda thing: urgency(thing, thing.object_id in known))

    def make(self, thing: MapObject, objects: Mapping[int, MapObject]) -> Description | None:
        """See `Annotator.make`.

        Raises:
            ModelError: no usable answer.
            SceneMemoryError: the disk failed.
        """
        config = self._config
        crops = best_crops(self._memory, thing, objects, config.views, self._damaged)
        if not crops:
            return None
        jpegs = [jpeg_of(crop.rgb, config.image_px, _JPEG_QUALITY) for crop in crops]
        allowance = self._new_allowance(_LONGEST_S)
        form = ask_for(self._model, _question(thing, jpegs), DescriptionForm, allowance)
        attributes = attributes_of(form, _measured(thing))
        if not attributes:
            raise ModelError(
                "bad_reply", f"{self._model.name} found nothing to say of {thing.label!r}"
            )
        by_model = {NAMED_BY: thing.attributes[NAMED_BY]} if NAMED_BY in thing.attributes else {}
        description = Description(
            object_id=thing.object_id,
            attributes={**attributes, **by_model},
            by=self._model.name,
            label=thing.label,
            stamp_ns=time.time_ns(),
            observation_count=thing.observation_count,
        )
        if not is_still_there(thing, self._memory):
            return None
        return description if self._memory.put_description(description) else None


def _is_due(thing: MapObject, description: Description | None) -> bool:
    if description is None or description.attributes.keys() == {NAMED_BY}:
        return True
    is_renamed = thing.label != description.label
    if is_renamed and thing.label != thing.perceived_label:
        return True  # by a person
    grown = _GROWN_RENAMED if is_renamed else _GROWN
    return thing.observation_count >= grown * description.observation_count


def _question(thing: MapObject, jpegs: Sequence[bytes]) -> list[ChatMessage]:
    task = files("scenemind.describing").joinpath("describe.txt").read_text(encoding="utf-8")
    count = "1 picture" if len(jpegs) == 1 else f"{len(jpegs)} pictures"
    return [
        ChatMessage("system", task),
        ChatMessage("user", f"The detector's name: {quoted(thing.label)}\n{count}:", tuple(jpegs)),
    ]


def _measured(thing: MapObject) -> dict[str, str]:
    """Attributes of the object that no model gave."""
    return {
        name: value
        for name, value in thing.attributes.items()
        if thing.attribute_sources.get(name) != "model"
    }


class ViewNotes(BaseModel):
    """Attributes in one picture. The model writes these first and then compares them."""

    model_config = ConfigDict(extra="forbid")

    material: str
    texture: str
    color: str
    shape: str
    state: str
    affordance: str


class Summary(ViewNotes):
    """Attributes over all pictures, with mistakes corrected."""

    caption: str


class DescriptionForm(BaseModel):
    """Reply form of SynergAI (appendix B): the attributes in each view, then a coherent summary."""

    model_config = ConfigDict(extra="forbid")

    views: list[ViewNotes]
    summary: Summary


def attributes_of(form: DescriptionForm, measured: Mapping[str, str]) -> dict[str, str]:
    """Attribute name -> value of the summary, in one line of bounded length; unknown ones left out.

    Args:
        measured: attributes that are already measured, which the model's do not replace.
    """
    return {
        name: text
        for name, text in _texts(form.summary)
        if not (name in MEASURED and name in measured)
    }


def _texts(summary: Summary) -> Iterator[tuple[str, str]]:
    for name, said in summary.model_dump().items():
        is_caption = name == "caption"
        text = _one_line(said, _LONGEST_CAPTION if is_caption else _LONGEST)
        if text.lower().strip(" .") not in _NOTHING:
            yield name, text if is_caption else text.lower().rstrip(".")


def _one_line(said: str, longest: int) -> str:
    """The text in one line without control characters, cut between words where it is too long."""
    printable = "".join(" " if unicodedata.category(c)[0] == "C" else c for c in said)
    line = " ".join(printable.split())
    return line if len(line) <= longest else line[: longest + 1].rsplit(" ", 1)[0][:longest]
