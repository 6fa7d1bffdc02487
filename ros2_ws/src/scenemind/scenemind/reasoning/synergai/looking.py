"""A vision model's look at one object in the stored frame that shows it best."""

from __future__ import annotations

import cv2
from pydantic import BaseModel, ConfigDict, Field

from scenemind.frames import FrameError
from scenemind.frames.encodings import decode_color_file, encode_color_file
from scenemind.memory import MapObject, SceneMemoryError
from scenemind.models import ChatMessage, ChatModel, ask_for
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.synergai.agent_scene import AgentScene
from scenemind.reasoning.synergai.toolbox import ToolError
from scenemind.words.quoting import quoted, tame

_PROMPTS = "scenemind.reasoning.synergai"
_MARGIN = 0.4  # of the box's sides, around it
_RED, _LINE_PX = (255, 0, 0), 2
_LONGEST_QUESTION, _LONGEST_ANSWER = 300, 200


class Seen(BaseModel):
    """What the vision model answers."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(description="a few words")


def look_at(vision: ChatModel, scene: AgentScene, thing: MapObject, question: str) -> str:
    """The model's answer in a plain line.

    Raises:
        ToolError: no stored image shows the object.
        ModelError: the model failed, or the allowance is used up.
    """
    asked = f"The question about the thing in the red box: {quoted(question, _LONGEST_QUESTION)}"
    messages = [
        ChatMessage("system", read_prompt(_PROMPTS, "look")),
        ChatMessage("user", asked, (_crop(scene, thing),)),
    ]
    said = ask_for(vision, messages, Seen, scene.asking.allowance)
    return tame(said.answer, _LONGEST_ANSWER)


def _crop(scene: AgentScene, thing: MapObject) -> bytes:
    """
    Raises:
        ToolError: there is none.
    """
    try:
        frames = scene.memory.key_frames_of([thing.object_id], 1)
        frame = next(f for f in frames if thing.object_id in f.boxes_px)
        color = decode_color_file(frame.jpeg).copy()
    except (StopIteration, SceneMemoryError, FrameError) as error:
        raise ToolError(f"no stored picture shows object {thing.object_id}") from error
    height, width = color.shape[:2]
    x0, y0, x1, y1 = frame.boxes_px[thing.object_id]
    cv2.rectangle(color, (round(x0), round(y0)), (round(x1), round(y1)), _RED, _LINE_PX)
    dx, dy = _MARGIN * (x1 - x0), _MARGIN * (y1 - y0)
    rows = slice(max(0, int(y0 - dy)), min(height, int(y1 + dy) + 1))
    columns = slice(max(0, int(x0 - dx)), min(width, int(x1 + dx) + 1))
    scene.asking.report("look", f"object {thing.object_id} in frame {frame.frame_number}", [frame])
    return encode_color_file(color[rows, columns])
