"""Decides how a question is to be answered. Knows nothing of storage."""
