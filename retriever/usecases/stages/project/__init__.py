"""Stages about the project itself: what it is, where to begin, how to run it, and what its parts hold."""
