"""Reads what was learned of ranking and describing: files of this package. Learns nothing."""
