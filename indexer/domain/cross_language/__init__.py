"""Edges between code of different languages: remote procedure calls, and languages of one platform."""
