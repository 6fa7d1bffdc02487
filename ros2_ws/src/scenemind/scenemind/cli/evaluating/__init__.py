"""`scenemind eval`: how right a method is on a benchmark."""
