"""Calling other services: channels, deadlines, renewed connections."""
