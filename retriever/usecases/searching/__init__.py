"""Ranks files, symbols and documents for a text."""
