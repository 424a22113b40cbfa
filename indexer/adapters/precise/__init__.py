"""Adapters for precise edges: SCIP files, the archive of imports, the layer, and the importing process."""
