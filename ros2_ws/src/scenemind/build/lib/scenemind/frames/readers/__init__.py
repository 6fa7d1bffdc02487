"""Readers of recorded sequences, one file a format. `open_sequence` picks the right one."""
