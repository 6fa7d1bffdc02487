"""What the `scenemind` command starts as processes of their own, since it speaks no ROS."""
