"""Corrections by people: a journal that is applied to perception on reading, never mixed into it.

Rules between entries and perception:
- an entry stays when perception observes its object again, and waits while its object is missing;
- a corrected object is not forgotten as a ghost, but it may be found gone from its place;
- when perception merges two objects, entries about the removed one move to the kept one. Deletions
  do not: two objects of which a person deleted one leave the other one present. They do move if the
  kept object had been gone and continues at the place of the deleted one;
- an object that perception lost and finds again under a new id, at the same place and with the same
  label, gets the entries of the lost one. A deleted object stays deleted under any new id, unless a
  person saw both at once and deleted only one;
- a new detection at the place of a deleted object, with another label, is hidden until it was seen
  often and from a second direction. One with the same label stays hidden, whether it is the same
  reflection or a new object; undo the deletion to show it.

Rules among entries:
- entries apply in their order: the later one wins, for names, attributes, and a relation and its
  opposite;
- an object that is deleted, or merged into another, cannot be edited until that is undone;
- objects that a person split cannot be merged, and an object that a person merged cannot be split:
  undo the first entry instead; a merge cannot be redone after a later split of its objects;
- stated relations may not make an object carry its own carrier: such a relation is refused;
- a stated carrier replaces the one from geometry, and the opposite relation from geometry too;
- of structure (floor, walls and ceiling, negative ids), which is estimated continuously, people can
  state what it carries or is near to, and nothing else; nothing carries it;
- an object with a stated carrier is one level above it, with all that it carries, and has the
  relations of that level.

Undone entries stay in the journal and can be redone, unless a later entry forbids it. Entries about
the result of another one (a part, a merged object) wait while that one is undone.
"""

from scenemind.memory.graph.corrections.edits import LONGEST_TEXT
from scenemind.memory.graph.corrections.journal import CorrectionsJournal
from scenemind.memory.graph.corrections.overlay import CorrectedObjects, PerceivedMap
from scenemind.memory.graph.corrections.replay import LeftOut, Replay
from scenemind.memory.graph.corrections.similar import SimilarObject

__all__ = [
    "LONGEST_TEXT",
    "CorrectedObjects",
    "CorrectionsJournal",
    "LeftOut",
    "PerceivedMap",
    "Replay",
    "SimilarObject",
]
