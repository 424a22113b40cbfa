"""Tasks: a question with the results of the stages, gaps in the evidence, requests to a judge, and packages."""
