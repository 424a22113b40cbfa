"""Stages for what has to do with what."""
