"""Version of what the indexer makes: part of every source identity."""

INDEX_VERSION = "8"
"""Changes whenever equal sources would give another core layer than before."""
