"""SceneMind: memory and reasoning for robots with an RGB-D camera. This library knows no ROS."""
