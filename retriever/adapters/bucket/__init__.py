"""Serves the snapshots of a bucket from a local cache of bounded size. Writes nothing into the bucket but leases."""
