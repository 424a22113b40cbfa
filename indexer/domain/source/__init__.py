"""Source trees: which files are read, and how their bytes become text."""
