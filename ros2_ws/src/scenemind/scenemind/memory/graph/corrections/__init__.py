"""What people said about the map: a journal laid over perception, never mixed into it.

How entries meet perception:
- an entry stays when perception sees its object again, and waits while its object is not there;
- what an entry speaks of is not forgotten as a ghost, though it may be found gone from its place;
- when perception merges two objects, entries about the one that is gone go over to the one that is
  kept. A deletion does not: two things that a person told apart by deleting one leave the other one
  standing. It does where the one that is kept had been away and goes on in the place of the deleted
  one;
- an object that perception lost and finds again under a new id, at the same place and of the same
  label, has the entries of the lost one. What was deleted stays deleted under any new id, unless a
  person saw both at once and deleted only one;
- what is newly detected where something was deleted, and called otherwise, is hidden too, until it
  was seen often and from a second direction. A thing that is called the same stays hidden, be it
  the reflection again or one that was put there: for that, the deletion is to be undone.

How entries meet each other:
- they are laid over one another in the order in which they were said: the later one wins, be it a
  name, an attribute, or a relation and its opposite;
- an object that is deleted, or merged into another, cannot be spoken of until that is undone;
- objects that a person split cannot be merged, and what a person merged cannot be split: the first
  entry is to be undone instead; nor is a merge redone of what was split since;
- nothing may, as people say it, carry what carries it: such a relation is refused;
- what a person says carries a thing takes the place of what geometry says carries it; what geometry
  says the other way round goes, too;
- of structure (floor, walls and ceiling, negative ids), which is found anew all the time, people
  can say what it carries or is near to, and nothing else; nothing carries it;
- a thing that people say is carried by another is one level above that, with all that it carries,
  and has the relations of that level.

Undone entries stay for the record and can be redone, unless an entry that came since forbids it.
Entries that spoke of what another one made (a part, a merged thing) wait while that one is undone.
"""

from scenemind.memory.graph.corrections.edits import LONGEST_TEXT
from scenemind.memory.graph.corrections.journal import CorrectionsJournal
from scenemind.memory.graph.corrections.laying_over import Seen
from scenemind.memory.graph.corrections.replay import LeftOut, Replay
from scenemind.memory.graph.corrections.similar import SimilarObject

__all__ = ["LONGEST_TEXT", "CorrectionsJournal", "LeftOut", "Replay", "Seen", "SimilarObject"]
