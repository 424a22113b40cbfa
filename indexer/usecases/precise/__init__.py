"""Imports of SCIP indexes."""
