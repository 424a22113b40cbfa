"""Turns messages of the contract into text for a terminal; pure, so that what people see is tested as text."""
