"""Sections of an answer that is written from evidence alone, one module for each subject."""
