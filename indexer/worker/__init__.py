"""Indexes in a process of its own: the service starts it for each job, and a person may run it by hand."""
