"""Ranks files and symbols for a text: signals, each a file of its own, and their fusion. Does no I/O."""
