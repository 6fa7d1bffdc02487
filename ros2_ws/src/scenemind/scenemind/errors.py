"""What all errors of the library that a person can mend have in common."""

from __future__ import annotations


class SceneMindError(Exception):
    """Its message names what was wrong, and the way out."""
