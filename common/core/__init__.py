"""Errors, settings, clock, ids, token counts: what domain code may use of the kit. No network, no database."""
