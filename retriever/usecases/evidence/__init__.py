"""Converts search results into pieces of evidence."""
