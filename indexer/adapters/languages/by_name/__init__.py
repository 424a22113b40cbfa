"""Reads languages of which symbols and calls by name are enough: one query file and one row of rules for each."""
