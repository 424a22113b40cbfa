"""Reads manifests of package managers and build tools as facts."""
