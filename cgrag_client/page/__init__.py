"""Writes an answer as one HTML page that needs nothing else: no network, no script, no other file."""
