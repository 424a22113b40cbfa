"""Turns a repository at a commit into a published snapshot. Never answers queries."""
