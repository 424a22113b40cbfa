"""Snapshots: layers, the core, its digest, and what is true of every index."""
