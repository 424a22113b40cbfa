"""Asks a model which candidates suit a task, unless the kill switch is on; its answer is checked before use."""
