"""One object's best views to a vision-language model, and its words back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files

from scenemind.config import DescriptionsConfig
from scenemind.describing.best_crops import DamagedFrames, best_crops, jpeg_of
from scenemind.describing.form import DescriptionForm, attributes_of
from scenemind.describing.note_maker import is_still_there, urgency
from scenemind.memory import Description, MapObject, Memory
from scenemind.models import Allowance, ChatMessage, ChatModel, ModelError, ask_for
from scenemind.words.quoting import quoted

_JPEG_QUALITY = 90
# For an object, all waiting and retries included: nobody waits for it.
_LONGEST_S = 600.0
# Asked again when it has been seen so many times as often: five times in a thousand views.
_GROWN = 4.0
# The same when perception changed its mind about what it is; it may do so again.
_GROWN_RENAMED = 1.5


class Describer:
    """A `NoteMaker` of descriptions.

    SynergAI (appendix B) asks BLIP-2 about every view, ranks the answers with CLIP, and lets a
    language model write a summary that corrects them. Here the views are ranked first, by how much
    of the object they show, and one model sees the best of them together: it notes what each shows
    and then writes the summary, in one question instead of many.
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
            model: sees pictures.
            new_allowance: what the questions about one object may use, of so many seconds.
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
        """See `NoteMaker`.

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
        description = Description(
            object_id=thing.object_id,
            attributes=attributes,
            by=self._model.name,
            label=thing.label,
            stamp_ns=time.time_ns(),
            observation_count=thing.observation_count,
        )
        if not is_still_there(thing, self._memory):
            return None
        return description if self._memory.put_description(description) else None


def _is_due(thing: MapObject, description: Description | None) -> bool:
    if description is None:
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
    """What is said of the object but by a model."""
    return {
        name: value
        for name, value in thing.attributes.items()
        if thing.attribute_sources.get(name) != "model"
    }
