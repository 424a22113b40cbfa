"""Patches a published core layer after an edit, until all files are linked again."""
