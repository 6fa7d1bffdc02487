"""English of things in rooms: one lexicon, and sentences as trees. Knows no scene."""
