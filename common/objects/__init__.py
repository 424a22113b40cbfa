"""The one way to object storage: its settings, and a bucket that is read and written. Knows nothing of snapshots."""
