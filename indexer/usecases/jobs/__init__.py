"""Use cases about indexing jobs: queue, run and watch them; and the removal of repositories."""
