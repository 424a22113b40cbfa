"""Databases for the state of services: opens them, and translates their errors."""
