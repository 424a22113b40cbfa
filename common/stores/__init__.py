"""Databases for the state of services: opening, and translation of failures."""
