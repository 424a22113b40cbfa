"""Takes over from an index in the SCIP format what a compiler knows of a file: which name means which definition."""
