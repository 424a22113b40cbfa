"""Writes the flow program of a Java file."""
