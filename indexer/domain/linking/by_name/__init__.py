"""Links calls by name alone, for languages whose flow of values is not followed."""
