"""Makes an answer: performs what the loop asks for, one step a file, and tells everything as events."""
