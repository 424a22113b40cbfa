"""Precise edges outside of the domain: SCIP files, the archive of imports, the layer, and the process that reads."""
