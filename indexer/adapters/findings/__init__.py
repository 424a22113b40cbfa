"""Analyzers, the findings layer, and the store of imported findings."""
