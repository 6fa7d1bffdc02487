"""Where a map lies in another map of the place, without a common origin."""
