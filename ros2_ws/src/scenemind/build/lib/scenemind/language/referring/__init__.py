"""Referring expressions in free wording: from a phrase to a description of its target."""
