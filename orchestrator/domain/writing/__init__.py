"""Writes an answer out of evidence alone, without a model: it selects, quotes and connects, and invents nothing."""
