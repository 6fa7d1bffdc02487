"""Benchmarks of the repository, not installed: `python -m benchmarks NAME --json`."""
