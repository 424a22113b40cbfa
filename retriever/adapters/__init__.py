"""One file per outside thing, each behind a port."""
