"""Links calls by names and declared types, for languages whose flow of values is not analysed."""
