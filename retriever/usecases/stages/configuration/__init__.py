"""Stages for settings, environment and what is registered."""
