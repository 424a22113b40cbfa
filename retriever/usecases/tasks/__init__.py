"""Stages that gather the context of a task, and what runs them."""
