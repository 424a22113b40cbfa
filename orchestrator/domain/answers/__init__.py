"""Answers: their events, the state that follows from these, what is kept of them, and how two are compared."""
