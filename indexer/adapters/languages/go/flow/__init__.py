"""Writes the flow program of a Go file."""
