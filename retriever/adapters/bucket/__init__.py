"""Serves what a bucket holds out of a local cache of bounded size. Writes leases there, and nothing else."""
