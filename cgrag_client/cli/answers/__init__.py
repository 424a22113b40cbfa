"""Commands about questions and answers."""
