"""Alignment without people: planted perception errors, and simulated persons who correct them."""
