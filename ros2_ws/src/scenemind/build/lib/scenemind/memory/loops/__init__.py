"""Loops of the way that are closed here, for robots with odometry only."""
