"""What commands share that put questions: options, progress, and how replies are shown."""
