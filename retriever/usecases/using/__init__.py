"""Finds users of a thing, one file for each method: by edges, by methods of types, by facts, and by text."""
