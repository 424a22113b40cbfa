"""Finds secrets in text and hides them."""
