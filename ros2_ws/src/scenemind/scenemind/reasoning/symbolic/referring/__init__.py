"""Grounding of referring expressions of several clauses: every usable part scores candidates."""
