"""Findings of analyzers: what they are, how severe, and of which category."""
