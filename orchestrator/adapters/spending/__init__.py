"""Stores of what callers have spent today."""
