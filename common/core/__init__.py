"""Errors, settings, clock, ids and token counts: the part of the kit that domain code may use. Does no I/O."""
