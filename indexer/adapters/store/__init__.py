"""Published snapshots as docs/snapshot-format.md lays them out: on disk, and brought from there to a bucket."""
