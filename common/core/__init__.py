"""Errors, settings, clock, ids, token counts: what domain code may import of `common`. No network, no database."""
