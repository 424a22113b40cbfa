"""Finds the symbol that a description means: what it says in other words, measured against what code says."""
