"""Evidence as the orchestrator sees it: pieces, what they name, and what they refer to."""
