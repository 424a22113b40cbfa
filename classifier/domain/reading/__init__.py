"""Reads a question once: tokens, intent of each part, slots, references, language. Pure and fast."""
