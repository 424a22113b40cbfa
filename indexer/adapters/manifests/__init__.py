"""Reads what a project says of itself in the files of package managers and build tools, as facts of those files."""
