"""Finds evidence in a snapshot, under a budget, with reasons. Never writes a snapshot."""
