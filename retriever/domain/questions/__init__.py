"""Questions: what the classifier understood, and how its parts compare with names in code."""
