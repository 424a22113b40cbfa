"""A core layer after an edit, before all is linked again: what is patched, and with what."""
