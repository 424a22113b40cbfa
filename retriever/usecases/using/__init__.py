"""Finds who has to do with something, one file for each way of finding it: by edges, by methods, by facts and text."""
