"""Processes that the `scenemind` command, which does not import ROS, starts in the ROS
environment."""
