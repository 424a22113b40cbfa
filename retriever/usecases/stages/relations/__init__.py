"""Stages for relations in code: users, extensions, writers, and what is unused or absent."""
