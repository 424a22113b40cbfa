"""Edges between languages."""
