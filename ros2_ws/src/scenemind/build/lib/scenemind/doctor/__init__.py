"""Examination of a recording or a running camera before it is mapped."""
