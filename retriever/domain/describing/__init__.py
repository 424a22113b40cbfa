"""Finds the symbol that a description means, by comparing its words with code and documentation."""
