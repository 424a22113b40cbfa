"""Turns what was found into pieces of evidence."""
