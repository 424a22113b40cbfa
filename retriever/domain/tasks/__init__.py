"""Tasks: a question on its way through the stages, the gaps that follow, and what is asked of a judge."""
