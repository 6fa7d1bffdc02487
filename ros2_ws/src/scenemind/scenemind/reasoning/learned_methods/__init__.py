"""Methods that models write for questions of a kind, try, keep and use again; see `learner`."""
