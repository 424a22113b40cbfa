"""Snapshots in a bucket: the writer's claim, and uploads."""
