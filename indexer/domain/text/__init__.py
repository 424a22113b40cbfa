"""Texts for search: pages, sections of prose, concepts of files, and texts for vectors."""
