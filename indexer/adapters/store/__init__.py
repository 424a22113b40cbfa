"""Published snapshots on disk, as docs/snapshot-format.md lays them out, and the queue of jobs."""
