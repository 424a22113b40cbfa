"""Answers: their events, the state folded from the events, the stored records, and the comparison of two answers."""
