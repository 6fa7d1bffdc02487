"""What the grammar reads, as examples to show."""

from __future__ import annotations

QUESTIONS = (
    "is there a red chair next to the table?",
    "how many chairs are there?",
    "where is the cup?",
    "what colour is the sofa?",
    "is the cup on the table?",
    "what is on the table?",
    "which chair is closest to the door?",
    "what is the black object on the table?",
    "how far is the cup from the door?",
    "how big is the table?",
    "what is hanging on the wall?",
    "what is within reach?",
    "which bottle is empty?",
    "describe the chair",
    "where was the cup 5 minutes ago?",
    "what was moved since 10:05?",
    "the small black chair left of the door",
)
COMMANDS = (
    "the marked object is a toolbox",
    "object 12 is grey",
    "rename the cup to mug",
    "the hanger is on the ironing board",
    "the cup is not on the table",
    "delete object 4",
    "objects 3 and 5 are the same chair",
    "object 3 is two chairs",
    "object 4 really is a cup",
    "forget its colour",
    "the same goes for the similar ones",
    "undo",
    "redo",
)
_OTHER_QUESTIONS = (
    " Questions of other shapes are for a language model: name one in `models.language.model`"
    " (--model)."
)


def not_understood(part: str, whole: str, examples: tuple[str, ...]) -> str:
    """What could not be read, what can be, and what else would help."""
    where = f' in "{whole}"' if part != whole else ""
    shapes = "; ".join(examples)
    beyond = _OTHER_QUESTIONS if examples is QUESTIONS else ""  # no model reads corrections
    return f'I do not understand "{part}"{where}. I can read: {shapes}.{beyond}'
