"""Snapshots in a bucket: who may write, what is uploaded."""
