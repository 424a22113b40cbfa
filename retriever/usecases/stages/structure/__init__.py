"""Stages for a project and its parts."""
