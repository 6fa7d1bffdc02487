"""Measurements that users take on their own machine: frame, detect, pipeline, transport."""
