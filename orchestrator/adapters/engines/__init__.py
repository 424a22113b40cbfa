"""Engines that write answers (from a model, evidence alone or a recording), and their selection by session."""
