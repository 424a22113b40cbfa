"""Indexing jobs: queued, run, watched."""
