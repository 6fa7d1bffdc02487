"""`scenemind demo`: the real nodes on one recording, questions over their services, a report."""
