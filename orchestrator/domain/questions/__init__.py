"""Questions: the classifier's understanding, the session's context, the caller's options."""
