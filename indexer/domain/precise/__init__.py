"""Imports resolved references of files from a SCIP index."""
