"""Referring expressions of several clauses: every part that can be used scores the candidates."""
