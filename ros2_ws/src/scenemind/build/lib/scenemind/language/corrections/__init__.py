"""Grammar of corrections: from a sentence to the edits that it asks for."""
