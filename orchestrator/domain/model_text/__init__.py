"""Reads what a model writes, while it streams: text, labels of evidence, gaps, links."""
