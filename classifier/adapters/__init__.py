"""Implementations of the ports, and their helpers."""
