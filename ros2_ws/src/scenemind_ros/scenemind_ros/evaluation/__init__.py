"""Benchmarks asked of the running nodes: what is measured is what the robot runs."""
