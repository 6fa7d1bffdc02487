"""`scenemind corrections`: the journal of a stored memory or of running nodes."""
