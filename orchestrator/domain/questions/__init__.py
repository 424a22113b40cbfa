"""Questions: what the classifier understood, what the session adds, what the caller insists on."""
