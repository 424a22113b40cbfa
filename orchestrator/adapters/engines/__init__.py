"""Engines that write answers: a model, evidence alone, a recording; and which one a session gets."""
