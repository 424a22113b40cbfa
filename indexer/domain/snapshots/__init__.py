"""Snapshots: sets of layers, the core layer and its digest, the lexical index, and invariants."""
