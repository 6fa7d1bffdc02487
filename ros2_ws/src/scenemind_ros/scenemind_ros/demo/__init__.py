"""`scenemind demo`: the real nodes on one sequence, questions over their services, a report."""
