"""Measures how gaps are resolved."""
