"""The ROS 2 side of SceneMind: nodes that convert, call the library and publish."""
