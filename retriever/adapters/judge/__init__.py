"""Asks a model what serves a task, while no file forbids it. Its words are checked before they count."""
