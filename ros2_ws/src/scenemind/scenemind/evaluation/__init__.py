"""Benchmarks: what they ask, how a method answers, and how right that is."""
