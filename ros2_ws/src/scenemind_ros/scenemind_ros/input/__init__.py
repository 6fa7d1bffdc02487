"""Whole frames from camera and odometry topics."""
