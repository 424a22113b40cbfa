"""Stages for settings, environment, routes and other entry points."""
