"""Answers made a second time by another configuration, for comparison."""
