"""Measures how claims are checked."""
