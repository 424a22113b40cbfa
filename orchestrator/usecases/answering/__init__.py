"""Makes an answer: executes the actions of the loop, one per file, and emits their results as events."""
