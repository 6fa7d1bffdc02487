"""Who chooses the frames that the vision model is shown, one file each."""
