"""Reads sentences about code in a model's text: tokens, tags, phrases, relations. Never reads questions or source."""
